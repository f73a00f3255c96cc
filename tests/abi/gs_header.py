# SPDX-License-Identifier: Apache-2.0
"""Reads include/gpustream.h: functions with their comments, statuses, and the groups of statuses they share."""
import re

FIELDS = ["return", "blocking", "threadsafety", "ownership", "backends", "since"]
TAG = re.compile(r"^\\(\w+)(\[[a-z,]+\])?\s*(.*)$")
DECLARATION = re.compile(r"^GS_API\s+([^;]+);", re.M)


class Parameter:
    def __init__(self, text):
        self.text = " ".join(text.split())
        callback = re.search(r"\(\s*\*\s*(\w+)\s*\)", self.text)
        self.name = callback.group(1) if callback else re.search(r"(\w+)$", self.text).group(1)
        self.type = "callback" if callback else self.text[: -len(self.name)].strip()

    def pointer(self):
        return self.type.endswith("*")

    def output(self):
        return self.pointer() and self.name.startswith("out_")


class Function:
    def __init__(self, declaration, line, comment):
        text = " ".join(declaration.split())
        match = re.match(r"(.+?)\b(gs_\w+)\((.*)\)$", text)
        self.result, self.name, self.line = match.group(1).strip(), match.group(2), line
        self.parameters = [Parameter(part) for part in split_parameters(match.group(3))]
        self.summary, self.order, self.documented, self.fields, self.tags = [], [], [], {}, []
        self.documented_at_all = comment is not None
        self.read(comment or "")

    def returns_status(self):
        return self.result == "gs_status_t"

    def read(self, comment):
        """Splits a comment into its summary, its ordering paragraph(s) and its tags."""
        paragraphs, tag = [""], None
        for line in comment.splitlines():
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


def split_parameters(text):
    if text.strip() == "void":
        return []
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


class Header:
    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.statuses = {
            name: int(value) for name, value in re.findall(r"^\s*(GS_OK|GS_NOT_READY|GS_ERROR_\w+) = (\d+)", self.text, re.M)
        }
        self.groups = {
            name: set(re.findall(r"GS_ERROR_\w+", text))
            for name, text in re.findall(r"\\par (\w+) statuses\n((?: \* [^\n]+\n)+)", self.text)
        }
        self.functions = [self.function_at(match) for match in DECLARATION.finditer(self.text)]

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def function_at(self, match):
        before = self.text[: match.start()].rstrip()
        comment = None
        if before.endswith("*/"):
            comment = before[before.rindex("/*") : -2]
            comment = comment[3:] if comment.startswith("/**") else None
        return Function(match.group(1), self.line_of(match.start()), comment)

    def documented_statuses(self, function):
        """The exact set a function's return field names, groups expanded; what it names wrongly as a second set."""
        text = function.fields.get("return", "")
        named = set(re.findall(r"\bGS_(?:OK|NOT_READY|ERROR_\w+)", text))
        wrong = {name for name in named if name not in self.statuses}
        for group in re.findall(r"\bthe (\w+) statuses", text):
            if group in self.groups:
                named |= self.groups[group]
            else:
                wrong.add(f"the {group} statuses")
        return named - wrong, wrong

    def comment_share(self):
        """Characters of comments among all characters that are not white space, in percent."""
        squeezed = re.sub(r"\s", "", self.text)
        without = re.sub(r"\s", "", re.sub(r"/\*.*?\*/", "", self.text, flags=re.S))
        return 100.0 * (len(squeezed) - len(without)) / len(squeezed)
