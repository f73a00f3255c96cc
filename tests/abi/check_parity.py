#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks tests/parity/api.json and cases.json: complete, well-formed, and in agreement with the header; see README.md there.

   check_parity.py --root TREE      prints one line per finding, exits 1 if there is any
"""
import argparse
import json
import pathlib
import re
import sys

from gs_header import Header

LANGUAGES = {
    "python": r"[A-Za-z_][\w.]*(\(\))?(\.\w+|\([\w=, ]*\))*",
    "java": r"[A-Z]\w*(\.\w+(\(\))?)*",
    "rust": r"(?:[A-Z]\w*(?:::\w+)?|[a-z]\w*)",
}
FIELDS = ["since", "blocking", *LANGUAGES]
STEP_KEYS = {"op", "args", "out", "expect", "value", "returns", "until", "thread", "fork", "repeat", "steps"}
OWN = {"gate.new", "gate.open", "counter.new", "counter.get", "buffer.u32", "triple.new", "ipc.new"}


def check_api(functions):
    for name, entry in functions.items():
        if list(entry) != FIELDS:
            yield f"api.json: {name} has the fields {list(entry)}, wanted {FIELDS}"
            continue
        for language, pattern in LANGUAGES.items():
            value = entry[language]
            if value.startswith("omitted"):
                if not re.fullmatch(r"omitted: \S.{9,}", value):
                    yield f"api.json: {name} is omitted in {language} without a reason"
            elif not re.fullmatch(pattern, value):
                yield f"api.json: {name} has the {language} name '{value}'"


def constants_of(header):
    code = re.sub(r"/\*.*?\*/", "", header.text, flags=re.S)
    numbers = {name: int(value) for name, value in re.findall(r"\b(GS_\w+) = (\d+)", code)}
    numbers.update({name: int(value) for name, value in re.findall(r"#define (GS_\w+) \(\(gs_device_t\)(-\d+)\)", code)})
    numbers["GS_STREAM_CURRENT"] = int(re.search(r"#define GS_STREAM_CURRENT .*\)(0x[0-9a-f]+)u\)", code).group(1), 16)
    return numbers


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


def check_cases(document, header):
    documented = {
        function.name: header.documented_statuses(function)[0] if function.returns_status() else None
        for function in header.functions
    }
    pinned = constants_of(header)
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
    header = Header(root / "include/gpustream.h")
    yield from check_api(json.loads((root / "tests/parity/api.json").read_text(encoding="utf-8"))["functions"])
    yield from check_cases(json.loads((root / "tests/parity/cases.json").read_text(encoding="utf-8")), header)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    found = list(findings(parser.parse_args().root))
    print("\n".join(found) if found else "parity files: nothing to complain about")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
