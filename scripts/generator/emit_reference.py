# SPDX-License-Identifier: Apache-2.0
"""docs/reference: tables of functions, statuses, constants and structs. The header is the manual; these are its index."""
import re

from .declarations import prototype
from .output import header

FOLDER = "docs/reference"
LANGUAGES = ("python", "java", "rust")
# Languages whose flat layer has every function: their names stand below the tables, which have no room for them.
LAYERS = {"cpp": "C++", "go": "Go", "node": "Node", "fortran": "Fortran", "zig": "Zig"}


def slug(section):
    return re.sub(r"[^a-z]+", "-", section.lower()).strip("-")


def cell(text):
    """Text of the header as Markdown: what is between backquotes stays, stars and bars elsewhere are no markup."""
    parts = " ".join(text.split()).replace("|", "\\|").split("`")
    parts[::2] = [part.replace("*", "\\*").replace("<", "&lt;") for part in parts[::2]]
    return "`".join(parts)


def table(titles, rows):
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return "\n".join(lines + ["| " + " | ".join(cell(each) for each in row) + " |" for row in rows]) + "\n"


def in_code(names):
    return ", ".join(f"`{name}`" for name in re.split(r", (?![^(]*\))", names))


def name_in(function, language):
    name = function.names.get(language, "")
    return f"– ({name.removeprefix('omitted: ')})" if name.startswith("omitted: ") else in_code(name) if name else "–"


def bullet(function):
    """Everything about one function that a table of all would have no room for."""
    layers = [f"{title} {in_code(function.names[language])}" for language, title in LAYERS.items() if language in function.names]
    rows = [("Also", ", ".join(layers))] if layers else []
    rows += [("Statuses", ", ".join(f"`{name}`" for name in function.statuses) or "returns none")]
    rows += [("Tier", function.tier), ("Blocking", function.blocking), ("Threads", function.thread), ("Ownership", function.ownership)]
    return "".join(f"- {title}: {cell(text)}\n" for title, text in rows)


def section_page(api, section):
    functions = api.functions_of(section)
    text = header(".md") + f"\n# Reference: {section}\n\n"
    files = sorted({one.chapter for one in functions})
    text += "Declared in " + ", ".join(f"[{file}](../../include/{file})" for file in files) + ".\n\n"
    text += table(
        ("function", "purpose", "cost", "since", *(language.capitalize() for language in LANGUAGES)),
        (
            (f"[`{one.name}`](#{one.name})", one.summary, one.cost, one.since, *(name_in(one, each) for each in LANGUAGES))
            for one in functions
        ),
    )
    for one in functions:
        text += f"\n## {one.name}\n\n```c\n{prototype(one)};\n```\n\n{one.summary}\n\n{bullet(one)}"
    return text


def index(api):
    text = header(".md") + "\n# Reference\n\nTables of the C interface, version " + api.version + ". "
    text += "The manual is [gpustream.h](../../include/gpustream.h) itself.\n\n"
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
