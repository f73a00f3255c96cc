# SPDX-License-Identifier: Apache-2.0
"""Checks that everything says the version of include/gpustream.h: what the tree states, and the packages in dist/.

usage: check_versions.py ROOT

What the tree states (Rust, Java, Python) is the job of tests/docs/check_metadata.py, which this runs. In packaging/ no
file states a version: @VERSION@ stands there. The packages in dist/ carry it in their names; there may be none.
"""
import pathlib
import re
import subprocess
import sys

from version import version

# A name with a version: gpustream-0.1.0-..., libgpustream0_0.1.0-1_amd64.deb, gpustream-jni-0.1.0.jar
NAMED = re.compile(r"^(?:lib)?gpustream[a-z0-9_-]*?[-_](\d+\.\d+\.\d+)(?=[-_.])")
STATED = re.compile(r"\bversion\b\D{0,8}(\d+\.\d+\.\d+)", re.IGNORECASE)
IGNORED = {"SHA256SUMS", "CMakeLists.txt"}
# The folders of dist/ in which each file's name contains the version; below java/ lies Maven's layout.
NAMING = {"c", "deb", "python", "rust", "java"}


def templates(root):
    for path in sorted((root / "packaging").rglob("*")):
        if path.is_file() and path.name not in IGNORED:
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                found = STATED.search(line)
                if found:
                    yield f"{path.relative_to(root)}:{number}: states the version {found[1]}; write @VERSION@"


def packages(root, wanted):
    dist = root / "dist"
    for path in sorted(dist.rglob("*")) if dist.is_dir() else ():
        # Recipes state it inside; package_recipes fills it in.
        place = path.relative_to(dist).parts[0]
        if path.is_file() and path.name not in IGNORED and (path.parent == dist or place in NAMING):
            found = NAMED.match(path.name)
            if not found:
                yield f"{path.relative_to(root)}: its name has no version"
            elif found[1] != wanted:
                yield f"{path.relative_to(root)}: is of version {found[1]}, not {wanted}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    wanted = version(root)
    found = [*templates(root), *packages(root, wanted)]
    for finding in found:
        print(finding)
    metadata = subprocess.run([sys.executable, root / "tests/docs/check_metadata.py", root]).returncode
    if not found and metadata == 0:
        print(f"all packages say {wanted}")
    return 1 if found or metadata else 0


if __name__ == "__main__":
    sys.exit(main())
