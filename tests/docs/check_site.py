#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/docs made is whole: each function of api/gpustream.json has a place on a page of the site and a page for man,
and no page of the site loads anything from elsewhere.

    check_site.py ROOT        looks into ROOT/build/docs
"""
import json
import re
import sys
from pathlib import Path

LOADED = re.compile(r'<(?:script|img|iframe)\b[^>]*\bsrc="(?:https?:)?//[^"]*"|<link\b[^>]*\bhref="(?:https?:)?//[^"]*"[^>]*>')
OWN = re.compile(r'rel="(?:canonical|prev|next)"')


def defects(root):
    built = root / "build/docs"
    functions = [one["name"] for one in json.loads((root / "api/gpustream.json").read_text(encoding="utf-8"))["functions"]]
    reference = "".join(page.read_text(encoding="utf-8") for page in (built / "site/docs/reference").glob("*.html"))
    for name in functions:
        if f'id="{name}"' not in reference:
            yield f"{name} has no place on the site"
        manual = built / f"man/man3/{name}.3"
        if not manual.is_file() or f"\n.Nm {name}\n" not in manual.read_text(encoding="utf-8"):
            yield f"{name} has no page for man"
    for page in sorted((built / "site").rglob("*.html")):
        for found in LOADED.findall(page.read_text(encoding="utf-8")):
            if not OWN.search(found):
                yield f"{page.relative_to(built)} loads {found}"
    if not functions:
        yield "api/gpustream.json describes no function"


def main():
    found = list(defects(Path(sys.argv[1])))
    print("\n".join(found) if found else "each function is on the site and has a page for man")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
