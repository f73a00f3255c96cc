#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the results of a Criterion run as a table.

    table.py DIR        DIR: CRITERION_HOME of the run, or <target>/criterion
"""
import json
import sys
from pathlib import Path

COLUMNS = ["c", "gpustream", "cudarc"]


def read(folder):
    """Returns {call: {column: nanoseconds}}, the medians of Criterion's samples."""
    table = {}
    for path in sorted(folder.glob("*/*/new/estimates.json")):
        call, column = path.parts[-4], path.parts[-3]
        table.setdefault(call, {})[column] = json.loads(path.read_text())["median"]["point_estimate"]
    return table


def main(folder):
    table = read(Path(folder))
    if not table:
        sys.exit(f"table.py: no results in {folder}")
    print("| call | " + " | ".join(COLUMNS) + " | gpustream − c |")
    print("|---|" + "---:|" * (len(COLUMNS) + 1))
    for call, row in table.items():
        cells = [f"{row[column]:.1f}" if column in row else "–" for column in COLUMNS]
        extra = f"{row['gpustream'] - row['c']:+.1f}" if {"c", "gpustream"} <= row.keys() else "–"
        print(f"| {call.replace('_', ' ')} | " + " | ".join(cells) + f" | {extra} |")
    print("\nNanoseconds, median.")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
