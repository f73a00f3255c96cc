#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Renders pictures by rsvg-convert, and looks at the pixels.

usage: check_rendered.py FILE.svg...

A picture that does not render is wrong, and so is one with too much blank space: what is drawn reaches over three quarters of the
width and of the height, and of twenty strips of each, more than ten have something. Each text lies in the picture, touches no other
text, and has one colour behind it but for lines: where a bar ends, its label does too.
"""
import collections
import itertools
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zlib

PARTS = 20
MARGIN = 200  # where texts that leave the picture are found
SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {SVG + name for name in ("rect", "path", "line", "polyline", "polygon", "circle", "ellipse")}
KEPT = {SVG + "defs", SVG + "marker"}


class Unreadable(Exception):
    pass


def rendered(svg, *options):
    done = subprocess.run(["rsvg-convert", *options], input=svg, capture_output=True)
    if done.returncode or done.stderr:
        raise Unreadable(done.stderr.decode().strip() or f"rsvg-convert ended with {done.returncode}")
    return list(rows_of(done.stdout))


def rows_of(png):
    """The rows, as RGBA, of a picture with eight bits per channel, as rsvg-convert writes it."""
    position, data, width, height, channels = 8, b"", 0, 0, 0
    while position < len(png):
        size, kind = struct.unpack(">I4s", png[position : position + 8])
        body = png[position + 8 : position + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            channels = {(8, 2): 3, (8, 6): 4}[depth, colour]  # without alpha where all is opaque
        elif kind == b"IDAT":
            data += body
        position += 12 + size
    data, before, stride = zlib.decompress(data), bytearray(channels * width), channels * width
    for y in range(height):
        at = y * (stride + 1)
        row = bytearray(data[at + 1 : at + 1 + stride])
        unfilter(data[at], row, before, channels)
        before = row
        if channels == 3:
            row = bytearray(b"\xff" * 4 * width)
            for channel in range(3):
                row[channel::4] = before[channel::3]
        yield row


def unfilter(kind, row, above, step):
    if kind == 1:
        for channel in range(step):
            row[channel::step] = bytes(value & 255 for value in itertools.accumulate(row[channel::step]))
    elif kind == 2:
        row[:] = bytes(one + over & 255 for one, over in zip(row, above))
    elif kind and (any(row) or any(above)):
        for i in range(len(row)):
            left, over, corner = (row[i - step], above[i], above[i - step]) if i >= step else (0, above[i], 0)
            near = min((left, over, corner), key=lambda one: abs(left + over - corner - one)) if kind == 4 else (left + over) // 2
            row[i] = (row[i] + near) & 255


def drawn(rows):
    """The columns and the rows that have a pixel of another colour than the corner."""
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


def without(root, names):
    for parent in root.iter():
        if parent.tag not in KEPT:
            for child in [one for one in parent if one.tag in names]:
                parent.remove(child)


def colour_of(number):
    """Of six bits each, so that a mixture of two is hardly ever a third one."""
    if number >= 4096:
        raise Unreadable("more texts than there are colours for")
    return number & 63, number >> 6, (number * 37 ^ number >> 6) & 63


def text_boxes(svg):
    """Where the texts are, in pixels of the picture: each is drawn alone, in a colour of its own."""
    root = ElementTree.fromstring(svg)
    left, top, width, height = map(float, root.get("viewBox").split())
    root.set("viewBox", f"{left - MARGIN} {top - MARGIN} {width + 2 * MARGIN} {height + 2 * MARGIN}")
    root.set("width", str(width + 2 * MARGIN))
    root.set("height", str(height + 2 * MARGIN))
    without(root, SHAPES)
    texts = [node for node in root.iter(SVG + "text") if "".join(node.itertext()).strip()]
    colours = {colour_of(number): number for number in range(len(texts))}
    for node, colour in zip(texts, colours):
        node.set("fill", "rgb({},{},{})".format(*(4 * part + 2 for part in colour)))
    boxes = [None] * len(texts)
    for y, row in enumerate(rendered(ElementTree.tostring(root))):
        for x in range(0, len(row) if any(row) else 0, 4):
            number = colours.get(tuple(part >> 2 for part in row[x : x + 3])) if row[x + 3] >= 128 else None
            if number is not None:
                at, box = x // 4, boxes[number] or (x // 4, y, x // 4, y)
                boxes[number] = (min(box[0], at), min(box[1], y), max(box[2], at), max(box[3], y))
    found = [box and tuple(side - MARGIN for side in box) for box in boxes]
    return [("".join(node.itertext()), box) for node, box in zip(texts, found)], width, height


def is_crossed(rows, box, scale):
    """Whether what is behind a box has more than one colour; a thin line has not."""
    left, top, right, bottom = (max(int(side * scale), 0) for side in box)
    pixels = [bytes(row[4 * x : 4 * x + 4]) for row in rows[top : bottom + 1] for x in range(left, min(right + 1, len(row) // 4))]
    common = collections.Counter(pixels).most_common(1)[0][0]
    others = sum(sum(abs(a - b) for a, b in zip(one, common)) > 24 for one in pixels)
    return others > max(len(pixels) / 12, 2 * (bottom - top + 1))


def wrong_texts(svg):
    texts, width, height = text_boxes(svg)
    root = ElementTree.fromstring(svg)
    without(root, {SVG + "text"})
    behind = rendered(ElementTree.tostring(root), "--width", str(int(width / 2)), "--keep-aspect-ratio")
    for number, (text, box) in enumerate(texts):
        if box is None:
            yield f"{text!r} is not to be seen"
        elif box[0] < 0 or box[1] < 0 or box[2] >= width or box[3] >= height:
            yield f"{text!r} leaves the picture"
        elif is_crossed(behind, box, len(behind[0]) / 4 / width):
            yield f"{text!r} has more than one colour behind it"
        else:
            for other, second in texts[:number]:
                if second and min(box[2], second[2]) - max(box[0], second[0]) > 1 and min(box[3], second[3]) - max(box[1], second[1]) > 1:
                    yield f"{text!r} and {other!r} overlap"


def defects(svg):
    columns, width, lines, height = drawn(rendered(svg, "--width", "400", "--keep-aspect-ratio"))
    found = {"its width": blank(columns, width), "its height": blank(lines, height)}
    return [f"{what} {defect}" for what, defect in found.items() if defect] + list(wrong_texts(svg))


def main(*files):
    wrong = 0
    for file in files:
        with open(file, "rb") as source:
            svg = source.read()
        try:
            found = defects(svg)
        except Unreadable as error:
            found = [str(error)]
        for defect in found:
            print(f"{file}: {defect}")
        wrong += bool(found)
    print(f"{len(files)} pictures, {wrong} wrong")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
