#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a page for man (section 3, mdoc) of each function that api/gpustream.json describes.

    scripts/lib/man_pages.py FOLDER [--api FILE]        writes FOLDER/man3/gs_*.3

The date on the pages is SOURCE_DATE_EPOCH, else today. Needs Python's standard library only.
"""
import argparse
import json
import os
import re
import textwrap
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FACTS = (("Blocking", "blocking"), ("Cost", "cost"), ("Threads", "thread"), ("Ownership", "ownership"), ("Backends", "backends"),
         ("Since", "since"))
LANGUAGES = {"cpp": "C++", "python": "Python", "java": "Java", "rust": "Rust", "go": "Go", "node": "Node", "fortran": "Fortran", "zig": "Zig"}
DIRECTIONS = {"in": "input", "out": "output", "inout": "input and output"}


def escaped(text):
    return text.replace("\\", "\\e").replace("`", "")


def lines(text):
    """Plain text: a new sentence begins a line, and a line that begins like a request is text."""
    for sentence in re.split(r"(?<=[.?!])\s+", " ".join(escaped(text).split())):
        for line in textwrap.wrap(sentence, 79, break_long_words=False, break_on_hyphens=False):
            yield "\\&" + line if line[:1] in (".", "'") else line


def quoted(text):
    return '"' + escaped(text).replace('"', "\\(dq") + '"'


def parameter(one):
    callback = one.get("callback")
    if one["type"] != "callback":
        return one["type"] + ("" if one["type"].endswith("*") else " ") + one["name"]
    inner = ", ".join(f"{each['type']}{'' if each['type'].endswith('*') else ' '}{each['name']}" for each in callback["parameters"])
    return f"{callback['result']} (*{one['name']})({inner})"


def listed(rows):
    """A list of (macro and its argument, text)."""
    return [".Bl -tag -width Ds", *(line for head, text in rows for line in (f".It {head}", *lines(text))), ".El"] if rows else []


def named(function, names):
    text = " ".join([function["doc"] if "doc" in function else "", function["summary"], function.get("returns", ""), function["ownership"]]
                    + [one.get("doc", "") for one in function["parameters"]])
    return sorted(names.intersection(re.findall(r"\b(gs_\w+)\(\)", text)) - {function["name"]})


def page(function, names, version, date):
    """The text of one page."""
    out = ['.\\" SPDX-License-Identifier: Apache-2.0', f".Dd {date}", f".Dt {function['name'].upper()} 3", f".Os gpustream {version}"]
    summary = function["summary"]
    out += [".Sh NAME", f".Nm {function['name']}", f".Nd {escaped(summary[0].lower() + summary[1:].rstrip('.'))}"]
    header = function["chapter"] if function["chapter"] == "gpustream_tools.h" else "gpustream.h"
    out += [".Sh SYNOPSIS", f".In {header}", f".Ft {quoted(function['result'])}", f".Fo {function['name']}"]
    out += [f".Fa {quoted(parameter(one))}" for one in function["parameters"]] or [".Fa void"]
    out += [".Fc", ".Sh DESCRIPTION", *lines(summary)]
    for paragraph in filter(None, function.get("doc", "").split("\n\n")):
        out += [".Pp", *lines(paragraph)]
    if function["parameters"]:
        out += [".Pp", "The parameters:"]
    out += listed([(f"Fa {one['name']}", f"({DIRECTIONS[one['direction']]}) {one.get('doc', '')}") for one in function["parameters"]])
    out += [".Pp", "What holds for the call:"]
    out += listed([(title, function[key]) for title, key in FACTS if function.get(key)])
    if function["result"] != "void":
        out += [".Sh RETURN VALUES", *lines(function.get("returns", ""))]
        if function.get("statuses"):
            out += [".Pp", *lines("All statuses, those of the groups included: " + ", ".join(function["statuses"]) + ".")]
    others = [(title, function["names"].get(key, "")) for key, title in LANGUAGES.items()]
    others = [f"{title} {name}" for title, name in others if name and not name.startswith("omitted: ")]
    if others:
        out += [".Sh NOTES", *lines("The same in other languages: " + "; ".join(others) + ".")]
    also = named(function, names)
    if also:
        out += [".Sh SEE ALSO", *(f".Xr {name} 3{' ,' if name != also[-1] else ''}" for name in also)]
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--api", type=Path, default=ROOT / "api/gpustream.json")
    args = parser.parse_args()
    api = json.loads(args.api.read_text(encoding="utf-8"))
    day = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    date = f"{time.strftime('%B', day)} {day.tm_mday}, {day.tm_year}"
    names = {one["name"] for one in api["functions"]}
    (args.folder / "man3").mkdir(parents=True, exist_ok=True)
    for one in api["functions"]:
        (args.folder / "man3" / f"{one['name']}.3").write_text(page(one, names, api["version"], date), encoding="utf-8")


if __name__ == "__main__":
    main()
