#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the public header to its comment template: every function, every field, every status.

   check_header_docs.py --root TREE      prints one line per finding, exits 1 if there is any
"""
import argparse
import pathlib
import re
import sys

import generator_path  # noqa: F401
from generator.comments import FIELDS
from generator.functions import COSTS
from generator.scanner import HeaderError, without_comments
from generator.tree import read_header

LEAST_COMMENT_SHARE = 60.0
# Statuses of calls that reach a driver, which a call of cost "memory" cannot return.
BEYOND_MEMORY = {"GS_ERROR_DRIVER", "GS_ERROR_SYSTEM", "GS_ERROR_UNAVAILABLE", "GS_ERROR_CAPTURING"}


def check_template(function, comment):
    if not comment.there:
        yield "has no comment"
        return
    if not function.summary or not function.summary.endswith("."):
        yield "the first sentence is missing or does not end"
    if not function.doc:
        yield "the paragraph on order and meaning is missing"
    names = [name for name, _, _ in comment.tags]
    for field in FIELDS:
        if names.count(field) > 1 or not comment.fields.get(field):
            yield f"\\{field} is missing, empty or there twice"
    for field in comment.restated:
        yield f"\\{field} states the default: leave it out"
    expected = ["param"] * len(function.parameters) + [field for field in FIELDS if field in names]
    if sorted(names) == sorted(expected) and names != expected:
        yield "the fields are not in the order of the template"
    for name in sorted(set(names) - set(expected)):
        yield f"\\{name} is no field of the template"


def direction(api, parameter):
    if parameter.name.startswith("inout_"):
        return "[in,out]"
    if not parameter.name.startswith("out_") or not parameter.type.pointers:
        return "[in]"
    return "[in,out]" if parameter.struct and api.struct(parameter.struct).sized else "[out]"


def check_parameters(api, function, comment):
    documented = [name for name, _, _ in comment.documented]
    prototype = [parameter.name for parameter in function.parameters]
    if documented != prototype:
        yield f"\\param names {documented}, the prototype {prototype}"
        return
    for parameter, (name, found, text) in zip(function.parameters, comment.documented):
        if found != direction(api, parameter):
            yield f"\\param {name} must be {direction(api, parameter)}"
        if not text:
            yield f"\\param {name} has no text"
        if parameter.type.pointers and "NULL" not in text:
            yield f"\\param {name} does not say whether NULL is allowed"
        if parameter.count and (parameter.count not in prototype or not parameter.type.pointers):
            yield f"\\param {name} is counted by [{parameter.count}], which counts nothing here"
        if parameter.type.text == "gs_device_t" and function.result == "gs_status_t" and "GS_DEVICE_CURRENT" not in text:
            yield f"\\param {name} does not say whether GS_DEVICE_CURRENT is allowed"
        if parameter.type.text == "gs_stream_t" and "GS_STREAM_CURRENT" not in text:
            yield f"\\param {name} does not say whether GS_STREAM_CURRENT is allowed"


def check_statuses(header, function, comment):
    if function.result != "gs_status_t":
        return
    if not function.returns.startswith(("GS_OK, or: ", "GS_OK, always.")):
        yield "\\return does not begin with 'GS_OK, or: '"
    statuses, wrong = header.documented_statuses(comment)
    for name in sorted(wrong):
        yield f"\\return names {name}, which is not pinned"
    outputs = [one for one in function.parameters if one.name.startswith("out_")]
    if outputs and "GS_ERROR_INVALID_ARGUMENT" not in statuses:
        yield "\\return lacks GS_ERROR_INVALID_ARGUMENT for an output that is NULL"
    if any(one.handle and one.direction == "in" for one in function.parameters) and "GS_ERROR_INVALID_HANDLE" not in statuses:
        yield "\\return lacks GS_ERROR_INVALID_HANDLE"
    devices = any(one.type.base == "gs_device_t" and one.direction == "in" for one in function.parameters)
    if devices and "GS_ERROR_INVALID_DEVICE" not in statuses:
        yield "\\return lacks GS_ERROR_INVALID_DEVICE"


def check_cost(function):
    if function.cost and function.cost not in COSTS:
        yield f"\\cost is '{function.cost}', which is none of {', '.join(COSTS)}"
    if function.cost and function.blocking and (function.cost == "wait") != (function.blocking != "no"):
        yield f"\\cost is '{function.cost}', but \\blocking is '{function.blocking}'"
    if function.cost == "memory":
        for name in sorted(BEYOND_MEMORY & set(function.statuses)):
            yield f"\\cost is 'memory', but \\return lists {name}"
        if any(one.callback for one in function.parameters):
            yield "\\cost is 'memory', but it takes a function"


def check_names(header):
    """Whatever a comment names must exist."""
    known = set(re.findall(r"\b\w+\b", without_comments(header.text)))
    for chapter in header.chapters:
        for comment in re.finditer(r"/\*.*?\*/", chapter.text, re.S):
            for match in re.finditer(r"\b(gs_\w+|GS_[A-Z]\w*\b(?!\*))", comment.group()):
                if match.group() not in known:
                    line = chapter.line_of(comment.start() + match.start())
                    yield chapter.name, line, f"a comment names {match.group()}, which does not exist"


def check_declarations(header):
    """Every macro, type, constant and field has a comment right above; several fields of one kind may share a line."""
    item = re.compile(r"^(#define GS_(?!API )|typedef|enum \{ \w|    \w)")
    for chapter in header.chapters:
        lines = chapter.text.split("\n/* ---- ", 1)[0].splitlines()
        for number, (above, line) in enumerate(zip(lines, lines[1:]), 2):
            if item.match(line) and not above.endswith("*/"):
                yield chapter.name, number, f"'{line.strip()}' has no comment right above"


def check_tiers(header):
    for function in header.api.functions:
        if function.tier not in ("stable", "preview"):
            yield function.chapter, function.line, f"{function.name}: neither it nor its chapter says \\tier stable or preview"


def comment_share(text):
    """Characters of comments among all characters that are not white space, in percent."""
    squeezed, without = (len(re.sub(r"\s", "", part)) for part in (text, without_comments(text)))
    return 100.0 * (squeezed - without) / squeezed


def findings(root):
    try:
        header = read_header(root)
    except HeaderError as error:
        yield error.file.removeprefix("include/"), error.line, error.text
        return
    for function in header.api.functions:
        comment = header.comments[function.name]
        for check in (
            check_template(function, comment),
            check_parameters(header.api, function, comment),
            check_statuses(header, function, comment),
            check_cost(function),
        ):
            for text in check:
                yield function.chapter, function.line, f"{function.name}: {text}"
    yield from check_names(header)
    yield from check_declarations(header)
    yield from check_tiers(header)
    for chapter in header.chapters:
        for number, line in enumerate(chapter.text.splitlines(), 1):
            if len(line) > 120:
                yield chapter.name, number, "is longer than 120 columns"
    used = set().union(*(function.statuses for function in header.api.functions))
    for name in sorted({one.name for one in header.api.constants_of("gs_status_t")} - used - {"GS_ERROR_CANCELLED"}):
        yield "gpustream.h", 1, f"no function documents {name}"
    if comment_share(header.text) < LEAST_COMMENT_SHARE:
        yield "gpustream.h", 1, f"comments are {comment_share(header.text):.0f} % of the header, {LEAST_COMMENT_SHARE:.0f} % are wanted"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    found = list(findings(parser.parse_args().root))
    for file, line, text in found:
        print(f"include/{file}:{line}: {text}")
    if not found:
        print("header comments: nothing to complain about")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
