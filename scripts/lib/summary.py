#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums up a run of scripts/test from its steps.tsv and JUnit files.

    summary.py RESULTS_DIR [--strict]

Prints one line per step, one per failed test, one per skip with its reason, and last "N passed, N failed, N skipped".
Exit status 1 when anything failed, when no test ran at all, or with --strict when a skip has a reason that is not
allowed. A step that failed though none of its tests did counts as one failure, so the last line never looks green.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ALLOWED_SKIPS = re.compile(r"no GPU|no JDK >= 22 for FFM|no g\+\+ 14 in this release")


def skip_reason(case, skipped):
    """The text given to GTEST_SKIP or pytest.skip. ctest keeps only the output: gtest prints the text there after
    "Skipped", and a script that exits with the skip status prints it in its last line."""
    output = case.findtext("system-out") or ""
    found = re.search(r"Skipped\n(.*?)\n\s*\n?\[", output, re.DOTALL)
    if found and found.group(1).strip():
        return " ".join(found.group(1).split())
    if "SKIP_RETURN_CODE" in (skipped.get("message") or "") and output.strip():
        return output.strip().splitlines()[-1].strip()
    return " ".join((skipped.get("message") or skipped.text or "no reason given").split())


def read_junit(path):
    """Returns (passed, [failed names], [(skipped name, reason)])."""
    passed, failed, skipped = 0, [], []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = case.get("name", "?")
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(name)
        elif skip is not None:
            skipped.append((name, skip_reason(case, skip)))
        elif case.get("status") in ("notrun", "disabled"):
            skipped.append((name, f"not run: {case.get('status')}"))
        else:
            passed += 1
    return passed, failed, skipped


def read_steps(results):
    for line in (results / "steps.tsv").read_text().splitlines():
        name, outcome, seconds, reason = line.split("\t")
        passed, failed, skipped = 0, [], []
        for path in sorted(results.glob(f"{name}.xml")) + sorted(results.glob(f"{name}.*.xml")):
            more = read_junit(path)
            passed, failed, skipped = passed + more[0], failed + more[1], skipped + more[2]
        if outcome == "ok" and failed:
            outcome = "failed"
        if outcome == "failed" and not failed:
            failed = [f"the step itself, see its output above or {name}.log"]
        if outcome == "skipped":
            skipped = [("the whole step", reason)]
        yield name, outcome, int(seconds), passed, failed, skipped


def main(results, strict):
    total_passed = total_failed = total_skipped = 0
    details = []
    print("\nstep                      result     s  passed  failed  skipped")
    for name, outcome, seconds, passed, failed, skipped in read_steps(results):
        print(f"{name:<25} {outcome:<7} {seconds:>4}  {passed:>6}  {len(failed):>6}  {len(skipped):>7}")
        details += [f"failed: {name}: {test}" for test in failed]
        for test, reason in skipped:
            refused = strict and not ALLOWED_SKIPS.search(reason)
            details.append(f"{'skip not allowed' if refused else 'skipped'}: {name}: {test}: {reason}")
            total_failed += refused
            total_skipped += not refused
        total_passed += passed
        total_failed += len(failed)
    print("".join(f"\n{line}" for line in details))
    nothing_ran = total_passed + total_failed == 0
    if nothing_ran:
        print("failed: no test ran")
    print(f"{total_passed} passed, {total_failed + nothing_ran} failed, {total_skipped} skipped")
    return 1 if total_failed or nothing_ran else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--strict"]):
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:] == ["--strict"]))
