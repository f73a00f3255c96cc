#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines and branches per file from gcov's counters, the worst file first; fails below the bounds.

usage: summary.py BUILD --lines PERCENT --branches PERCENT [--folder src] [--missed FILE]
"""
import argparse
import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import counters  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def percent(part, whole):
    return 100 * part / whole if whole else 100


def rows_of(root, found):
    """file -> (lines, reached, branches, taken), and a text line for each line that misses something."""
    rows, missed = {}, []
    for name, lines in sorted(found.items()):
        text = (root / name).read_text()
        source = text.splitlines()
        sums = [0, 0, 0, 0]
        for number, reached, branches in counters.judge(text, lines):
            for place, value in enumerate((1, reached, len(branches), sum(branches))):
                sums[place] += value
            if not reached or not all(branches):
                what = "never reached" if not reached else f"{len(branches) - sum(branches)} of {len(branches)} branches"
                missed.append(f"{name}:{number}: {what}: {source[number - 1].strip()}")
        rows[name] = tuple(sums)
    return rows, missed


def table(rows):
    """The files by what they miss, and the sums."""
    def miss(name):
        lines, reached, branches, taken = rows[name]
        return -(lines - reached + branches - taken), name

    text = [f"{'file':50} {'lines':>6} {'missed':>6} {'%':>6}  {'branches':>8} {'missed':>6} {'%':>6}"]
    sums = tuple(map(sum, zip(*rows.values())))
    for name, (lines, reached, branches, taken) in [(name, rows[name]) for name in sorted(rows, key=miss)] + [("all", sums)]:
        text.append(f"{name:50} {lines:6} {lines - reached:6} {percent(reached, lines):6.1f}  "
                    f"{branches:8} {branches - taken:6} {percent(taken, branches):6.1f}")
    return "\n".join(text), sums


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--folder", default="src")
    parser.add_argument("--lines", type=float, required=True)
    parser.add_argument("--branches", type=float, required=True)
    parser.add_argument("--missed", type=Path, help="a file for the lines that miss something")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    found = counters.collect(arguments.build.resolve(), root, arguments.folder, os.cpu_count())
    rows, missed = rows_of(root, found)
    if not rows:
        sys.exit("no file was measured")
    if arguments.missed:
        arguments.missed.write_text("\n".join(missed) + "\n")
    text, (lines, reached, branches, taken) = table(rows)
    print(text)
    status = 0
    for what, share, wanted in (("lines", percent(reached, lines), arguments.lines),
                                ("branches", percent(taken, branches), arguments.branches)):
        enough = share >= wanted
        print(f"{what}: {share:.2f} %, at least {wanted:g} %: {'enough' if enough else 'NOT ENOUGH'}")
        status = status if enough else 1
    return status


if __name__ == "__main__":
    sys.exit(main())
