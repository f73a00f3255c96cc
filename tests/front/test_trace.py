# SPDX-License-Identifier: Apache-2.0
"""gpustream run --trace: the calls of threads, what they put in streams, and what is left however a program ends."""
import json
import pathlib
import signal
import subprocess
import tempfile
import unittest

from front_support import COMMAND, USER, run

ROUND = [("cuMemsetD8Async", "fill"), ("cuEventRecord", "record"), ("cuStreamWaitEvent", "Stream Wait Event")]


class Trace(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "trace.json"

    def trace(self, *program, options=(), code=0):
        """{phase: events} of the program's trace."""
        ended = run(*program, options=("--trace", str(self.file), *options))
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
        self.assertNotIn("no trace", ended.stderr)
        return self.events(self.file)

    def events(self, file):
        self.document = json.loads(file.read_text())
        found = {"X": [], "M": [], "s": [], "f": []}
        for event in self.document["traceEvents"]:
            found[event["ph"]].append(event)
        return found

    def calls(self, events):
        return [one["name"] for one in events["X"] if one["cat"] == "cuda_driver"]

    def test_calls_streams_and_arrows(self):
        events = self.trace(USER, "work", "3")
        calls = [one for one in events["X"] if one["cat"] == "cuda_driver"]
        self.assertEqual(self.calls(events), ["cuStreamCreate", "cuStreamCreateWithPriority", "cuEventCreate", "cuMemAlloc_v2",
                                              *[call for call, _ in ROUND] * 3, "cuStreamSynchronize", "cuMemFree_v2",
                                              "cuEventDestroy_v2", "cuStreamDestroy_v2", "cuStreamDestroy_v2"])
        self.assertEqual({one["pid"] for one in calls}, {self.document["gpustream"]["process"]})
        for call, later in zip(calls, calls[1:]):
            self.assertLessEqual(call["ts"] + call["dur"], later["ts"] + 0.001)
        work = [one for one in events["X"] if one["pid"] == 0]
        seen = [one["name"] for one in events["X"] if one not in calls + work]
        self.assertEqual(seen, ["stream is idle"])  # by the call that synchronizes
        self.assertEqual([one["name"] for one in work], [name for _, name in ROUND] * 3)
        self.assertEqual([one["tid"] for one in work], [1, 1, 2] * 3)
        for call, operation in zip(calls[4:], work):
            self.assertTrue(call["ts"] <= operation["ts"] <= call["ts"] + call["dur"], (call, operation))
        ends = [[(one["tid"], one["ts"]) for one in work if one["name"] == name] for name in ("record", "Stream Wait Event")]
        self.assertEqual([[(one["tid"], one["ts"]) for one in events[phase]] for phase in "sf"], ends)
        named = [one["args"]["name"] for one in events["M"] if one["pid"] == 0 and one["name"] == "thread_name"]
        self.assertRegex(" ".join(named), r"^stream 1 CUstream 0x[0-9a-f]+ stream 2 CUstream 0x[0-9a-f]+$")

    def test_devices(self):
        events = self.trace(USER, "devices", "1")
        self.assertEqual([one["pid"] for one in events["X"] if one["name"] == "fill"], [0, 1])

    def test_every_end(self):
        for how, code in {"_exit": 0, "thread": 0, "signal": 128 + signal.SIGKILL}.items():
            with self.subTest(how):
                self.assertEqual(self.calls(self.trace(USER, "leaves", how, code=code))[4:], [call for call, _ in ROUND])

    def test_a_call_that_was_killed_is_open(self):
        with subprocess.Popen([COMMAND, "run", "--trace", self.file, "--", USER, "hang"], stdout=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), "waiting\n")
            child = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0]
            for _ in range(200):
                if "cuStreamSynchronize" in subprocess.run([COMMAND, "explain", child], capture_output=True, text=True, check=True).stdout:
                    break
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(60), 128 + signal.SIGTERM)
        self.assertEqual([one["name"] for one in self.events(self.file)["X"] if "open" in one["args"]], ["cuStreamSynchronize"])

    def test_each_process_has_its_file(self):
        ended = run(USER, "forks", USER, options=("--trace", str(self.file)))
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        counts = []
        for file in self.file.parent.iterdir():
            counts.append(self.calls(self.events(file)).count("cuEventRecord"))
            self.assertEqual(file.name, f"trace.{self.document['gpustream']['process']}.json")
        self.assertEqual(sorted(counts), [1, 2])  # the parent, and the program that its child has executed

    def test_captures(self):
        options = ("--stats", "--syncs", "--leaks", "--captures", "--log")
        events = self.trace(USER, "capture", options=options)
        self.assertEqual([one["name"] for one in events["X"] if one["pid"] == 0], ["graph launch"])  # nothing that a capture records
        self.assertEqual(self.calls(events).count("cuMemsetD8Async"), 2)

    def test_old_calls_make_room(self):
        events = self.trace(USER, "work", "20000")
        kept = self.document["gpustream"]
        self.assertGreater(kept["dropped"], 3 * 3 * 20000 - 2**17)
        self.assertEqual(self.calls(events)[-1], "cuStreamDestroy_v2")

    def test_what_cannot_be_traced(self):
        for options in (("--trace",), ("--trace", str(self.file), "--log=x")):
            self.assertEqual(run(USER, "work", "1", options=options).returncode, 2)
        gone = run("/bin/sh", "-c", f"{USER} work 1; rmdir {self.file.parent}; exit 9", options=("--trace", str(self.file)))
        self.assertEqual(gone.returncode, 9)
        self.assertIn(f"no trace: '{self.file}' cannot be written: No such file", gone.stderr)
        self.file.parent.mkdir()
        self.assertIn("no call that a trace shows", run(USER, "nothing", options=("--trace", str(self.file))).stderr)
        self.assertFalse(self.file.exists())


if __name__ == "__main__":
    unittest.main()
