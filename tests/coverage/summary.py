#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines and branches per file from gcovr's JSON, the worst file first; fails below the bounds.

usage: summary.py FILE --lines PERCENT --branches PERCENT
"""
import argparse
import json
import sys


def counts(file):
    """(lines, lines reached, branches, branches taken)"""
    lines, branches = {}, {}
    for line in file["lines"]:
        if line.get("gcovr/excluded") or line.get("gcovr/noncode"):
            continue
        number = line["line_number"]
        # A line of a template or of a function that was compiled in two ways occurs once per function.
        lines[number] = lines.get(number, 0) + line["count"]
        for place, branch in enumerate(line.get("branches", [])):
            if branch.get("gcovr/excluded") or branch.get("throw"):
                continue
            key = (number, place)
            branches[key] = branches.get(key, 0) + branch["count"]
    return len(lines), sum(map(bool, lines.values())), len(branches), sum(map(bool, branches.values()))


def percent(part, whole):
    return 100 * part / whole if whole else 100


def table(rows):
    """The files by what they miss, and the sums; rows: name -> counts."""
    def missed(name):
        lines, reached, branches, taken = rows[name]
        return -(lines - reached + branches - taken), name

    text = [f"{'file':50} {'lines':>6} {'missed':>6} {'%':>6}  {'branches':>8} {'missed':>6} {'%':>6}"]
    sums = tuple(map(sum, zip(*rows.values())))
    for name, (lines, reached, branches, taken) in [(name, rows[name]) for name in sorted(rows, key=missed)] + [("all", sums)]:
        text.append(f"{name:50} {lines:6} {lines - reached:6} {percent(reached, lines):6.1f}  "
                    f"{branches:8} {branches - taken:6} {percent(taken, branches):6.1f}")
    return "\n".join(text), sums


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--lines", type=float, required=True)
    parser.add_argument("--branches", type=float, required=True)
    arguments = parser.parse_args()
    with open(arguments.file, encoding="utf-8") as stream:
        files = json.load(stream)["files"]
    rows = {file["file"]: counts(file) for file in files}
    if not rows:
        sys.exit("no file was measured")
    text, (lines, reached, branches, taken) = table(rows)
    print(text)
    status = 0
    for what, found, wanted in (("lines", percent(reached, lines), arguments.lines), ("branches", percent(taken, branches), arguments.branches)):
        enough = found >= wanted
        print(f"{what}: {found:.2f} %, at least {wanted:g} %: {'enough' if enough else 'NOT ENOUGH'}")
        status = status if enough else 1
    return status


if __name__ == "__main__":
    sys.exit(main())
