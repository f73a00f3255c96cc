#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums up a run of scripts/test from its steps.tsv and JUnit files.

    summary.py RESULTS_DIR [--strict]

Prints one line per step, one per reason of skips with their number, one per failed test with the command that repeats it, and last
"N passed, N failed, N skipped". Exit status 1 when anything failed, when no test ran at all, or with --strict when a skip has a
reason that is not allowed. A step that failed though none of its tests did counts as one failure, so the last line never
looks green.
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
        name, outcome, seconds, reason, again = line.split("\t")
        passed, failed, skipped = 0, [], []
        for path in sorted(results.glob(f"{name}.xml")) + sorted(results.glob(f"{name}.*.xml")):
            more = read_junit(path)
            passed, failed, skipped = passed + more[0], failed + more[1], skipped + more[2]
        if outcome == "ok" and failed:
            outcome = "failed"
        one = results / f"{name}.again"
        if one.exists():
            repeats = [f"{one.read_text().strip()} '^{re.escape(test)}$'" for test in failed]
        else:
            repeats = [again] * len(failed)
        if outcome == "failed" and not failed:
            failed, repeats = [f"the step itself, see its output above or {name}.log"], [again]
        if outcome == "skipped":
            skipped = [("the whole step", reason)]
        yield name, outcome, int(seconds), passed, list(zip(failed, repeats)), skipped


def main(results, strict):
    total_passed = total_failed = total_skipped = 0
    failures, skips = [], {}
    print("\nstep                      result     s  passed  failed  skipped")
    for name, outcome, seconds, passed, failed, skipped in read_steps(results):
        print(f"{name:<25} {outcome:<7} {seconds:>4}  {passed:>6}  {len(failed):>6}  {len(skipped):>7}")
        failures += [f"failed: {name}: {test}\n        again: {again}" for test, again in failed]
        for test, reason in skipped:
            if strict and not ALLOWED_SKIPS.search(reason):
                failures.append(f"skip not allowed: {name}: {test}: {reason}")
                total_failed += 1
            else:
                skips.setdefault(reason, []).append(name)
                total_skipped += 1
        total_passed += passed
        total_failed += len(failed)
    print()
    for reason, steps in skips.items():
        print(f"skipped: {len(steps)} in {', '.join(dict.fromkeys(steps))}: {reason}")
    print("".join(f"{line}\n" for line in failures), end="")
    nothing_ran = total_passed + total_failed == 0
    if nothing_ran:
        print("failed: no test ran")
    print(f"{total_passed} passed, {total_failed + nothing_ran} failed, {total_skipped} skipped")
    return 1 if total_failed or nothing_ran else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--strict"]):
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:] == ["--strict"]))
