# SPDX-License-Identifier: Apache-2.0
"""Keeps what a release consists of: digests and ABI, in packaging/releases.

usage: record_release.py ROOT

A version is recorded once: what was published does not change.
"""
import pathlib
import re
import shutil
import sys

from version import version

DIGEST = re.compile(r"^[0-9a-f]{64}  \S.*$")


def main():
    root = pathlib.Path(sys.argv[1])
    number = version(root)
    sums = root / "dist/SHA256SUMS"
    if not sums.is_file():
        print("there is no dist/SHA256SUMS: run scripts/package first", file=sys.stderr)
        return 1
    lines = sums.read_text(encoding="utf-8").splitlines()
    if not lines or not all(DIGEST.match(line) for line in lines):
        print(f"{sums} is not a list of digests", file=sys.stderr)
        return 1
    folder = root / "packaging/releases"
    kept = folder / f"{number}.sha256"
    if kept.exists():
        same = kept.read_text(encoding="utf-8").splitlines() == lines
        print(f"{number} is recorded already, {'with the same digests' if same else 'with OTHER digests'}", file=sys.stderr)
        return 0 if same else 1
    kept.write_text("\n".join(lines) + "\n", encoding="utf-8")
    shutil.copyfile(root / "tests/abi/baseline/gpustream-0.json", folder / f"{number}.abi.json")
    print(f"{number}: {len(lines)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
