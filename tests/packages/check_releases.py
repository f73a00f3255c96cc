# SPDX-License-Identifier: Apache-2.0
"""Checks CHANGELOG.md and packaging/releases against each other and the header (docs/releasing.md).

usage: check_releases.py ROOT
"""
import json
import pathlib
import re
import sys

SECTION = re.compile(r"^## (.*)$", re.MULTILINE)
TITLE = re.compile(r"^(\d+)\.(\d+)\.(\d+) \((unreleased|\d{4}-\d{2}-\d{2})\), ABI (\d+)$")
DIGEST = re.compile(r"^[0-9a-f]{64}  \S.*$")


def header_version(root):
    text = (root / "include/gpustream.h").read_text(encoding="utf-8")
    return tuple(int(re.search(rf"^#define GS_VERSION_{part} (\d+)$", text, re.MULTILINE)[1]) for part in ("MAJOR", "MINOR", "PATCH"))


def header_abi(root):
    return re.search(r"^#define GS_ABI_VERSION (\d+)", (root / "include/gpustream.h").read_text(encoding="utf-8"), re.MULTILINE)[1]


def check_record(folder, number):
    sums, abi = folder / f"{number}.sha256", folder / f"{number}.abi.json"
    if not sums.is_file():
        yield f"{number} has a date but packaging/releases/{sums.name} is missing"
    elif not all(DIGEST.match(line) for line in sums.read_text(encoding="utf-8").splitlines()):
        yield f"packaging/releases/{sums.name} is not a list of digests"
    if not abi.is_file():
        yield f"{number} has a date but packaging/releases/{abi.name} is missing"
    else:
        try:
            json.loads(abi.read_text(encoding="utf-8"))
        except ValueError as error:
            yield f"packaging/releases/{abi.name}: {error}"


def findings(root):
    titles = SECTION.findall((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    folder = root / "packaging/releases"
    released, before = set(), None
    if not titles:
        yield "CHANGELOG.md has no section"
    for place, title in enumerate(titles):
        found = TITLE.match(title)
        if not found:
            yield f"CHANGELOG.md: '{title}' is not 'VERSION (unreleased or date), ABI NUMBER'"
            continue
        number = tuple(map(int, found.groups()[:3]))
        text = ".".join(map(str, number))
        if place == 0 and number != header_version(root):
            yield f"CHANGELOG.md begins with {text}, the header says {'.'.join(map(str, header_version(root)))}"
        if place == 0 and found[5] != header_abi(root):
            yield f"CHANGELOG.md begins with ABI {found[5]}, the header says {header_abi(root)}"
        if before and number >= before:
            yield f"CHANGELOG.md: {text} stands below {'.'.join(map(str, before))}"
        before = number
        if found[4] != "unreleased":
            released.add(text)
            yield from check_record(folder, text)
        elif place != 0:
            yield f"CHANGELOG.md: {text} is unreleased below a newer version"
    for path in sorted(folder.glob("*.sha256")):
        if path.stem not in released:
            yield f"packaging/releases/{path.name}: CHANGELOG.md has no such release"


def main():
    found = list(findings(pathlib.Path(sys.argv[1])))
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
