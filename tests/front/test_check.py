# SPDX-License-Identifier: Apache-2.0
"""gpustream run --check: accesses that nothing orders are named with both places and streams; right programs give no report."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from front_support import COMMAND, HERE, RACER, USER, run

SOURCE = (HERE / "racer.c").read_text(encoding="utf-8").splitlines()
SIDE = r"  {0}: (\w+) of (\d+) bytes at \S+, \"(\w+)\", (.*), access number \d+\n      #0 racer\.c:(\d+) in (\w+)\n(?:      #1 racer\.c:(\d+) in \w+\n)?"
FILL, COPY, ALLOCATION = "write cuMemsetD8Async", "read cuMemcpyAsync", "allocation cuMemAllocAsync"
# The two sides, each with its stream: 1 and 2 of the program, 0 for a default stream, None for the host.
WRONG = {
    "producer": (FILL, 1, COPY, 2),
    "unbound": (FILL, 1, COPY, 2),
    "consumer": (COPY, 1, FILL, 2),
    "graph": (FILL, 1, COPY, 1),  # of the launch
    "freed": (COPY, 2, "free cuMemFreeAsync", 1),
    "freed_at_once": (COPY, 1, "free cuMemFree_v2", None),
    "used_too_early": (ALLOCATION, 1, FILL, 2),
    "reused": (FILL, 1, FILL, 2),
    "refilled": (COPY, 1, "write cuMemcpyAsync", 2),
    "default_stream": (FILL, 0, COPY, 2),
    "thread_stream": (FILL, 0, COPY, 2),
    "recorded_too_early": (FILL, 1, COPY, 2),
    "recorded_again": (FILL, 1, COPY, 2),
    "never_recorded": (FILL, 1, COPY, 2),
    "launched": (FILL, 1, COPY, 2),
    "awaited_in_a_graph": (FILL, 1, COPY, 2),
    "joined": (FILL, 1, COPY, 2),
}


# A fill in one stream, and one of the same memory in another one: between them the program asks for the time of two events.
ELAPSED = """
import ctypes, sys
from ctypes import byref, c_size_t, c_void_p
driver = ctypes.CDLL("libcuda.so.1")
context, one, other, begin, end, memory, ms = *(c_void_p() for _ in range(6)), ctypes.c_float()
def call(name, *arguments):
    assert getattr(driver, name)(*arguments) == 0, name
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", byref(context), 0)
call("cuCtxSetCurrent", context)
for stream in one, other:
    call("cuStreamCreate", byref(stream), 1)
for event in begin, end:
    call("cuEventCreate", byref(event), 0)
call("cuMemAlloc_v2", byref(memory), c_size_t(64))
call("cuEventRecord", begin, one)
call("cuMemsetD8Async", memory, 1, c_size_t(64), one)
call("cuEventRecord", end, one)
while sys.argv[1] == "elapsed" and driver.cuEventElapsedTime(byref(ms), begin, end) == 600:
    pass
