# SPDX-License-Identifier: Apache-2.0
"""Runs each case of a conformance executable under compute-sanitizer, in a process of its own, several at a time.

The cases of memcheck_left_out.txt are not run: the tool waits for kernels at launch, and a case that holds a stream by a
closed gate would never go on. A case that does not end, fails or has an error fails the run.

usage: memcheck.py EXECUTABLE      exit status 0: no error
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

LIMIT = 60  # seconds for one case; a normal one takes about five
AT_A_TIME = 8  # each takes gigabytes of memory, of the GPU's too: 28 had no room for their contexts
LIST = pathlib.Path(__file__).with_name("memcheck_left_out.txt")


def cases(executable):
    text = subprocess.run([executable, "--gtest_list_tests", "--gtest_filter=*/cuda"], capture_output=True, text=True,
                          check=True).stdout
    suite = ""
    for line in text.splitlines():
        if line.startswith("  "):
            yield suite + line.split("#")[0].strip()
        else:
            suite = line.split("#")[0].strip()


TOOL = ["compute-sanitizer", "--tool", "memcheck", "--error-exitcode", "9", "--target-processes", "all",
        "--report-api-errors", "no"]  # many cases are about rejected calls


def check(executable, case):
    command = [*TOOL, executable, f"--gtest_filter={case}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            output, _ = process.communicate()
            return case, "did not end", output
    skipped = "[  SKIPPED ]" in output
    untouched = "terminated before first instrumented API call" in output and "[  PASSED  ] 1 test" in output
    if skipped or untouched:
        # The tool prints a summary only for a case that calls the driver.
        return case, "skipped" if skipped else "ok", ""
    errors = sum(int(n) for n in re.findall(r"ERROR SUMMARY: (\d+) error", output))
    if "ERROR SUMMARY" not in output:
        return case, "no summary from the tool", output
    if errors or process.returncode != 0:
        return case, f"{errors} errors, exit status {process.returncode}", output
    return case, "ok", ""


def main():
    executable = sys.argv[1]
    left_out = set(LIST.read_text().split())
    found = list(cases(executable))
    unknown = left_out - set(found)
    if unknown:
        print(f"{LIST.name} names cases that do not exist: {' '.join(sorted(unknown))}")
        return 1
    counts = {"ok": 0, "skipped": 0, "failed": 0}
    workers = min(AT_A_TIME, max(1, (os.cpu_count() or 4) - 4))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for case, outcome, output in pool.map(lambda name: check(executable, name), [c for c in found if c not in left_out]):
            counts[outcome if outcome in counts else "failed"] += 1
            print(f"{outcome:<12} {case}", flush=True)  # of a run that is cut off, too
            if output:
                print("\n".join("    " + line for line in output.splitlines()[-60:]))
    for case in sorted(left_out):
        print(f"{'left out':<12} {case}")
    print(f"{len(found)} cases, {counts['ok']} without an error, {counts['failed']} failed, {counts['skipped']} skipped, "
          f"{len(left_out)} left out")
    return 1 if counts["failed"] or not counts["ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
