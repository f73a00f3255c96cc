# SPDX-License-Identifier: Apache-2.0
"""The project's own prose rules (prose_rules.toml), applied to the lines of a text."""

import re
import tomllib
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

RULES = Path(__file__).with_name("prose_rules.toml")
# The mark that begins a comment or a docstring line, in every language of the tree. A bare "*" continues a block comment.
COMMENT = re.compile(r"""^\s*(?P<mark>/\*\*?!?<?|///?[/!]?<?|\#+|![<>]?|[rRuUbB]{0,2}\"\"\"|\*(?!/))\s?(?P<text>.*?)\s*(\*/)?\s*$""")


@dataclass(frozen=True)
class Rule:
    name: str
    where: str
    pattern: re.Pattern
    advice: str
    bad: tuple
    good: tuple


@dataclass(frozen=True)
class Finding:
    line: int
    rule: Rule
    text: str

    def __str__(self):
        return f"{self.line}: {self.rule.name}: '{self.text}': {self.rule.advice}"


def read_rules(path=RULES):
    """Returns the rules of a file; a rule without a fixture or with an unknown `where` is an error."""
    rules = []
    for entry in tomllib.loads(path.read_text(encoding="utf-8"))["rule"]:
        if entry["where"] not in ("text", "brief") or not entry["bad"] or not entry["good"]:
            raise ValueError(f"{path.name}: rule '{entry['name']}' needs where = text or brief, a bad line and a good one")
        rules.append(Rule(entry["name"], entry["where"], re.compile(entry["pattern"], re.IGNORECASE if entry["where"] == "text" else 0),
                          entry["advice"], tuple(entry["bad"]), tuple(entry["good"])))
    return rules


def briefs(lines):
    """Yields (line number, text) for the first line with text of every comment and docstring."""
    inside = False  # in a comment whose first text has been seen
    for number, line in enumerate(lines, 1):
        match = COMMENT.match(line)
        if not match:
            inside = False
        elif match["mark"].startswith(("/*", '"', "r", "R")) or not inside:
            # The licence stands above the brief of a file.
            inside = bool(match["text"]) and not match["text"].startswith("SPDX-License-Identifier")
            if inside:
                yield number, match["text"]


def check(text, rules):
    """Returns the findings of a text, in the order of its lines."""
    lines = text.splitlines()
    found = [Finding(number, rule, match.group()) for number, line in briefs(lines) for rule in rules if rule.where == "brief"
             for match in rule.pattern.finditer(line)]
    # The lines without their comment marks, in one: a line's end may divide a phrase.
    flat, starts, length = [], [], 0
    for line in lines:
        match = COMMENT.match(line)
        flat.append(match["text"] if match else line.strip())
        starts.append(length)
        length += len(flat[-1]) + 1
    joined = " ".join(flat)
    found += [Finding(bisect_right(starts, match.start()), rule, match.group()) for rule in rules if rule.where == "text"
              for match in rule.pattern.finditer(joined)]
    return sorted(found, key=lambda finding: finding.line)
