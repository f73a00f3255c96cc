# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/README.md links every page below docs, and that tests/README.md names every folder of tests.

usage: check_indexes.py ROOT

A folder with a README.md of its own needs a link to that only.
"""

import pathlib
import re

from command_line import run
from pages import pages

LINK = re.compile(r"\]\(([^)\s#]+)")
ROW = re.compile(r"^\| \[([^]/]+)\]\(\1\) \| *[^|\s]", re.MULTILINE)


def check(root):
    """Returns one line per defect."""
    index = root / "docs" / "README.md"
    linked = {(index.parent / target).resolve() for target in LINK.findall(index.read_text())}
    below = [page for page in pages(root) if page.parts[0] == "docs" and page != pathlib.Path("docs/README.md")]
    indexed = {page.parent for page in below if page.name == "README.md"}
    wanted = [page for page in below if page.name == "README.md" or page.parent not in indexed]
    defects = [f"docs/README.md does not link {page}" for page in wanted if (root / page).resolve() not in linked]

    folders = {path.name for path in (root / "tests").iterdir() if path.is_dir() and path.name != "__pycache__"}
    named = set(ROW.findall((root / "tests" / "README.md").read_text()))
    defects += [f"tests/README.md has no row for {name}" for name in sorted(folders - named)]
    defects += [f"tests/README.md has a row for {name}, which does not exist" for name in sorted(named - folders)]
    return defects


if __name__ == "__main__":
    run(check, __doc__)
