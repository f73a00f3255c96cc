# SPDX-License-Identifier: Apache-2.0
"""gpustream run --trace --device-times: work has spans in its stream, where the device did it."""
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

from front_support import USER, Program, ptx, run

KERNEL_US = 5000


class Times(Program):
    def __init__(self):
        super().__init__()
        self.other, self.event = self.new("StreamCreate", 1), self.new("EventCreate", 2)
        self.busy = self.kernel(ptx("busy", 0), b"busy")

    def works(self):
        """Two kernels in one stream; a kernel and a fill in another one, behind them."""
        before = time.monotonic_ns()
        for _ in range(2):
            self.launch(self.busy, self.stream)
        self.call("EventRecord", self.event, self.stream)
        self.call("StreamWaitEvent", self.other, self.event, 0)
        self.launch(self.busy, self.other)
        self.call("MemsetD8Async", self.memory, 1, ctypes.c_size_t(100), self.other)
        self.call("StreamSynchronize", self.other)
        print(before / 1000, time.monotonic_ns() / 1000)

    def captures(self):
        self.call("StreamBeginCapture_v2", self.stream, 0)  # global: queries are refused
        self.launch(self.busy, self.stream)
        self.launch(self.busy, self.other)
        graph = self.captured(self.stream)
        self.call("GraphLaunch", graph, self.stream)
        self.call("CtxSynchronize")

    def leaves(self):
        self.launch(self.busy, self.stream)
        self.call("StreamSynchronize", self.stream)
        self.launch(self.busy, self.other)

    def without_context(self):
        self.call("CtxSetCurrent", None)
        self.leaves()

    def in_default_streams(self):
        for stream in 1, 2:
            self.launch(self.busy, ctypes.c_void_p(stream))
        self.call("CtxSynchronize")


class DeviceTimes(unittest.TestCase):
    def trace(self, method, *options):
        """The spans, and what the program has written."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "trace.json"
            options = ("--simulate", "--kernel-time", f"{KERNEL_US}us", "--trace", str(file), "--device-times", *options)
            ended = run(sys.executable, __file__, method, options=options)
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
            self.document = json.loads(file.read_text())
        self.stdout = ended.stdout
        return [one for one in self.document["traceEvents"] if one["ph"] == "X" and one["cat"] == "gpu_work"]

    def error(self, *spans):
        return sum(one["args"]["error_ns"] for one in spans) / 1000 + 0.002  # and what the text rounds

    def test_spans_lie_where_the_work_was(self):
        first, second, third, fill = self.trace("works")
        before, after = map(float, self.stdout.split())
        self.assertEqual([one["name"] for one in (first, second, third, fill)], 3 * ["cuLaunchKernel"] + ["cuMemsetD8Async"])
        self.assertEqual([one["tid"] for one in (first, second, third, fill)], [1, 1, 2, 2])
        for one, earliest in (first, before), (second, before + KERNEL_US), (third, before + 2 * KERNEL_US), (fill, before + 3 * KERNEL_US):
            self.assertGreaterEqual(one["ts"], earliest - self.error(one))
            self.assertLessEqual(one["ts"] + one["dur"], after + self.error(one))
        for one in first, second, third:
            self.assertGreaterEqual(one["dur"], KERNEL_US - self.error(one, one))
        for one, later in (first, second), (second, third), (third, fill):
            self.assertGreaterEqual(later["ts"], one["ts"] + one["dur"] - self.error(one, later))
        self.assertEqual(self.document["gpustream"]["ranges_not_timed"], 0)

    def test_captures_are_left_alone(self):
        other, launch = sorted(self.trace("captures", "--captures", "--check"), key=lambda one: one["name"], reverse=True)
        self.assertEqual([one["name"] for one in (other, launch)], ["cuLaunchKernel", "cuGraphLaunch"])
        self.assertEqual(self.document["gpustream"]["ranges_not_timed"], 0)

    def test_work_that_is_not_waited_for(self):
        for method in "leaves", "without_context":
            self.assertEqual(len(self.trace(method)), 1)
            self.assertEqual(self.document["gpustream"]["ranges_not_timed"], 1)

    def test_default_streams(self):
        self.assertEqual([one["tid"] for one in self.trace("in_default_streams")], [0, 0])

    def test_programs_work_as_before(self):
        with tempfile.TemporaryDirectory() as folder:
            options = ("--trace", folder + "/trace.json", "--device-times", "--stats", "--check", "--leaks", "--syncs", "--captures")
            for program in (("work", "9000"), ("threads", "8"), ("capture",), ("changed",), ("forks", USER), ("devices", "5"), ("kernel", "right")):
                with self.subTest(program):
                    ended = run(USER, *program, options=options)
                    alone = subprocess.run([USER, *program], capture_output=True, text=True, check=False,
                                           env={**os.environ, "LD_LIBRARY_PATH": os.path.dirname(os.environ["GPUSTREAM_LIBCUDA"])})
                    self.assertEqual((ended.returncode, ended.stdout), (0, alone.stdout), ended.stderr)
                    self.assertEqual("live at exit" in ended.stderr, program[0] == "devices", ended.stderr)
                    self.assertNotIn("race on", ended.stderr)

    def test_without_a_trace(self):
        ended = run("true", options=("--device-times",))
        self.assertEqual((ended.returncode, ended.stderr), (2, "gpustream run: --device-times is for --trace\n"))


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1] in vars(Times):
        getattr(Times(), sys.argv[1])()
    else:
        unittest.main()
