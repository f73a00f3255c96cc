#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks api/names.json and tests/parity/cases.json: complete, well-formed, and in agreement with the header.

   check_parity.py --root TREE      prints one line per finding, exits 1 if there is any
"""
import argparse
import json
import pathlib
import re
import sys

import generator_path  # noqa: F401
from generator.tree import names_of, read_header

LANGUAGES = {
    "python": r"[A-Za-z_][\w.]*(\(\))?(\.\w+|\([\w=, ]*\))*",
    "java": r"[A-Z]\w*(\.\w+(\(\))?)*",
    "rust": r"(?:[A-Z]\w*(?:::\w+)?|[a-z]\w*)",
}
STEP_KEYS = {"op", "args", "out", "expect", "value", "returns", "until", "thread", "fork", "repeat", "steps"}
OWN = {"gate.new", "gate.open", "counter.new", "counter.get", "buffer.u32", "triple.new", "ipc.new"}


def check_names(functions, names):
    for name in functions:
        if name not in names:
            yield f"names.json: {name} is missing"
    if [name for name in names if name in functions] != [name for name in functions if name in names]:
        yield "names.json: the functions are not in the order of the header"
    for name, entry in names.items():
        if name not in functions:
            yield f"names.json: {name} is not in the header"
        if list(entry) != list(LANGUAGES):
            yield f"names.json: {name} has the fields {list(entry)}, wanted {list(LANGUAGES)}"
            continue
        for language, pattern in LANGUAGES.items():
            value = entry[language]
            if value.startswith("omitted"):
                if not re.fullmatch(r"omitted: \S.{9,}", value):
                    yield f"names.json: {name} is omitted in {language} without a reason"
            elif not re.fullmatch(pattern, value):
                yield f"names.json: {name} has the {language} name '{value}'"


def steps_of(steps):
    for step in steps:
        yield step
        for key in ("thread", "fork", "steps"):
            yield from steps_of(step.get(key, []))


def check_step(step, documented):
    unknown = set(step) - STEP_KEYS
    if unknown:
        yield f"unknown keys {sorted(unknown)}"
    op = step.get("op")
    if op is None:
        return
    if op not in documented:
        if op not in OWN:
            yield f"no operation {op}"
        return
    status = step.get("expect", "GS_OK")
    statuses = documented[op]
    if statuses is None:
        if "expect" in step or "returns" not in step:
            yield f"{op} returns no status: 'returns' is wanted, 'expect' is not"
    elif status not in statuses:
        yield f"{op} is expected to return {status}, which its comment does not list"


def check_cases(document, api):
    documented = {one.name: set(one.statuses) if one.result == "gs_status_t" else None for one in api.functions}
    pinned = {constant.name: constant.value for constant in api.constants}
    for name, value in document["constants"].items():
        number = int(value, 16) if isinstance(value, str) else value
        if pinned.get(name) != number:
            yield f"cases.json: the constant {name} is {number}, the header says {pinned.get(name)}"
    seen, used = set(), set()
    for case in document["cases"]:
        if case["name"] in seen:
            yield f"cases.json: two cases are named {case['name']}"
        seen.add(case["name"])
        if not re.fullmatch(r"[a-z_]+(\.[a-z_]+)?", case["name"]):
            yield f"cases.json: '{case['name']}' is no name for a case"
        for row in case.get("rows", []):
            if not re.fullmatch(r"[A-J]-?\d+", row):
                yield f"cases.json: {case['name']}: '{row}' is no row id"
        for step in steps_of(case["steps"]):
            used.add(step.get("op"))
            yield from (f"cases.json: {case['name']}: {text}" for text in check_step(step, documented))
    for name in sorted(set(documented) - used):
        yield f"cases.json: no case uses {name}"


def findings(root):
    api = read_header(root).api
    yield from check_names([function.name for function in api.functions], names_of(root))
    yield from check_cases(json.loads((root / "tests/parity/cases.json").read_text(encoding="utf-8")), api)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    found = list(findings(parser.parse_args().root))
    print("\n".join(found) if found else "parity files: nothing to complain about")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
