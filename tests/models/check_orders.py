# SPDX-License-Identifier: Apache-2.0
"""Checks that each order stronger than relaxed in src/handle and src/core has its reason.

usage: check_orders.py ROOT [--update]

A line has its reason in orders.json (weaken.py: a model notices when it is weakened, or a text says why none does), or in
a comment on the line or up to three lines above that names a model ("model event_ends"). Lines that no model runs yet are
listed in unmodelled.txt. That list may shrink and not grow: --update drops entries that are no longer needed.
"""
import argparse
import json
import pathlib
import re
import sys

STRONG = re.compile(r"memory_order_(?:acquire|release|acq_rel|seq_cst)\b")
NAMED = re.compile(r"//.*\bmodel (\w+)")
DEFINED = re.compile(r'"(\w+)"')
KEY = re.compile(r"^(\S+): (.*) \[\w+, \w+ to \w+\]$")


def strong_lines(root):
    for folder in ("src/handle", "src/core", "src/tools"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            lines = path.read_text(encoding="utf-8").splitlines()
            for number, line in enumerate(lines):
                if STRONG.search(line.split("//")[0]):
                    yield path.relative_to(root).as_posix(), line.strip(), lines[max(0, number - 3) : number + 1]


def models(root):
    return {name for path in (root / "tests/models").glob("*_models.cpp") for name in DEFINED.findall(path.read_text(encoding="utf-8"))}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    folder = arguments.root / "tests/models"
    reasons = json.loads((folder / "orders.json").read_text(encoding="utf-8"))
    judged = {KEY.match(key).groups() for key in reasons}
    listed_file = folder / "unmodelled.txt"
    listed = set(listed_file.read_text(encoding="utf-8").splitlines())
    known = models(arguments.root)
    findings, needed, seen = [], set(), set()
    for file, text, context in strong_lines(arguments.root):
        seen.add((file, text))
        named = {name for line in context for name in NAMED.findall(line)}
        for name in sorted(named - known):
            findings.append(f"{file}: {text}: there is no model {name}")
        if (file, text) in judged or named & known:
            continue
        needed.add(f"{file}: {text}")
    for line in sorted(needed - listed):
        findings.append(f"{line}: no model runs this; write one, or name in a comment the one that shows its kind")
    # Other lines that the models run: relaxed accesses of a template's order, and fences.
    for file, text in sorted(judged - seen):
        if text not in (arguments.root / file).read_text(encoding="utf-8"):
            findings.append(f"orders.json: {file} has no line '{text}' any more; run weaken.py --update")
    for key, reason in reasons.items():
        if not reason:
            findings.append(f"orders.json: {key}: no reason")
        elif reason.startswith("model ") and reason.split()[1] not in known:
            findings.append(f"orders.json: {key}: there is no {reason}")
    if arguments.update:
        listed_file.write_text("".join(f"{line}\n" for line in sorted(needed & listed if listed else needed)), encoding="utf-8")
    else:
        findings += [f"unmodelled.txt: '{line}' is not needed any more; check_orders.py --update" for line in sorted(listed - needed)]
    for finding in findings:
        print(finding)
    if not findings:
        print(f"{len(seen)} lines with strong orders: {len(seen) - len(needed)} have their reason, {len(needed)} are listed as not modelled")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
