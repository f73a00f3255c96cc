# SPDX-License-Identifier: Apache-2.0
"""docs/reference: tables of functions, statuses, constants and structs, and the header's text of each function."""
import re

from .declarations import prototype
from .output import header

FOLDER = "docs/reference"
LANGUAGES = {"python": "Python", "java": "Java", "rust": "Rust", "cpp": "C++", "go": "Go", "node": "Node", "fortran": "Fortran", "zig": "Zig"}


def slug(section):
    return re.sub(r"[^a-z]+", "-", section.lower()).strip("-")


def cell(text):
    """Text of the header as Markdown: what is between backquotes stays, stars and bars elsewhere are no markup."""
    parts = " ".join(text.split()).replace("|", "\\|").split("`")
    parts[::2] = [part.replace("*", "\\*").replace("<", "&lt;") for part in parts[::2]]
    return "`".join(parts)


def linked(text, api):
    """Text of the header, in which the name of a function is a link to it."""
    pages = {one.name: f"{slug(one.section)}.md#{one.name}" for one in api.functions}
    link = lambda found: f"[`{found[0]}`]({pages[found[1]]})" if found[1] in pages else found[0]  # noqa: E731
    parts = cell(text).split("`")
    parts[::2] = [re.sub(r"\b(gs_\w+)\(\)", link, part) for part in parts[::2]]
    return "`".join(parts)


def table(titles, rows):
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return "\n".join(lines + ["| " + " | ".join(cell(each) for each in row) + " |" for row in rows]) + "\n"


def in_code(names):
    return ", ".join(f"`{name}`" for name in re.split(r", (?![^(]*\))", names))


def name_in(name):
    return f"none ({name.removeprefix('omitted: ')})" if name.startswith("omitted: ") else in_code(name)


def body(function, api):
    """What the header says of one function, in the order of its comment."""
    text = f"\n## {function.name}\n\n```c\n{prototype(function)};\n```\n\n"
    text += "".join(f"{linked(part, api)}\n\n" for part in [function.summary, *function.doc.split("\n\n")] if part)
    directions = {"in": "in", "out": "out", "inout": "in, out"}
    text += "".join(f"- `{one.name}` ({directions[one.direction]}): {linked(one.doc, api)}\n" for one in function.parameters)
    return text + (f"- Returns: {linked(function.returns, api)}\n" if function.returns else "") + bullet(function, api)


def bullet(function, api):
    """Everything about one function that a table of all would have no room for."""
    names = [f"{title} {name_in(function.names[key])}" for key, title in LANGUAGES.items() if key in function.names]
    rows = [("Also", "; ".join(names))] if names else []
    rows += [("Statuses", ", ".join(f"`{name}`" for name in function.statuses) or "returns none")]
    rows += [("Tier", function.tier), ("Blocking", function.blocking), ("Threads", function.thread), ("Ownership", function.ownership)]
    rows += [("Backends", function.backends)]
    return "".join(f"- {title}: {linked(text, api)}\n" for title, text in rows)


def section_page(api, section):
    functions = api.functions_of(section)
    text = header(".md") + f"\n# Reference: {section}\n\n"
    files = sorted({one.chapter for one in functions})
    text += "Declared in " + ", ".join(f"[{file}](../../include/{file})" for file in files) + ".\n\n"
    text += table(
        ("function", "purpose", "cost", "since"),
        ((f"[`{one.name}`](#{one.name})", one.summary, one.cost, one.since) for one in functions),
    )
    for one in functions:
        text += body(one, api)
    return text


def index(api):
    text = header(".md") + "\n# Reference\n\nTables of the C interface, version " + api.version + ". "
    text += "All text is from [gpustream.h](../../include/gpustream.h), which also says what holds for all functions.\n\n"
    text += table(("section", "functions"), ((f"[{one}]({slug(one)}.md)", str(len(api.functions_of(one)))) for one in api.sections))
    text += "\n## Statuses\n\n"
    text += table(("status", "number", "meaning"), ((f"`{one.name}`", str(one.value), one.doc) for one in api.constants_of("gs_status_t")))
    text += "\n## Constants\n\n"
    others = [one for one in api.constants if one.group != "gs_status_t"]
    number = lambda one: hex(one.value) if one.value > 2**32 else str(one.value)  # noqa: E731
    text += table(("constant", "number", "meaning"), ((f"`{one.name}`", number(one), one.doc) for one in others))
    for struct in api.structs:
        text += f"\n## {struct.name}\n\n{struct.doc} {struct.size} bytes.\n\n"
        rows = ((f"`{one.name}`", f"`{one.type}{f'[{one.array}]' if one.array else ''}`", str(one.offset), one.doc) for one in struct.fields)
        text += table(("field", "type", "offset", "meaning"), rows)
    return text


def outputs(api):
    pages = {f"{FOLDER}/{slug(section)}.md": section_page(api, section) for section in api.sections}
    return {f"{FOLDER}/README.md": index(api), **pages}
