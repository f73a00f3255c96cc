# SPDX-License-Identifier: Apache-2.0
"""Checks that the pages cite only what is in the tree: relative links, and paths in code, quoted or in a block.

usage: check_paths.py ROOT

A path begins with a folder of the tree, such as `src/base/status.hpp` or `tests/gpu`, and is looked up from the
root and from the page's folder; `*` stands for any characters. docs/results holds recorded output and may name what existed then.
"""

import pathlib
import re

from command_line import run
from pages import pages

LINK = re.compile(r"\]\(([^)\s]+)\)")
QUOTED = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"(?:\./)?([A-Za-z0-9_.*-]+(?:/[A-Za-z0-9_.*-]+)*/?)")
ANCHOR = re.compile(r"^#+ +(.+?)\s*$", re.MULTILINE)
# What a build or a user makes: not in the tree, and pages may name it.
MADE = re.compile(r"build.*|dist|out|target")


def anchors(text):
    """The anchors that a renderer makes of the page's headings."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in ANCHOR.findall(FENCE.sub("", text))}


def broken_links(root, page, text):
    for target in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (root / page).parent / name if name else root / page
        if not path.exists():
            yield f"{page}: the link {target} leads nowhere"
        elif anchor and path.suffix == ".md" and anchor not in anchors(path.read_text()):
            yield f"{page}: {name or page} has no heading for #{anchor}"


def broken_paths(root, page, text):
    folders = {path.name for path in root.iterdir() if path.is_dir() and not path.name.startswith(".") and not MADE.fullmatch(path.name)}
    for quoted in QUOTED.findall(FENCE.sub("", text)) + FENCE.findall(text):
        for word in quoted.split():
            match = PATH.fullmatch(word.rstrip(",;:"))
            if not match or match[1].split("/")[0] not in folders or "/" not in match[1]:
                continue
            name = match[1].rstrip("/")
            made = any(MADE.fullmatch(part) for part in name.split("/"))
            if not made and not any(any(folder.glob(name)) for folder in (root, (root / page).parent)):
                yield f"{page}: `{name}` is not in the tree"


def check(root):
    """Returns one line per defect."""
    defects = []
    for page in pages(root):
        if page.parent == pathlib.Path("docs/results") and page.name != "README.md":
            continue
        text = (root / page).read_text()
        defects += [*broken_links(root, page, text), *broken_paths(root, page, text)]
    return defects


if __name__ == "__main__":
    run(check, __doc__)
