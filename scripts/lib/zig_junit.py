#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a JUnit file from what `zig test` printed, and prints it.

    zig test ... 2>&1 | zig_junit.py JUNIT

Exit status 1 when no test ran, or one failed. The caller looks at zig's own status: a module that does not compile has no
tests.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree


def main(junit):
    suite = ElementTree.Element("testsuite", name="zig test")
    failed = 0
    for line in sys.stdin:
        print(line, end="")
        found = re.match(r"\d+/\d+ (.+?)\.\.\.(.*)$", line)
        if not found:
            continue
        case = ElementTree.SubElement(suite, "testcase", classname="zig", name=found.group(1))
        if found.group(2).startswith("SKIP"):
            ElementTree.SubElement(case, "skipped", message="no reason given")
        elif found.group(2) != "OK":
            failed += 1
            ElementTree.SubElement(case, "failure", message=found.group(2))
    ElementTree.ElementTree(suite).write(junit, encoding="utf-8", xml_declaration=True)
    return 1 if failed or not len(suite) else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
