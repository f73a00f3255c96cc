#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that a checker fails when it must: applies each edit of a fixture file to a copy of the tree, runs the checker
on the copy and wants exactly the findings the fixture names.

   run_fixtures.py --root TREE --fixtures FILE.json [--work DIR] -- CHECKER [ARGUMENT...]

In CHECKER's arguments {root} is the copy and {case} an empty folder of the case. See fixtures/README.md for the format.
Of more than 12 cases the short form takes every third: checkers change rarely. GPUSTREAM_TEST_FULL=1 takes all.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from fixture_library import build_library

COPIED = ["include", "src", "api", "tests/parity", "tests/abi"]


def copy_tree(root, target, names, linked):
    """linked: folders that no edit touches; a link to them is enough."""
    skip = shutil.ignore_patterns("__pycache__")
    for name in names:
        if name in linked:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).symlink_to(root / name, target_is_directory=True)
        elif (root / name).is_dir():
            shutil.copytree(root / name, target / name, ignore=skip, symlinks=True)
        else:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, target / name)


def apply(edit, tree):
    """One edit: create a file, append to it, delete it, or replace what must be there exactly once (a text, or a pattern)."""
    path = tree / edit["file"]
    if edit.get("delete"):
        path.unlink()
    elif "create" in edit:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(edit["create"] * edit.get("times", 1), encoding="utf-8")
    elif "append" in edit:
        path.write_text(path.read_text(encoding="utf-8") + edit["append"] * edit.get("times", 1), encoding="utf-8")
    elif "pattern" in edit:
        text, count = re.subn(edit["pattern"], edit["replace"], path.read_text(encoding="utf-8"))
        if count != 1:
            raise ValueError(f"'{edit['pattern']}' matches {count} times in {edit['file']}: the fixture needs an update")
        path.write_text(text, encoding="utf-8")
    else:
        text = path.read_text(encoding="utf-8")
        count = text.count(edit["find"])
        if count != 1:
            raise ValueError(f"'{edit['find']}' is {count} times in {edit['file']}: the fixture needs an update")
        path.write_text(text.replace(edit["find"], edit["replace"]), encoding="utf-8")


def findings_of(output, ignored):
    return [line for line in output.splitlines() if line.strip() and not re.search(ignored, line)]


def run_case(case, fixtures, root, scratch, command):
    tree, folder = scratch / "tree", scratch / "case"
    folder.mkdir(parents=True)
    names = fixtures.get("copied", COPIED)
    edited = [edit["file"] for edit in case.get("edits", [])]
    untouched = [name for name in names if not any(file.startswith(f"{name}/") for file in edited)]
    copy_tree(root, tree, names, untouched if fixtures.get("linked") else [])
    for edit in case.get("edits", []):
        apply(edit, tree)
    if "library" in case:
        build_library(tree, folder, case["library"])
    values = {"{root}": str(tree), "{case}": str(folder)}
    arguments = [re.sub(r"\{root\}|\{case\}", lambda found: values[found.group()], part) for part in command]
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=scratch)
    found = findings_of(done.stdout + done.stderr, fixtures.get("ignored", "$^"))
    unexpected = [line for line in found if not any(re.search(wanted, line) for wanted in case["expect"])]
    missing = [wanted for wanted in case["expect"] if not any(re.search(wanted, line) for line in found)]
    trouble = [f"not found: {wanted}" for wanted in missing]
    if not fixtures.get("other_findings_allowed"):
        trouble += [f"unexpected: {line}" for line in unexpected]
    wanted_code = 0 if not case["expect"] else 1
    if (done.returncode != 0) != bool(wanted_code):
        trouble.append(f"exit status {done.returncode}")
    return trouble


def in_this_form(cases):
    return cases if len(cases) <= 12 or os.environ.get("GPUSTREAM_TEST_FULL") == "1" else cases[::3]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--fixtures", type=pathlib.Path, required=True)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    fixtures = json.loads(arguments.fixtures.read_text(encoding="utf-8"))
    # The unchanged tree must pass, or the findings below would prove nothing.
    cases = [{"name": "unchanged", "edits": [], "expect": fixtures.get("unchanged", []), **fixtures.get("common", {})}]
    cases += [{**fixtures.get("common", {}), **case} for case in in_this_form(fixtures["cases"])]
    failed = 0
    for case in cases:
        with tempfile.TemporaryDirectory(prefix="gs-fixture-") as scratch:
            try:
                trouble = run_case(case, fixtures, arguments.root.resolve(), pathlib.Path(scratch), arguments.command)
            except (ValueError, OSError, subprocess.SubprocessError) as error:
                trouble = [f"the case could not run: {error}"]
        print(f"{'FAILED' if trouble else 'ok'}  {case['name']}")
        for line in trouble:
            print(f"        {line}")
        failed += bool(trouble)
    print(f"{len(cases)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
