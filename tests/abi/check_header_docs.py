#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the public header to its comment template: every function, every field, every status; see gs_header.py.

   check_header_docs.py --root TREE      prints one line per finding, exits 1 if there is any
"""
import argparse
import json
import pathlib
import re
import sys

from gs_header import FIELDS, Header

HANDLES = {"gs_stream_t", "gs_event_t", "gs_module_t", "gs_kernel_t"}
LEAST_COMMENT_SHARE = 60.0


def check_template(function):
    if not function.documented_at_all:
        yield "has no comment"
        return
    if not function.summary or not function.summary[0].endswith("."):
        yield "the first sentence is missing or does not end"
    if not function.order:
        yield "the paragraph on order and meaning is missing"
    names = [name for name, _, _ in function.tags]
    for field in FIELDS:
        if names.count(field) != 1 or not function.fields[field]:
            yield f"\\{field} is missing, empty or there twice"
    expected = ["param"] * len(function.parameters) + FIELDS
    if sorted(names) == sorted(expected) and names != expected:
        yield "the fields are not in the order of the template"
    for name in sorted(set(names) - set(expected)):
        yield f"\\{name} is no field of the template"


def direction(parameter):
    if not parameter.output():
        return "[in]"
    return "[in,out]" if re.match(r"gs_(error_info|stats|device_info|inventory_entry)_t", parameter.type) else "[out]"


def check_parameters(function):
    documented = [name for name, _, _ in function.documented]
    prototype = [parameter.name for parameter in function.parameters]
    if documented != prototype:
        yield f"\\param names {documented}, the prototype {prototype}"
        return
    for parameter, (name, found, text) in zip(function.parameters, function.documented):
        if found != direction(parameter):
            yield f"\\param {name} must be {direction(parameter)}"
        if not text:
            yield f"\\param {name} has no text"
        if parameter.pointer() and "NULL" not in text:
            yield f"\\param {name} does not say whether NULL is allowed"
        if parameter.type == "gs_device_t" and function.returns_status() and "GS_DEVICE_CURRENT" not in text:
            yield f"\\param {name} does not say whether GS_DEVICE_CURRENT is allowed"
        if parameter.type == "gs_stream_t" and "GS_STREAM_CURRENT" not in text:
            yield f"\\param {name} does not say whether GS_STREAM_CURRENT is allowed"


def check_statuses(header, function):
    if not function.returns_status():
        return
    text = function.fields.get("return", "")
    if not text.startswith(("GS_OK, or: ", "GS_OK, always.")):
        yield "\\return does not begin with 'GS_OK, or: '"
    statuses, wrong = header.documented_statuses(function)
    for name in sorted(wrong):
        yield f"\\return names {name}, which is not pinned"
    types = {parameter.type for parameter in function.parameters}
    if any(parameter.output() for parameter in function.parameters) and "GS_ERROR_INVALID_ARGUMENT" not in statuses:
        yield "\\return lacks GS_ERROR_INVALID_ARGUMENT for an output that is NULL"
    if types & HANDLES and "GS_ERROR_INVALID_HANDLE" not in statuses:
        yield "\\return lacks GS_ERROR_INVALID_HANDLE"
    if "gs_device_t" in types and "GS_ERROR_INVALID_DEVICE" not in statuses:
        yield "\\return lacks GS_ERROR_INVALID_DEVICE"


def check_manifest(function, manifest):
    entry = manifest.get(function.name)
    if entry is None:
        yield "is not in tests/parity/api.json"
        return
    for field in ("blocking", "since"):
        if function.fields.get(field) != entry.get(field):
            yield f"\\{field} is '{function.fields.get(field)}', api.json says '{entry.get(field)}'"


def check_names(header):
    """Whatever a comment names must exist."""
    code = re.sub(r"/\*.*?\*/", "", header.text, flags=re.S)
    for comment in re.finditer(r"/\*.*?\*/", header.text, re.S):
        for match in re.finditer(r"\b(gs_\w+|GS_[A-Z]\w*\b(?!\*))", comment.group()):
            if not re.search(rf"\b{match.group()}\b", code):
                yield header.line_of(comment.start() + match.start()), f"a comment names {match.group()}, which does not exist"


def check_declarations(header):
    """Every macro, type, constant and field has a comment right above; several fields of one kind may share a line."""
    start, end = header.text.index("/* ---- types"), header.text.index("/* ---- version")
    skipped = header.line_of(start)
    lines = header.text[start:end].splitlines()
    item = re.compile(r"^(#define|typedef|enum \{ \w|    \w)")
    for number, (above, line) in enumerate(zip(lines, lines[1:]), skipped + 1):
        if item.match(line) and not above.endswith("*/"):
            yield number, f"'{line.strip()}' has no comment right above"


def findings(root):
    header = Header(root / "include/gpustream.h")
    manifest = json.loads((root / "tests/parity/api.json").read_text(encoding="utf-8"))["functions"]
    for function in header.functions:
        for check in (
            check_template(function),
            check_parameters(function),
            check_statuses(header, function),
            check_manifest(function, manifest),
        ):
            for text in check:
                yield function.line, f"{function.name}: {text}"
    yield from check_names(header)
    yield from check_declarations(header)
    for number, line in enumerate(header.text.splitlines(), 1):
        if len(line) > 120:
            yield number, "is longer than 120 columns"
    used = set().union(*(header.documented_statuses(function)[0] for function in header.functions))
    for name in sorted(set(header.statuses) - used - {"GS_ERROR_TIMEOUT"}):
        yield 1, f"no function documents {name}"
    if header.comment_share() < LEAST_COMMENT_SHARE:
        yield 1, f"comments are {header.comment_share():.0f} % of the header, {LEAST_COMMENT_SHARE:.0f} % are wanted"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    found = list(findings(parser.parse_args().root))
    for line, text in found:
        print(f"include/gpustream.h:{line}: {text}")
    if not found:
        print("header comments: nothing to complain about")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
