# SPDX-License-Identifier: Apache-2.0
"""Checks docs/results: names that say what, where and when; an index; and that each file is cited.

usage: check_results.py ROOT

A file is cited by a page outside docs/results that contains its name. Charts and raw data may be cited by a results page
instead, as long as that page is cited itself.
"""

import pathlib
import re

from command_line import run
from pages import pages

NAME = re.compile(r"\d{4}-\d{2}-\d{2}-(?P<place>[a-z0-9]+)-[a-z0-9-]+\.(md|txt|svg|json\.gz)")
PLACE = re.compile(r"^\| `([a-z0-9]+)` \|", re.MULTILINE)
LINK = re.compile(r"\]\(([^)/#]+)\)")
ATTACHMENTS = (".svg", ".gz")


def check(root):
    """Returns one line per defect."""
    folder = root / "docs" / "results"
    index = (folder / "README.md").read_text()
    places, linked = set(PLACE.findall(index)), set(LINK.findall(index))
    files = sorted(path.name for path in folder.iterdir() if path.name != "README.md")
    others = "\n".join((root / page).read_text() for page in pages(root) if page.parent != pathlib.Path("docs/results"))
    cited = {name for name in files if name in others}
    shown = "\n".join((folder / name).read_text() for name in cited if name.endswith(".md"))
    cited |= {name for name in files if name.endswith(ATTACHMENTS) and name in shown}

    defects = [f"docs/results/README.md links {name}, which does not exist" for name in sorted(linked - set(files))]
    for name in files:
        match = NAME.fullmatch(name)
        if not match:
            defects.append(f"docs/results/{name}: the name is not <date>-<place>-<what>.<md, txt, svg or json.gz>")
        elif match["place"] not in places:
            defects.append(f"docs/results/{name}: docs/results/README.md does not describe the place '{match['place']}'")
        if name not in linked:
            defects.append(f"docs/results/{name}: docs/results/README.md does not list it")
        if name not in cited:
            defects.append(f"docs/results/{name}: no page cites it")
    return defects


if __name__ == "__main__":
    run(check, __doc__)
