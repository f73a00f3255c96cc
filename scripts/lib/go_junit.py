#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a JUnit file from what `go test -json` printed, and prints what go test prints without -json.

    go test -json ./... | go_junit.py JUNIT

Exit status 1 when no test ran, or a test or package failed: a package that does not compile has no tests.
"""
import json
import sys
import xml.etree.ElementTree as ElementTree


def main(junit):
    suite = ElementTree.Element("testsuite", name="go test")
    outputs, ran, failed = {}, False, False
    for line in sys.stdin:
        try:
            event = json.loads(line)
        except json.JSONDecodeError:
            print(line, end="")
            continue
        package, test, action = event.get("Package", "?"), event.get("Test"), event["Action"]
        if action in ("output", "build-output"):
            outputs.setdefault((package, test), []).append(event["Output"])
            if test is None:
                print(event["Output"], end="")
        elif action in ("pass", "fail", "skip") and test:
            ran = True
            case = ElementTree.SubElement(suite, "testcase", classname=package, name=f"{package.rsplit('/', 1)[-1]}: {test}")
            text = "".join(outputs.pop((package, test), []))
            if action == "fail":
                ElementTree.SubElement(case, "failure", message=text[-2000:])
                print(text, end="")
            elif action == "skip":
                ElementTree.SubElement(case, "skipped", message=text.strip().splitlines()[-1] if text.strip() else "no reason given")
        failed |= action in ("fail", "build-fail")
    ElementTree.ElementTree(suite).write(junit, encoding="utf-8", xml_declaration=True)
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
