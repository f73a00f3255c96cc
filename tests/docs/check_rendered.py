#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Renders pictures by rsvg-convert, and looks at the pixels.

usage: check_rendered.py FILE.svg...

A picture that does not render is wrong, and so is one with too much blank space: what is drawn reaches over three quarters of the
width and of the height, and of twenty strips of each, more than ten have something.
"""
import struct
import subprocess
import sys
import zlib

PARTS = 20


def rows_of(png):
    """The rows of an RGBA picture with eight bits per channel, as rsvg-convert writes it."""
    position, data, width, height = 8, b"", 0, 0
    while position < len(png):
        size, kind = struct.unpack(">I4s", png[position : position + 8])
        body = png[position + 8 : position + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            if (depth, colour) != (8, 6):
                sys.exit(f"rsvg-convert wrote depth {depth} and colour type {colour}, not 8 and 6")
        elif kind == b"IDAT":
            data += body
        position += 12 + size
    data, before, stride = zlib.decompress(data), bytearray(4 * width), 4 * width
    for y in range(height):
        at = y * (stride + 1)
        row = bytearray(data[at + 1 : at + 1 + stride])
        unfilter(data[at], row, before)
        yield row
        before = row


def unfilter(kind, row, above):
    for i in range(len(row) if kind else 0):
        left, over, corner = (row[i - 4], above[i], above[i - 4]) if i >= 4 else (0, above[i], 0)
        near = min((left, over, corner), key=lambda one: abs(left + over - corner - one))
        row[i] = (row[i] + (0, left, over, (left + over) // 2, near)[kind]) & 255


def drawn(rows):
    """The columns and the rows that have a pixel of another colour than the corner."""
    rows = list(rows)
    ground = bytes(rows[0][:4])
    width = len(rows[0]) // 4
    lines = [y for y, row in enumerate(rows) if bytes(row) != ground * width]
    columns = [x for x in range(width) if any(rows[y][4 * x : 4 * x + 4] != ground for y in lines)]
    return columns, width, lines, len(rows)


def blank(marked, size):
    """What is wrong with one direction, or None."""
    if not marked or marked[-1] - marked[0] < 0.75 * size:
        return "is drawn on less than three quarters"
    parts = {place * PARTS // size for place in marked}
    return None if len(parts) > PARTS / 2 else f"has something in {len(parts)} of {PARTS} parts"


def main(*files):
    wrong = 0
    for file in files:
        done = subprocess.run(["rsvg-convert", "--width", "400", "--keep-aspect-ratio", file], capture_output=True)
        if done.returncode or done.stderr:
            defects = [done.stderr.decode().strip() or f"rsvg-convert ended with {done.returncode}"]
        else:
            columns, width, lines, height = drawn(rows_of(done.stdout))
            found = {"its width": blank(columns, width), "its height": blank(lines, height)}
            defects = [f"{what} {defect}" for what, defect in found.items() if defect]
        for defect in defects:
            print(f"{file}: {defect}")
        wrong += bool(defects)
    print(f"{len(files)} pictures, {wrong} wrong")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
