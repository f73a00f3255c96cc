# SPDX-License-Identifier: Apache-2.0
"""gpustream shake: programs with one wait missing are found and named, right ones pass."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from front_support import RACER, USER, run

# The late call and what overtakes it.
WRONG = {
    "producer": ("cuMemsetD8Async", "cuMemcpyAsync"),
    "unbound": ("cuMemsetD8Async", "cuMemcpyAsync"),
    "consumer": ("cuMemcpyAsync", "cuMemsetD8Async"),
    "kernel": ("cuMemsetD8Async", "cuLaunchKernel"),
    "graph": ("cuMemsetD8Async", "cuMemcpyAsync"),
    "pinned": ("cuMemcpyAsync", None),
}


def shake(*arguments, options=(), **environment):
    return run(*arguments, options=options, command="shake", **environment)


def race(pattern, order, *options):
    return shake(USER if pattern == "kernel" else RACER, pattern, order, options=options)


class Shake(unittest.TestCase):
    def test_a_missing_wait_is_named(self):
        for pattern, (late, ahead) in WRONG.items():
            with self.subTest(pattern):
                for _ in range(5):
                    ended = race(pattern, "wrong", "--json")
                    if ended.returncode != 2:  # a busy machine may show the race without delays
                        break
                self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
                report = json.loads(ended.stdout)
                self.assertEqual(report["late"][-1]["function"], late, report)
                self.assertRegex(report["late"][-1]["at"], r"(racer|front_user)\.c:")
                self.assertLess(report["plain_fails"], report["plain_of"])
                self.assertGreaterEqual(report["fails"], 1)
                self.assertEqual([one["function"] for one in report["ahead"]], [ahead] if ahead else [], report)
                if ahead:
                    self.assertEqual(report["ahead"][0]["match"], 2)
                    self.assertNotEqual(report["ahead"][0]["stream"], report["late"][-1]["stream"])

    def test_right_programs_pass(self):
        for pattern in WRONG:
            with self.subTest(pattern):
                ended = race(pattern, "right", "--runs", "12", "--json")
                self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
                report = json.loads(ended.stdout)
                self.assertEqual((report["found"], report["runs"], report["refused"]), (False, 13, 0))

    def test_text(self):
        text = shake(RACER, "producer", "wrong").stdout
        self.assertRegex(text, r"with delays the program fails \(exit code 1\), without it does not\n"
                               r"  late:  cuMemsetD8Async in stream 1, call \d+ of thread 1 of process 1, by \d ms\n         at racer\.c:\d+ in producer, from .*\n"
                               r"  ahead: cuMemcpyAsync in stream 2, at the same address\n         at racer\.c:\d+ in producer, from ")
        self.assertRegex(text, r"With these delays alone it failed in \d of 5 runs, without delays in \d of 3.")

    def test_output_and_files_are_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            result = pathlib.Path(folder) / "result"
            program = f'{RACER} producer wrong; echo $? | tee {result} >&2'
            self.assertEqual(shake("/bin/sh", "-c", program).returncode, 0)
            self.assertEqual(shake("/bin/sh", "-c", program, options=("--compare", str(result))).returncode, 1)
            self.assertEqual(result.read_text(), "0\n")  # of the last run, which has no delays
        printed = shake("/bin/sh", "-c", f"{RACER} producer wrong; echo $?", options=("--compare-output",))
        self.assertIn("its output differs from the plain run's", printed.stdout)

    def test_exit_codes(self):
        self.assertEqual(shake(USER, "leaves", "exit 9").returncode, 2)
        self.assertEqual(shake("/no/program").returncode, 3)
        self.assertEqual(shake("/bin/true").returncode, 4)
        self.assertEqual(shake(USER, "nothing").returncode, 4)
        self.assertEqual(shake(RACER, "producer", "right", options=("--runs", "0")).returncode, 3)

    def test_captures_stay_the_same(self):
        """Every run with delays has one node more ahead of each call of work; the plain run has the program's only."""
        with tempfile.TemporaryDirectory() as folder:
            nodes = set()
            for plan in ("", "seed 1\nuniform 1\n", "seed 2\nstream 1\n"):
                path = pathlib.Path(folder) / "plan"
                path.write_text(plan)
                front = pathlib.Path(os.environ["GPUSTREAM_COMMAND"]).parent.parent / "gpustream/front"
                settings = f"driver={os.environ['GPUSTREAM_LIBCUDA']};folder={folder};delays={path}"
                ended = subprocess.run([USER, "capture"], capture_output=True, text=True, check=True,
                                       env={**os.environ, "LD_LIBRARY_PATH": str(front), "GPUSTREAM_RUN": settings})
                nodes.add((plan != "", int(re.match(r"(\d+) nodes", ended.stdout).group(1))))
        self.assertEqual(len(nodes), 2, nodes)
        self.assertEqual({count for delayed, count in nodes if delayed}, {count + 2 for delayed, count in nodes if not delayed})


if __name__ == "__main__":
    unittest.main()
