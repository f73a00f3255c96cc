# SPDX-License-Identifier: Apache-2.0
"""Weakens the order of each atomic access that the models run, one after the other, and says which model notices.

usage: weaken.py PROGRAM ROOT [--update] [--only TEXT] [--sample TEXT]

The answers are kept in orders.json beside this file: an access is a line of src/handle or src/core, with its order and a
weaker one; the answer is the model that breaks a rule, or, where none does, the reason why the order is as it is. Fails
if an answer has changed or an access has none. --update writes new answers; reasons are written by hand.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

NAMES = {0: "relaxed", 2: "acquire", 3: "release", 4: "acq_rel", 5: "seq_cst"}
WEAKER = {"load": {5: (2, 0), 2: (0,)}, "store": {5: (3, 0), 3: (0,)}, "fence": {5: (4, 0), 4: (0,)}}
UPDATE = {5: (4, 0), 4: (0,), 2: (0,), 3: (0,)}
PLACE = re.compile(r".*/(src/(?:handle|core)/[^:]+):(\d+)")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def lines_of(program, addresses):
    """The line of the library behind each address: the innermost frame that is in the folders of interest."""
    found, address = {}, None
    # The address is that behind the call.
    before = [hex(int(each, 16) - 1) for each in addresses]
    names = dict(zip((int(each, 16) for each in before), addresses))
    text = subprocess.run(["addr2line", "-a", "-i", "-e", program, *before], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        if line.startswith("0x"):
            address = names[int(line, 16)]
        elif address not in found and PLACE.match(line):
            found[address] = PLACE.match(line).groups()
    return found


def accesses(program, root):
    """{(file, text of the line, what, order): {model: [addresses]}}"""
    listed = [line.split() for line in run(program, "list").stdout.splitlines()]
    places = lines_of(program, sorted({each[1] for each in listed}))
    result = collections.defaultdict(lambda: collections.defaultdict(list))
    for model, address, what, order in listed:
        if address not in places:
            continue
        file, line = places[address]
        text = (root / file).read_text(encoding="utf-8").splitlines()[int(line) - 1].strip()
        result[file, text, what, int(order)][model].append(address)
    return result


def weaker(what, order):
    return WEAKER.get(what, UPDATE).get(order, ())


def answer(program, models, order):
    """The name of a model that notices, else None."""
    for model, addresses in models.items():
        number, name = model.split(":")
        tried = run(program, "try", number, str(order), *addresses)
        if tried.returncode != 0 or tried.stdout.startswith("found"):  # a crash is noticed too
            return name
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", default="", help="as --only, unless GPUSTREAM_TEST_FULL is set")
    arguments = parser.parse_args()
    only = arguments.only or ("" if "GPUSTREAM_TEST_FULL" in os.environ else arguments.sample)
    kept = pathlib.Path(__file__).with_name("orders.json")
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    answers, findings = {}, []
    for (file, text, what, order), models in sorted(accesses(arguments.program, arguments.root).items()):
        if only not in file:
            continue
        for lower in weaker(what, order):
            key = f"{file}: {text} [{what}, {NAMES[order]} to {NAMES[lower]}]"
            found = answer(arguments.program, models, lower)
            before = known.get(key)
            if found:
                answers[key] = f"model {found}"
            else:
                answers[key] = before if before and not before.startswith("model ") else ""
            if not arguments.update and (before is None or bool(found) != before.startswith("model ")):
                findings.append(f"{key}: {'found by ' + found if found else 'no model notices'}, orders.json says {before!r}")
            if not answers[key]:
                findings.append(f"{key}: no model notices; orders.json must say why the order is needed, or may stay")
            print(f"{key}: {answers[key] or 'no model'}", flush=True)
    if not answers:
        findings.append("no access was weakened")
    if arguments.update:
        kept.write_text(json.dumps(answers, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
