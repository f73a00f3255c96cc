# SPDX-License-Identifier: Apache-2.0
"""Lines of Java in the style of the tree: four spaces, 120 columns, continuation lines eight spaces further in."""
from ..output import header

WIDTH = 120


def filled(indent, words, separator=" "):
    """The words on as few lines as they need."""
    lines, line = [], indent
    for word in words:
        if line.strip() and len(line) + len(separator) + len(word) > WIDTH:
            lines.append(line)
            line = indent
        line += f"{separator}{word}" if line.strip() else word
    return [*lines, line]


def listed(indent, head, items, tail):
    """`head(items)tail` on one line if it fits, else the items on lines of their own, filled."""
    one = f"{indent}{head}({', '.join(items)}){tail}"
    if len(one) <= WIDTH:
        return [one]
    words = [*(f"{item}," for item in items[:-1]), f"{items[-1]}){tail}"]
    return [f"{indent}{head}(", *filled(indent + " " * 8, words)]


def source(package, imports, body):
    """A whole file: its head, package, imports, body."""
    lines = [f"package {package};", ""]
    if imports:
        lines += [*(f"import {name};" for name in sorted(imports)), ""]
    return header("java") + "\n".join([*lines, *body]) + "\n"
