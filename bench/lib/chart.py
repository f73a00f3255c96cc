# SPDX-License-Identifier: Apache-2.0
"""A bar chart on a logarithmic scale, as SVG: one group for each call, one bar for each library, in as many columns as make it
fit a screen."""
import math
from html import escape

from lib.results import LABELS, Key

COLOURS = {"gpustream": "#0b7a75", "driver": "#7a7f87", "runtime": "#b8860b", "torch": "#c0392b"}
LEFT, RIGHT, TOP, BAR, GAP = 250, 90, 70, 13, 11
COLUMN, TALLEST = 720, 640  # the width of a column, the height of its bars


def text(x, y, content, anchor="start", size=12, colour="#1c2024", weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}" '
            f'font-weight="{weight}">{escape(content)}</text>')


class Scale:
    def __init__(self, values):
        self.low = 10 ** math.floor(math.log10(max(min(values), 0.1)))
        self.high = 10 ** math.ceil(math.log10(max(values) * 1.0001))

    def x(self, value, column=0):
        share = math.log10(max(value, self.low) / self.low) / math.log10(self.high / self.low)
        return column * COLUMN + LEFT + share * (COLUMN - LEFT - RIGHT)

    def decades(self):
        value = self.low
        while value <= self.high * 1.0001:
            yield value
            value *= 10


def groups_of(results, threads):
    """[(label, [(library, summary)])] for the calls that at least one library answered."""
    groups = []
    for call, state in results.rows():
        bars = [(name, results.summary(Key(call, state, name, threads))) for name in results.libraries()]
        bars = [(name, summary) for name, summary in bars if summary]
        if bars:
            groups.append((call if state == "idle" else f"{call} ({state} stream)", bars))
    return groups


def legend(results):
    parts, x = [], LEFT
    for name in results.libraries():
        parts.append(f'<rect x="{x}" y="38" width="12" height="12" fill="{COLOURS[name]}"/>')
        parts.append(text(x + 18, 48, LABELS[name]))
        x += 28 + 8 * len(LABELS[name])
    return parts


def height_of(groups):
    return sum(BAR * len(bars) + GAP for _, bars in groups)


def columns_of(groups):
    """The groups in columns of about the same height, none above the tallest unless it is one group."""
    share = height_of(groups) / math.ceil(height_of(groups) / TALLEST)
    columns = [[]]
    for group in groups:
        if columns[-1] and height_of([*columns[-1], group]) > share + height_of([group]) / 2:
            columns.append([])
        columns[-1].append(group)
    return columns


def column_of(groups, column, scale, bottom):
    """The axis and the bars of one column."""
    body, left, y = [], column * COLUMN + LEFT, TOP
    for value in scale.decades():
        x = scale.x(value, column)
        body.append(f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{bottom}" stroke="#d9dce0"/>')
        body.append(text(x, bottom + 16, f"{value:,.0f} ns", anchor="middle", size=11, colour="#5b616a"))
    for label, bars in groups:
        body.append(text(left - 10, y + BAR * len(bars) / 2 + 4, label, anchor="end"))
        for name, summary in bars:
            end = scale.x(summary.median, column)
            body.append(f'<rect x="{left}" y="{y + 1}" width="{max(end - left, 1):.1f}" height="{BAR - 2}" '
                        f'fill="{COLOURS[name]}"/>')
            low, high, middle = scale.x(summary.p10, column), scale.x(summary.p90, column), y + BAR / 2
            body.append(f'<line x1="{low:.1f}" y1="{middle}" x2="{high:.1f}" y2="{middle}" stroke="#1c2024"/>')
            body.append(text(max(high, end) + 5, y + BAR - 3, f"{summary.median:,.1f}", size=10, colour="#3b4048"))
            y += BAR
        y += GAP
    return body


def draw(results, threads, title):
    """The chart; None if the results lack that number of threads."""
    groups = groups_of(results, threads)
    if not groups:
        return None
    scale = Scale([summary.median for _, bars in groups for _, summary in bars])
    columns = columns_of(groups)
    bottom = TOP + max(height_of(column) for column in columns)
    width, height = max(COLUMN * len(columns), 960), bottom + 34
    body = [text(16, 24, title, size=16, weight="600")] + legend(results)
    for number, column in enumerate(columns):
        body += column_of(column, number, scale, bottom)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'font-family="system-ui, sans-serif"><rect width="100%" height="100%" fill="#ffffff"/>\n'
            + "\n".join(body) + "\n</svg>\n")
