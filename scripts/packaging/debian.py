# SPDX-License-Identifier: Apache-2.0
"""Makes the .deb files of one processor from a staged /usr and the debug files of the step library.

usage: debian.py --root ROOT --staged FOLDER --debug FOLDER --version VERSION --machine x86_64|aarch64 --date SECONDS --out FOLDER

The library is the one of all packages, built for glibc 2.17, so one .deb serves every release of Debian and Ubuntu since.
Debian's own packages would be built from source by a debian/ folder; these are the project's.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import tempfile
import tomllib

from debian_tree import Release, compressed, control, documents, move, permissions


def numbers(version):
    return tuple(int(part) for part in version.split("."))


def nodes(release):
    """The names of the version nodes, with the text of each."""
    map_text = (release.root / "src/gpustream.map").read_text(encoding="utf-8")
    return dict(re.findall(r"^(GPUSTREAM_[0-9.]+) \{(.*?)\}", map_text, re.MULTILINE | re.DOTALL))


def symbols(release):
    """For dpkg-shlibdeps of packages that use the library: which version each function asks for; from the linker map.

    What is new stands in the node of the next minor release, and until that one, this version is the first to have it.
    """
    lines = ["libgpustream.so.0 libgpustream0 #MINVER#", "* Build-Depends-Package: libgpustream-dev"]
    for node, body in nodes(release).items():
        since = node.removeprefix("GPUSTREAM_")
        if numbers(since) > numbers(release.version):
            since = release.version
        lines += [f" {name}@{node} {since}" for name in re.findall(r"\b(gs_\w+);", body)]
    return "\n".join(lines[:2] + sorted(lines[2:])) + "\n"


def library_control(release, folder):
    (folder / "DEBIAN/symbols").write_text(symbols(release))
    (folder / "DEBIAN/shlibs").write_text(f"libgpustream 0 libgpustream0 (>= {release.version})\n")
    (folder / "DEBIAN/triggers").write_text("activate-noawait ldconfig\n")


def debug_package(release, name, files, out):
    """NAME-dbgsym: debug files by build id, where gdb looks for them."""
    with tempfile.TemporaryDirectory() as temporary:
        folder, ids = pathlib.Path(temporary), []
        for file in files:
            # The status only says whether it knows the types of all notes.
            shown = subprocess.run(["readelf", "-nW", file], capture_output=True, text=True).stdout
            build_id = re.search(r"Build ID: ([0-9a-f]{40})", shown)[1]
            place = folder / "usr/lib/debug/.build-id" / build_id[:2] / f"{build_id[2:]}.debug"
            place.parent.mkdir(parents=True)
            shutil.copy(file, place)
            ids.append(build_id)
        document = folder / "usr/share/doc"
        document.mkdir(parents=True)
        (document / f"{name}-dbgsym").symlink_to(name)
        fields = {"Section": "debug", "Multi-Arch": "same", "Depends": f"{name} (= {release.revision})",
                  "Auto-Built-Package": "debug-symbols", "Build-Ids": " ".join(sorted(ids)), "Description": f"debug symbols for {name}"}
        control(release, f"{name}-dbgsym", fields, "", folder)
        pack(release, f"{name}-dbgsym", folder, out)


def pack(release, name, folder, out):
    permissions(folder)
    target = out / f"{name}_{release.revision}_{release.architecture}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", folder, target], check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("root", "staged", "debug", "out"):
        parser.add_argument(f"--{option}", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--machine", required=True)
    parser.add_argument("--date", type=int, required=True)
    arguments = parser.parse_args()
    release = Release(arguments.root, arguments.version, arguments.machine, arguments.date)
    described = tomllib.loads((release.root / "packaging/debian/packages.toml").read_text(encoding="utf-8"))
    for name, package in described.items():
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            move(arguments.staged, [release.fill(pattern) for pattern in package["files"]], folder)
            documents(release, name, folder)
            if name == "gpustream":
                manual = (release.root / "packaging/debian/gpustream.1").read_text(encoding="utf-8")
                compressed(folder / "usr/share/man/man1/gpustream.1.gz", manual.replace("@VERSION@", release.version))
            fields = {"Section": package["section"], "Multi-Arch": package["multi-arch"], "Depends": package["depends"],
                      "Suggests": package.get("suggests"), "Description": package["summary"]}
            control(release, name, fields, package["text"], folder)
            if name == "libgpustream0":
                library_control(release, folder)
            pack(release, name, folder, arguments.out)
    left = [str(path.relative_to(arguments.staged)) for path in arguments.staged.rglob("*") if not path.is_dir() or path.is_symlink()]
    if left:
        raise SystemExit(f"staged, but in no package: {', '.join(left)}")
    debug_package(release, "libgpustream0", [arguments.debug / f"{name}.so.0.debug" for name in ("libgpustream", "libgpustream_tools")], arguments.out)
    debug_package(release, "gpustream", [arguments.debug / "gpustream.debug"], arguments.out)


if __name__ == "__main__":
    main()
