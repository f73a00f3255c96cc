# SPDX-License-Identifier: Apache-2.0
"""Splits a C header into its top-level items, each with the documentation comment right above it."""
import re
from dataclasses import dataclass


class HeaderError(Exception):
    """The header does not follow its own rules. The reader adds the line and the file."""

    def __init__(self, text, line=0, file=""):
        super().__init__(f"{file}: line {line}: {text}" if file else text)
        self.text, self.line, self.file = text, line, file


@dataclass(frozen=True)
class Item:
    kind: str  # "section", "macro" or "declaration"
    text: str  # title, "NAME VALUE", or the declaration without its semicolon; comments inside are kept
    comment: str | None  # what stands between /** and */ right above
    line: int


SECTION = re.compile(r"/\* -{4} (.+?) -+ \*/")


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def end_of_declaration(text, start):
    """The offset of the semicolon that ends a declaration; braces and comments are stepped over."""
    depth, at = 0, start
    while at < len(text):
        if text.startswith("/*", at):
            at = text.index("*/", at) + 1
        elif text[at] in "{}":
            depth += 1 if text[at] == "{" else -1
        elif text[at] == ";" and depth == 0:
            return at
        at += 1
    raise HeaderError("a declaration does not end", text.count("\n", 0, start) + 1)


def items_of(text):
    """The items in their order. Conditional directives and linkage blocks are skipped."""
    items, at, comment = [], 0, None
    while at < len(text):
        line = text.count("\n", 0, at) + 1
        if text[at].isspace():
            at += 1
        elif text.startswith("/*", at):
            end = text.index("*/", at) + 2
            section = SECTION.fullmatch(text[at:end])
            if section:
                items.append(Item("section", section.group(1), None, line))
            comment = text[at + 3 : end - 2] if text.startswith("/**", at) else None
            at = end
        elif text[at] == "#":
            end = re.compile(r"(?<!\\)(?:\n|$)").search(text, at).start()
            define = re.match(r"#define\s+(.+)", text[at:end].replace("\\\n", " "))
            if define:
                items.append(Item("macro", define.group(1).strip(), comment, line))
            comment, at = None, end
        elif linkage := re.compile(r'extern\s+"C"\s*\{|\}').match(text, at):
            comment, at = None, linkage.end()
        else:
            end = end_of_declaration(text, at)
            items.append(Item("declaration", text[at:end].strip(), comment, line))
            comment, at = None, end + 1
    return items
