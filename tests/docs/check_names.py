# SPDX-License-Identifier: Apache-2.0
"""Checks that the pages about the code name only what the code has: docs/architecture.md, docs/glossary.md and
docs/design. The glossary has each term once.

usage: check_names.py ROOT

Every identifier in back quotes stands in the code of the tree, comments left out: functions, types, macros, variables, options,
parts of a path, names of tests. `Class::member` needs one file that has both; `...End` and `Begin*` are parts of a name. A listing
shows calls, one a line, "name, name   path": the file has the names, and so has the file of the line that calls it, which is
indented less. Names of other projects that the code does not use are in OTHERS.
"""

import collections
import os
import pathlib
import re

from command_line import run

QUOTED = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
PART = re.compile(r"(?P<end>\.\.\._?)?(?P<name>[A-Za-z_][A-Za-z0-9_]{2,})(?P<begin>\*)?")
MEMBER = re.compile(r"\b(\w+)::(~?\w+)")
LISTED = re.compile(r"^(?P<indent> *)(?P<names>\S+(?: \S+)*)(?:  +(?P<path>[\w./-]+))?(?:  .*)?$")
CODE = ("api", "bench", "bindings", "cmake", "examples", "include", "integrations", "scripts", "src", "tests", "tools")
SLASHES = {".c", ".h", ".cpp", ".hpp", ".inc", ".i", ".java", ".rs", ".go", ".ts", ".mjs", ".zig", ".cu"}
HASHES = {".py", ".pyi", ".sh", ".cmake", ".toml", "", ".txt", ".f90", ".json", ".xml", ".in"}
SKIPPED = re.compile(r"\..*|build|build-.*|node_modules|target|out|__pycache__|corpus")
# Of the system, of languages and of drivers.
OTHERS = {"Cleaner", "__tls_get_addr", "UseSystemMemoryBarrier", "PFN_name_vVERSION"}


def without_comments(text, suffix):
    if suffix in SLASHES:
        return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    return re.sub(r"(^|\s)#[^\n]*", " ", text) if suffix in HASHES - {".json"} else text


def words_of_tree(root):
    """{word: paths of the files whose code has it}; the parts of each path are words of the file."""
    words = {}
    for top in CODE:
        for folder, folders, files in os.walk(root / top):
            folders[:] = [name for name in folders if not SKIPPED.fullmatch(name)]
            for file in files:
                path = pathlib.Path(folder, file)
                relative = path.relative_to(root).as_posix()
                if path.suffix not in SLASHES | HASHES or relative.startswith("tests/docs/"):
                    continue
                text = without_comments(path.read_text(encoding="utf-8", errors="replace"), path.suffix)
                for word in set(NAME.findall(text)) | set(NAME.findall(relative)):
                    words.setdefault(word, set()).add(relative)
    return words


def unknown_names(quoted, words):
    """The names of a quotation that the tree does not have."""
    members = MEMBER.findall(quoted)
    unknown = [f"{owner}::{member}" for owner, member in members
               if min(len(owner), len(member)) > 2 and not words.get(owner, set()) & words.get(member.lstrip("~"), set())]
    for part in PART.finditer(quoted):
        name = part["name"]
        known = (any(word.endswith(name) for word in words) if part["end"] else
                 any(word.startswith(name) for word in words) if part["begin"] else name in words or name in OTHERS)
        unknown += [] if known else [name]
    return unknown


def broken_calls(root, page, fence):
    """The defects of a listing of calls: a block that has paths of files behind names."""
    lines = [match for match in map(LISTED.match, fence.splitlines()) if match]
    if not any(match["path"] and (root / match["path"]).is_file() for match in lines):
        return
    callers = []  # (indentation, path, code) from the outermost call on
    for match in lines:
        indent, names = len(match["indent"]), NAME.findall(match["names"])
        while callers and callers[-1][0] >= indent:
            callers.pop()
        for caller in callers[-1:]:
            missing = [name for name in names if caller[2] and not re.search(rf"\b{name}\b", caller[2])]
            yield from (f"{page}: {caller[1]}, which should call '{name}', does not have it" for name in missing)
        file = root / match["path"] if match["path"] else None
        code = without_comments(file.read_text(), file.suffix) if file and file.is_file() else ""
        missing = [name for name in names if code and not re.search(rf"\b{name}\b", code)]
        yield from (f"{page}: {match['path']} has no '{name}'" for name in missing)
        callers.append((indent, match["path"], code))


def repeated_terms(page):
    """The terms that a table of the glossary has, although the table or an earlier one had them."""
    terms = [line.split("|")[1].strip().lower() for line in page.read_text().splitlines() if re.match(r"\| (?!term \|)\w", line)]
    return [f"docs/glossary.md has '{term}' {count} times" for term, count in collections.Counter(terms).items() if count > 1]


def folders_of_sources(root):
    """The folders of src that hold sources, two levels deep, and those that hold such folders."""
    found = {path.parent.relative_to(root).as_posix() for path in (root / "src").rglob("*.cpp")}
    return sorted({"/".join(folder.split("/")[:3]) for folder in found})


def check(root):
    """Returns one line per defect."""
    words = words_of_tree(root)
    map_of_folders = set(QUOTED.findall((root / "docs" / "architecture.md").read_text()))
    defects = [f"docs/architecture.md: the table has no `{folder}`" for folder in folders_of_sources(root) if folder not in map_of_folders]
    defects += repeated_terms(root / "docs" / "glossary.md")
    for page in [root / "docs" / "architecture.md", root / "docs" / "glossary.md", *sorted((root / "docs" / "design").glob("*.md"))]:
        name, text = page.relative_to(root).as_posix(), page.read_text()
        for quoted in QUOTED.findall(FENCE.sub("", text)):
            defects += [f"{name}: `{quoted}`: the code has no '{unknown}'" for unknown in unknown_names(quoted, words)]
        for fence in FENCE.findall(text):
            defects += broken_calls(root, name, fence)
    return defects


if __name__ == "__main__":
    run(check, __doc__)
