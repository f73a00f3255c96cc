# SPDX-License-Identifier: Apache-2.0
"""Writes the Go module in the layout of a module proxy (https://go.dev/ref/mod#goproxy-protocol).

usage: go_module.py --root ROOT --version VERSION --date SECONDS --out FOLDER

The files are those of bindings/go that the repository has, and the licence, as Go takes them from a tag.
"""
import argparse
import datetime
import json
import pathlib
import re
import subprocess
import zipfile


def escaped(module):
    """Capitals are written as ! and the small letter."""
    return re.sub("[A-Z]", lambda letter: "!" + letter[0].lower(), module)


def files(root, folder):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--", folder], capture_output=True, check=False)
    names = [root / name for name in listed.stdout.decode().split("\0") if name]
    # Outside of git, as in an archive of the sources, everything is of the module.
    names = names or [path for path in (root / folder).rglob("*") if path.is_file()]
    found = {path.relative_to(root / folder).as_posix(): path for path in names if path.is_file() and not path.is_symlink()}
    return found | {"LICENSE": root / "LICENSE"}


def write_zip(target, prefix, contents, date):
    moment = datetime.datetime.fromtimestamp(date, datetime.timezone.utc).timetuple()[:6]
    with zipfile.ZipFile(target, "w") as archive:
        for name, path in sorted(contents.items()):
            entry = zipfile.ZipInfo(f"{prefix}/{name}", moment)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, path.read_bytes(), compresslevel=9)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--date", type=int, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    root, version = arguments.root.resolve(), f"v{arguments.version}"
    description = (root / "bindings/go/go.mod").read_text(encoding="utf-8")
    module = re.search(r"^module (\S+)$", description, re.MULTILINE)[1]
    contents = files(root, module.removeprefix("github.com/gpustream/gpustream/"))
    if "go.mod" not in contents or "gpustream.go" not in contents and "doc.go" not in contents:
        raise SystemExit(f"{module}: go.mod and the package's documentation are not among {len(contents)} files")
    place = arguments.out / escaped(module) / "@v"
    place.mkdir(parents=True)
    (place / "list").write_text(f"{version}\n")
    time = datetime.datetime.fromtimestamp(arguments.date, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    (place / f"{version}.info").write_text(json.dumps({"Version": version, "Time": time}) + "\n")
    (place / f"{version}.mod").write_text(description, encoding="utf-8")
    write_zip(place / f"{version}.zip", f"{module}@{version}", contents, arguments.date)


if __name__ == "__main__":
    main()
