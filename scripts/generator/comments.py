# SPDX-License-Identifier: Apache-2.0
"""The documentation comment of a function, taken apart: summary, further paragraphs, and tags in their order."""
import re

TAG = re.compile(r"^\\(\w+)(\[[a-z,]+\])?\s*(.*)$")
# Fields of the template after the parameters, in their order.
FIELDS = ["return", "blocking", "cost", "threadsafety", "ownership", "backends", "since"]
# What holds where a comment says nothing else; the header's paragraph "Defaults" states it once.
DEFAULTS = {"blocking": "no", "threadsafety": "any thread.", "ownership": "none.", "backends": "same.", "since": "0.1"}


def plain(comment):
    """The text of a comment on one line."""
    return " ".join(re.sub(r"^\s*\*? ?", "", line).strip() for line in (comment or "").splitlines()).strip()


class Comment:
    """summary and order are lists of paragraphs; tags are [name, direction, text]; documented are the parameters."""

    def __init__(self, comment):
        self.there = comment is not None
        self.tags, self.documented, self.fields = [], [], {}
        paragraphs, tag = [""], None
        for line in (comment or "").splitlines():
            line = re.sub(r"^\s*\*? ?", "", line).strip()
            found = TAG.match(line)
            if found and found.group(1) != "par":
                tag = [found.group(1), found.group(2) or "", found.group(3)]
                self.tags.append(tag)
            elif tag:
                tag[2] = f"{tag[2]} {line}".strip()
            elif not line:
                paragraphs.append("")
            else:
                paragraphs[-1] = f"{paragraphs[-1]} {line}".strip()
        paragraphs = [text for text in paragraphs if text]
        self.summary, self.order = paragraphs[:1], paragraphs[1:]
        for name, direction, text in self.tags:
            if name == "param":
                parameter, _, rest = text.partition(" ")
                self.documented.append((parameter, direction, rest.strip()))
            else:
                self.fields.setdefault(name, text)
        self.restated = [name for name, text in DEFAULTS.items() if self.fields.get(name) == text]
        if self.there:
            self.fields = {**DEFAULTS, **self.fields}
