# SPDX-License-Identifier: Apache-2.0
"""Makes the description from the public header; only the names that users call come from elsewhere (api/names.json)."""
import re
from pathlib import Path

from .comments import Comment, plain
from .declarations import FUNCTION_POINTER, callback, parameters, type_of, unit_of
from .functions import function_of
from .layout import placed
from .model import Api, Constant, Field, Group, Macro, Named, Struct
from .numbers import value_of
from .scanner import HeaderError, items_of, without_comments

STATUS_GROUP = re.compile(r"\\par (\w+) statuses\n((?: \* [^\n]+\n)+)")


class Chapter:
    """One file of the header."""

    def __init__(self, path, name):
        self.name = name  # "gpustream/stream.h"
        self.text = path.read_text(encoding="utf-8")
        tier = re.search(r"^ \* \\tier (\w+)", self.text, re.M)
        self.tier = tier.group(1) if tier else ""  # of its functions

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1


def chapters_of(path):
    """The file itself and what it includes by quotes, each once, those that it needs before it."""
    top, found = path.resolve().parent, []

    def read(file):
        chapter = Chapter(file, file.relative_to(top).as_posix())
        if chapter.name in (one.name for one in found):
            return
        for include in re.findall(r'^#include "([^"]+)"', chapter.text, re.M):
            read((file.parent / include).resolve())
        found.append(chapter)

    read(path.resolve())
    return found


