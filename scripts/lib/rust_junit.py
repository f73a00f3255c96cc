#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a JUnit file from what `cargo test` printed.

    rust_junit.py OUTPUT JUNIT

A test program prints a line for each test and one with the sums. Where something else got in between, so that a test's line
cannot be read, the sums say how many are missing; those are listed by number. Exit status 1 when no test program ran.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree

PROGRAM = re.compile(r"^\s+(?:Running (?:unittests )?(\S+)|Doc-tests (\S+))")
TEST = re.compile(r"^test (.+?)\s+\.\.\. (ok|FAILED|ignored)(?:, (.*))?$")
SUMS = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored")
OUTCOMES = ("ok", "FAILED", "ignored")


def read(lines):
    """Yields (program, test, outcome, reason)."""
    program, tests = "?", []
    for line in lines:
        if found := PROGRAM.match(line):
            program = found.group(1) or f"doc {found.group(2)}"
        elif found := TEST.match(line):
            tests.append((program, found.group(1), found.group(2), found.group(3) or ""))
        elif found := SUMS.match(line):
            for outcome, wanted in zip(OUTCOMES, map(int, found.groups())):
                known = [test for test in tests if test[2] == outcome]
                yield from known[:wanted]
                yield from ((program, f"unnamed {i}", outcome, "") for i in range(len(known), wanted))
            tests = []


def main(output, junit):
    suite = ElementTree.Element("testsuite", name="cargo test")
    ran = False
    with open(output, encoding="utf-8", errors="replace") as lines:
        for program, test, outcome, reason in read(line.rstrip("\n") for line in lines):
            ran = True
            case = ElementTree.SubElement(suite, "testcase", classname=program, name=f"{program}: {test}")
            if outcome == "FAILED":
                ElementTree.SubElement(case, "failure", message="see the step's output")
            elif outcome == "ignored":
                ElementTree.SubElement(case, "skipped", message=reason or "ignored")
    ElementTree.ElementTree(suite).write(junit, encoding="utf-8", xml_declaration=True)
    return 0 if ran else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