call("cuMemsetD8Async", memory, 2, c_size_t(64), other)
call("cuStreamSynchronize", one)
call("cuStreamSynchronize", other)
"""


def check(*program, options=(), how="--check", **environment):
    return run(*program, options=(how, *options), **environment)


def side_of(text, which, streams):
    """'KIND FUNCTION', the number of the stream, and the line of the program that has the comment."""
    kind, size, function, who, first, _, second = re.search(SIDE.format(which), text).groups()
    address = re.search(r"CUstream (0x[0-9a-f]+)", who)
    stream = streams.index(address[1]) + 1 if address else None if "host thread" in who else 0
    lines = [SOURCE[int(line) - 1] for line in (first, second) if line]
    return f"{kind} {function}", stream, int(size), next((line for line in lines if f"/* {which} */" in line), lines)


class Check(unittest.TestCase):
    def test_a_missing_wait_is_named(self):
        for pattern, (first, stream, second, other_stream) in WRONG.items():
            with self.subTest(pattern):
                ended = check(RACER, pattern, "wrong", "streams")
                text = ended.stderr
                self.assertEqual((ended.returncode, text.count(": race on 64 bytes")), (0, 1), ended.stdout + text)
                streams = ended.stdout.split()
                for which, access, number in ("earlier", first, stream), ("later", second, other_stream):
                    found = side_of(text, which, streams)
                    self.assertEqual(found[:3], (access, number, 64), text)
                    self.assertIsInstance(found[3], str, text)
                self.assertEqual(pattern in ("recorded_too_early", "freed", "freed_at_once"), "but it covers only what came before" in text, text)
                self.assertIn("check: 1 race\n", text)

    def test_right_programs_have_no_report(self):
        for pattern in WRONG:
            with self.subTest(pattern):
                ended = check(RACER, pattern, "right", options=("--error-exitcode", "77"))
                self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
                self.assertIn("check: 0 races\n", ended.stderr)
                self.assertNotIn("race on", ended.stderr)

    def test_exit_code(self):
        self.assertEqual(check(RACER, "producer", "wrong", options=("--error-exitcode", "77")).returncode, 77)
        for options in (("--error-exitcode", "256"), ("--error-exitcode",)):
            self.assertEqual(check(RACER, "producer", "wrong", options=options).returncode, 2)
        self.assertEqual(run(RACER, "producer", "right", options=("--error-exitcode", "1")).returncode, 2)  # without --check

    def test_a_checker_that_does_not_start_is_a_failure(self):
        with tempfile.NamedTemporaryFile("w") as unwanted:
            unwanted.write("nonsense\n")
            unwanted.flush()
            for wrong in ({"GPUSTREAM_CHECK_JSON": "/nonexistent/lines"}, {"GPUSTREAM_CHECK_SUPPRESSIONS": "/nonexistent/unwanted"},
                          {"GPUSTREAM_CHECK_SUPPRESSIONS": unwanted.name}):
                for options in ((), ("--error-exitcode", "77")):
                    ended = check(RACER, "producer", "wrong", options=options, **wrong)
                    self.assertEqual(ended.returncode, 125, ended.stderr)
                    self.assertIn("the ordering checker does not start", ended.stderr)
                    self.assertNotIn("0 races", ended.stderr)

    def test_a_time_between_events_shows_that_both_are_done(self):
        for pattern, code in ("elapsed", 0), ("unasked", 77):
            ended = check(sys.executable, "-c", ELAPSED, pattern, options=("--error-exitcode", "77"))
            self.assertEqual(ended.returncode, code, ended.stderr)

    def test_reports_as_json_and_unwanted_ones(self):
        with tempfile.TemporaryDirectory() as folder:
            lines, unwanted = pathlib.Path(folder, "lines"), pathlib.Path(folder, "unwanted")
            unwanted.write_text("label:cuMemset*\n")
            for pattern, races in ("producer", 0), ("freed", 1):
                ended = check(RACER, pattern, "wrong", GPUSTREAM_CHECK_JSON=str(lines), GPUSTREAM_CHECK_SUPPRESSIONS=str(unwanted))
                self.assertEqual(ended.stderr.count("race on"), races, ended.stderr)
            (race,) = map(json.loads, lines.read_text().splitlines())
            self.assertEqual([race[side]["label"] for side in ("earlier", "later")], ["cuMemcpyAsync", "cuMemFreeAsync"])

    def test_a_picture(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as text:
            text.write(check(RACER, "producer", "wrong").stderr)
            text.flush()
            drawn = subprocess.run([COMMAND, "explain", "--svg", text.name], capture_output=True, text=True, check=True).stdout
        self.assertRegex(drawn, "(?s)<svg.*cuMemsetD8Async.*cuMemcpyAsync")

    def test_kernels(self):
        for how, order, races in ("--check", "wrong", 0), ("--check=kernels", "wrong", 1), ("--check=kernels", "right", 0):
            with self.subTest(f"{how}, {order}"):
                ended = check(USER, "kernel", order, how=how)
                self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
                self.assertEqual(ended.stderr.count("race on 1 bytes"), races, ended.stderr)
                self.assertEqual(ended.stderr.count('later: access of 1 bytes'), races, ended.stderr)
                self.assertEqual(ended.stderr.count('"cuLaunchKernel"'), races, ended.stderr)

    def test_all_at_once(self):
        options = ("--stats", "--log", "--syncs", "--leaks", "--captures")
        for program in (("threads", "8"), ("capture",), ("changed",), ("forks", USER), ("work", "100"), ("leaves", "thread")):
            with self.subTest(program):
                ended = check(USER, *program, options=options)
                self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
                self.assertNotIn("race on", ended.stderr)


if __name__ == "__main__":
    unittest.main()