class Header:
    """The chapters of a header and their description, `api`; `comments` has the taken apart comment of each function."""

    def __init__(self, path, names=None):
        self.chapters = chapters_of(Path(path))
        self.text = "".join(chapter.text for chapter in self.chapters)
        self.api, self.comments = Api(), {}
        self.status_groups = {
            name: set(re.findall(r"GS_ERROR_\w+", text)) for name, text in STATUS_GROUP.findall(self.text)
        }
        self.known = {}
        for self.chapter in self.chapters:
            self.section, self.last_alias = "", None
            self.read_chapter(names or {})
        numbers = [self.known.get(f"GS_VERSION_{part}") for part in ("MAJOR", "MINOR", "PATCH")]
        self.api.version = ".".join(map(str, numbers))
        self.api.abi = self.known.get("GS_ABI_VERSION")

    def read_chapter(self, names):
        try:
            for item in items_of(self.chapter.text):
                try:
                    self.read(item, names)
                except HeaderError as error:
                    raise error if error.line else HeaderError(str(error), item.line) from None
        except HeaderError as error:
            raise HeaderError(error.text, error.line, f"include/{self.chapter.name}") from None

    def read(self, item, names):
        alias, self.last_alias = self.last_alias, None
        if item.kind == "section":
            self.section = item.text
        elif item.kind == "macro":
            self.read_macro(item)
        elif item.text.startswith("GS_API"):
            comment = Comment(item.comment)
            function = function_of(
                self.api, self.chapter, self.section, item, comment, self.documented_statuses(comment)[0], names
            )
            if self.section not in self.api.sections:
                self.api.sections.append(self.section)
            self.api.functions.append(function)
            self.comments[function.name] = comment
        elif item.text.startswith("enum"):
            self.read_enum(item, alias)
        else:
            self.read_typedef(item)

    def read_macro(self, item):
        found = re.match(r"(\w+)(\([^)]*\))?\s*(.*)$", item.text, re.S)
        name, arguments, text = found.group(1), found.group(2), found.group(3)
        if not name.startswith("GS_") or name == "GS_API" or not text:
            return
        if arguments:
            self.api.macros.append(Macro(name, arguments.strip("()").replace(" ", "").split(","), text, plain(item.comment)))
            return
        value = value_of(text, self.known)
        if value is None:
            raise HeaderError(f"{name} is no constant expression: {text}")
        cast = re.match(r"\(\((\w+)\)", text)
        self.known[name] = value
        self.api.constants.append(Constant(name, value, "", cast.group(1) if cast else "int32_t", plain(item.comment)))

    def read_enum(self, item, alias):
        body = item.text[item.text.index("{") + 1 : item.text.rindex("}")]
        entries = re.findall(r"(?:/\*\*(.*?)\*/)?\s*(GS_\w+)\s*(?:=\s*([^,/]+))?(?:,|$|(?=\s*/))", body, re.S)
        names = [name for _, name, _ in entries]
        for doc, name, text in entries:
            value = value_of(text, self.known) if text else None
            if value is None:
                raise HeaderError(f"{name} has no pinned number")
            self.known[name] = value
        alias = None if item.comment else alias  # an enum with a comment of its own has nothing to do with the alias above
        group = alias.name if alias else common_prefix(names)
        kind = alias.name if alias else "uint32_t" if re.match(r"Flags\b", plain(item.comment)) else "int32_t"
        self.api.groups.append(Group(group, kind, plain(item.comment) or (alias.doc if alias else ""), names))
        self.api.constants += [Constant(name, self.known[name], group, kind, plain(doc)) for doc, name, _ in entries]

    def read_typedef(self, item):
        text, doc = without_comments(item.text), plain(item.comment)
        handle = re.match(r"typedef\s+struct\s+gs_(\w+)\s*\*\s*(\w+)$", text)
        struct = re.match(r"typedef\s+struct\s+\w+\s*\{", text)
        function = FUNCTION_POINTER.match(re.sub(r"^typedef\s+", "", text))
        alias = re.match(r"typedef\s+(\w+)\s+(\w+)$", text)
        if handle:
            self.api.handles.append(Named(handle.group(2), handle.group(1), doc))
        elif struct:
            self.read_struct(item, doc)
        elif function:
            self.api.callbacks.append(callback(function, doc))
        elif alias:
            self.last_alias = Named(alias.group(2), alias.group(1), doc)
            self.api.scalars.append(self.last_alias)
        else:
            raise HeaderError(f"a declaration of no known kind: {' '.join(text.split())[:60]}")

    def read_struct(self, item, doc):
        body, name = re.search(r"\{(.*)\}\s*(\w+)$", item.text, re.S).groups()
        rows, comment = [], ""
        for found in re.finditer(r"/\*\*?(.*?)\*/|([^;/]+);", body, re.S):
            if found.group(2) is None:
                comment = plain(found.group(1))
            else:
                rows += [(*row, comment) for row in self.fields_of(found.group(2))]
        places, size, alignment = placed(self.api, [(type_, array) for _, type_, array, _ in rows])
        fields = [
            Field(name, type_, offset, bytes_, array, unit_of(name, type_, doc), doc)
            for (name, type_, array, doc), (offset, bytes_) in zip(rows, places)
        ]
        self.api.structs.append(Struct(name, doc, size, alignment, bool(rows) and rows[0][0] == "struct_size", fields))

    def fields_of(self, text):
        """(name, type, array length) of each field of one declaration."""
        text = " ".join(text.split())
        function = FUNCTION_POINTER.match(text)
        if function:
            yield function.group(2), f"{function.group(1).strip()} (*)({function.group(3)})", None
            return
        first, *others = text.split(",")
        base = re.match(r"(.*?[\s*])(\w+\s*(?:\[.*\])?)$", first)
        for part in [base.group(2), *others]:
            name, array = re.match(r"\s*(\w+)\s*(?:\[(.*)\])?$", part).groups()
            yield name, type_of(base.group(1)).text, value_of(array, self.known) if array else None

    def documented_statuses(self, comment):
        """The exact set a comment's return field names, groups expanded; what it names wrongly as a second set."""
        text = comment.fields.get("return", "")
        named = set(re.findall(r"\bGS_(?:OK|NOT_READY|ERROR_\w+)", text))
        statuses = {constant.name for constant in self.api.constants_of("gs_status_t")}
        wrong = {name for name in named if name not in statuses}
        for group in re.findall(r"\bthe (\w+) statuses", text):
            if group in self.status_groups:
                named |= self.status_groups[group]
            else:
                wrong.add(f"the {group} statuses")
        ordered = sorted(named - wrong, key=lambda name: self.known[name])
        return ordered, wrong


def common_prefix(names):
    """GS_EVENT for GS_EVENT_TIMING and GS_EVENT_BLOCKING."""
    split = [name.split("_") for name in names]
    shared = []
    for words in zip(*(words[:-1] for words in split)):
        if len(set(words)) > 1:
            break
        shared.append(words[0])
    return "_".join(shared)
