# SPDX-License-Identifier: Apache-2.0
"""The project's own prose rules (prose_rules.toml), applied to the lines of a text."""

import re
import tomllib
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

RULES = Path(__file__).with_name("prose_rules.toml")
# The mark that begins a comment or a docstring line, in every language of the tree. A bare "*" continues a block comment.
# A rule counts in one of these: all lines, the first line of a comment, one sentence of a comment, page or message.
PLACES = ("text", "brief", "sentence")
COMMENT = re.compile(r"""^\s*(?P<mark>/\*\*?!?<?|///?[/!]?<?|\#+|![<>]?|[rRuUbB]{0,2}\"\"\"|\*(?!/))\s?(?P<text>.*?)\s*(\*/)?\s*$""")


# What stands behind code in a line; a comment that begins another statement, or a string that has slashes, is none.
TRAILING = re.compile(r"[\s;{},)]//+[/!]?<?\s+(?P<text>[^\"]*)$")
LITERALS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
MESSAGE_WORDS = 4  # a literal with fewer is a name or a format
NEW_ITEM = re.compile(r"\s*([-*]|\d+\.) |\s*[\\@]\w+|-{4}|\s*\S+(\s\S+)*\s{3}")  # or a row of a table
C_LIKE = {".c", ".h", ".cpp", ".hpp", ".inc", ".i", ".java", ".rs", ".go", ".ts", ".mjs", ".zig", ".cu"}
USAGE = re.compile(r"\s{2,}\S*/\S|\s{6}")
SENTENCE_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+|;\s|\\n")  # a semicolon joins two
ASIDE = re.compile(r"\s\([^()]*\)|\"[^\"]*\"")
CODE_OR_LINK = re.compile(r"`[^`]*`|(?<=\])\([^)]*\)|<[^>]*>")


@dataclass(frozen=True)
class Rule:
    name: str
    where: str
    pattern: re.Pattern
    advice: str
    bad: tuple
    good: tuple
    most: int  # so many matches are right; of sentences only


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
        if entry["where"] not in PLACES or not entry["bad"] or not entry["good"]:
            raise ValueError(f"{path.name}: rule '{entry['name']}' needs where = text, brief or sentence, a bad line and a good one")
        rules.append(Rule(entry["name"], entry["where"], re.compile(entry["pattern"], re.IGNORECASE if entry["where"] != "brief" else 0),
                          entry["advice"], tuple(entry["bad"]), tuple(entry["good"]), entry.get("most", 0)))
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


def page_lines(lines):
    """Yields (line number, text) for the lines of a page. The text is None where a paragraph ends: at headings, cells and code."""
    in_code = False
    for number, line in enumerate(lines, 1):
        in_code ^= line.lstrip().startswith("```")
        if in_code or not line.strip() or line.lstrip().startswith(("#", "```")):
            yield number, None
        elif line.startswith("|"):
            for cell in line.strip("|").split("|"):
                yield from ((number, None), (number, cell))
            yield number, None
        else:
            yield number, line


def comment_lines(lines, c_like):
    """The same for the comments of a source file. A comment behind code is a paragraph; '#' begins no comment in C."""
    for number, line in enumerate(lines, 1):
        match = COMMENT.match(line)
        other = match and (USAGE.match(match["text"]) or match["text"].startswith("SPDX-License-Identifier"))
        if other or match and c_like and match["mark"].startswith("#"):
            yield number, None
        elif match:
            yield number, match["text"] or None
        else:
            trailing = TRAILING.search(line)
            yield from ((number, None), (number, trailing["text"] if trailing else None), (number, None))


def messages(text):
    """Yields (line number, text) for the string literals that are phrases."""
    for match in LITERALS.finditer(text):
        phrase = re.sub(r'"\s*"|^"|"$', "", match.group())
        if len(phrase.split()) >= MESSAGE_WORDS:
            yield text.count("\n", 0, match.start()) + 1, phrase


def sentences(text, suffix="", with_messages=False):
    """Yields (line number, sentence) for the paragraphs of a page, or the comments of a source file and its messages.

    What stands in parentheses or between quotation marks is left out."""
    paragraphs, at = [], 0  # [first line, text]
    lines = text.splitlines()
    for number, line in page_lines(lines) if suffix == ".md" else comment_lines(lines, suffix in C_LIKE):
        if line is None or NEW_ITEM.match(line) or not paragraphs:
            paragraphs.append([number, ""])
        if line:
            at = number if not paragraphs[-1][1] else at
            paragraphs[-1] = [at, f"{paragraphs[-1][1]} {line.strip()}"]
    for number, paragraph in [*paragraphs, *(messages(text) if with_messages else ())]:
        for sentence in SENTENCE_END.split(ASIDE.sub("", CODE_OR_LINK.sub(" x ", paragraph))):
            yield number, sentence.strip()


def check(text, rules, suffix="", with_messages=False):
    """Returns the findings of a text, in the order of its lines."""
    lines = text.splitlines()
    counting = [rule for rule in rules if rule.where == "sentence"]
    counted = [(number, sentence) for number, sentence in sentences(text, suffix, with_messages)] if counting else []
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
    found += [Finding(number, rule, f"{sentence[:60]}...") for number, sentence in counted for rule in counting
              if len(rule.pattern.findall(sentence)) > rule.most]
    return sorted(found, key=lambda finding: finding.line)
