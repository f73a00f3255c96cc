# SPDX-License-Identifier: Apache-2.0
"""Each option of gpustream run together with --simulate; tests of its own have --device-times and --learn."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from front_support import COMMAND, RACER, USER, counts, explained_hang, simulate
from test_check import WRONG


class Options(unittest.TestCase):
    def text(self, *arguments, options, code=0):
        ended = simulate(*arguments, options=options)
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
        self.stdout = ended.stdout
        return ended.stderr

    def test_stats(self):
        seen = counts(self.text(USER, "work", "7", options=("--stats",)))
        self.assertEqual([seen[name] for name in ("cuMemsetD8Async", "cuEventRecord", "cuStreamWaitEvent", "cuStreamDestroy_v2")], [7, 7, 7, 2])

    def test_syncs(self):
        text = self.text(USER, "work", "3", options=("--syncs",))
        self.assertRegex(text, r"was blocked by cuStreamSynchronize 1 times, .*; called from front_user\.c:\d+ in work, from front_user\.c:\d+ in main")

    def test_leaks(self):
        text = self.text(USER, "leak", options=("--leaks",))
        self.assertIn("live at exit: 1 stream, 1 event, 1 block of memory with 1000 bytes", text)
        self.assertNotIn("live at exit", self.text(USER, "work", "3", options=("--leaks",)))

    def test_captures(self):
        text = self.text(USER, "broken", options=("--captures",))
        self.assertRegex(text, r"cuStreamSynchronize returned CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED; called from front_user\.c:\d+")
        self.assertRegex(text, r"    while thread \d+ captures CUstream 0x[0-9a-f]+, begun at front_user\.c:\d+")
        self.assertIn("0 calls were refused, 0 captures ended broken", self.text(USER, "capture", options=("--captures",)))
        self.assertEqual(self.stdout, "2 nodes\n")

    def test_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "trace.json"
            self.text(USER, "work", "3", options=("--trace", str(file)))
            events = json.loads(file.read_text())["traceEvents"]
        calls = [one["name"] for one in events if one.get("cat") == "cuda_driver"]
        self.assertEqual(calls[4:7], ["cuMemsetD8Async", "cuEventRecord", "cuStreamWaitEvent"])
        self.assertEqual(len([one for one in events if one["ph"] == "s"]), 3)

    def test_check(self):
        for pattern in WRONG:
            with self.subTest(pattern):
                wrong = self.text(RACER, pattern, "wrong", options=("--check", "--error-exitcode", "77"), code=77)
                self.assertEqual(wrong.count(": race on 64 bytes"), 1, wrong)
                self.assertIn("check: 0 races\n", self.text(RACER, pattern, "right", options=("--check", "--error-exitcode", "77")))

    def test_check_of_kernels(self):
        for order, races in ("wrong", 1), ("right", 0):
            self.assertEqual(self.text(USER, "kernel", order, options=("--check=kernels",)).count("race on 1 bytes"), races)

    def test_log(self):
        text = explained_hang(self, "--simulate")
        self.assertRegex(text, r"may wait for event 0x[0-9a-f]+, recorded in stream .*, which may wait for a word of memory")
        self.assertIn('is in "cuStreamSynchronize"', text)

    def test_a_log_that_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            self.text(USER, "work", "3", options=(f"--log={folder}/%p.gpuslog",))
            (log,) = pathlib.Path(folder).iterdir()
            text = subprocess.run([COMMAND, "explain", str(log)], capture_output=True, text=True, check=True).stdout
        self.assertIn("fills 1000 bytes", text)

    def test_all_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            options = ("--stats", "--syncs", "--leaks", "--captures", "--log", "--check=kernels", "--trace", os.path.join(folder, "trace.json"), "--device-times")
            for program in (("threads", "8"), ("capture",), ("changed",), ("forks", USER), ("work", "100"), ("leaves", "thread"), ("kernel", "right")):
                with self.subTest(program):
                    self.assertNotIn("race on", self.text(USER, *program, options=options))


if __name__ == "__main__":
    unittest.main()
