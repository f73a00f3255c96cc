#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpustream explain --svg: a hang by its log, dumps and races by their text, a circle, and the pictures of docs/guide/debugging.md.

   test_command_pictures.py COMMAND
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import test_command as shared

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "docs"))
import check_rendered  # noqa: E402

PICTURES = pathlib.Path(__file__).resolve().parents[2] / "docs/pictures"
SVG = "{http://www.w3.org/2000/svg}"
CIRCLE = """another line
gpustream: dump of process 1, log of 64 operations a thread, 2 streams
stream 0x1100000001000005 ("a") waits for event 0x2000000001000020, recorded in stream 0x1100000001000006 ("b"), which waits for timeline \
0x3900000001000002 to reach 1 (it is at 0), signalled in stream 0x1100000001000005 ("a"), which waits for the above: a circle that begins \
with stream 0x1100000001000005 ("a")
    0.112 ms ago, thread 7: signals timeline 0x3900000001000002 at 1
    0.234 ms ago, thread 7: waits for event 0x2000000001000020
stream 0x1100000001000006 ("b") may wait for a word of memory
    0.335 ms ago, thread 7: records event 0x2000000001000020
    0.340 ms ago, thread 7: waits for timeline 0x3900000001000002 at 1
thread 7 is in "step <1> & 2"
gpustream: end of dump
"""
RUNS = """gpustream: dump of process 1, log of 64 operations a thread, 2 streams
stream 0x1100000001000006 ("b") waits for stream 0x1100000001000005 ("a"), which has no known wait
    0.050 ms ago, thread 7: waits for stream 0x1100000001000005 ("a")
stream 0x1100000001000005 ("a") has no known wait
    0.040 ms ago, thread 7: work
    0.240 ms ago, thread 7: fills 64 bytes
gpustream: end of dump
"""
RACES = """race on 64 bytes at 0x10: nothing orders the read by the host thread 9 after the write by stream 0x1100000001000005 ("a, "b"")
  later: read of 64 bytes at 0x10, the host thread 9, access number 3
      #0 first (a)
      #1 one (a)
      #2 two (a)
      #3 (a)
      #4 (a)
      #5 far (a)
  earlier: write of 64 bytes at 0x10, "label, "x"", stream 0x1100000001000005 ("a, "b""), submitted by thread 7, access number 2
  Let the thread see that the earlier access is done.
gpustream: race on 8 bytes at 0x20: nothing orders the write by stream 0x1100000001000005 after the write by stream 0x1100000001000006
  later: write of 8 bytes at 0x20, stream 0x1100000001000005, submitted by thread 7, access number 3
  earlier: write of 8 bytes at 0x20, stream 0x1100000001000006, submitted by thread 7, access number 2
"""
COMMON = """
import ctypes, os, sys
library = ctypes.PyDLL(sys.argv[1])  # keeps the GIL: without it Python 3.13 shows no frames
def call(name, *arguments):
    assert getattr(library, name)(*arguments) == 0, name
def made(name, *arguments):
    result = ctypes.c_void_p()
    call(name, *arguments, ctypes.byref(result))
    return result
names = "upload", "a name that is longer than a lane has room for", "W" * 40, "\\u4e0a\\u4f20" * 10
streams = [made("gs_stream_create", 0, 0, 0) for _ in names]
for stream, name in zip(streams, names):
    call("gs_stream_set_name", stream, name.encode())
"""
HANGING = """
call("gs_stream_wait_timeline", streams[0], made("gs_timeline_create", 0, ctypes.c_uint64(0), 0), ctypes.c_uint64(3))
for later, earlier in zip(streams[1:], streams):
    call("gs_stream_wait_stream", later, earlier)
call("gs_dump", 2)
os._exit(0)  # a hang has no end
"""
RACING = """
memory = made("gs_malloc_async", ctypes.c_size_t(4096), streams[0])
call("gs_stream_synchronize", streams[0])
for size, stream in (4096, streams[1]), (64, streams[2]):
    call("gs_memset_async", memory, 0, ctypes.c_size_t(size), stream)
"""


class Pictures(unittest.TestCase):
    def drawn(self, what, code=0):
        return shared.run("explain", "--svg", str(what), env=shared.environment(), code=code)

    def of_text(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
            file.flush()
            return self.read(self.drawn(file.name).stdout)

    def read(self, svg):
        """The boxes as {title: red}, the texts and the arrows; rendered, all texts can be read."""
        self.assertEqual(list(check_rendered.wrong_texts(svg.encode())), [])
        root = ElementTree.fromstring(svg)
        boxes, texts = {}, []
        for panel in root.findall(SVG + "g"):
            texts += [text.text for text in panel.iter(SVG + "text")]
            for box in panel.iter(SVG + "g"):
                if box is not panel:
                    boxes[box.find(SVG + "text").text] = box.find(SVG + "rect").get("stroke") == "#b42318"
        arrows = [one for one in root.iter(SVG + "path") if (one.get("marker-end") or "").startswith("url")]
        return boxes, texts, arrows

    def test_a_hang_by_its_log(self):
        with tempfile.TemporaryDirectory() as folder:
            case = shared.Explain()
            child = case.hanging(GPUSTREAM_LOG_FILE=f"{folder}/%p.log")
            self.addCleanup(case.doCleanups)
            for what in (child.pid, f"{folder}/{child.pid}.log"):
                boxes, texts, arrows = self.read(self.drawn(what).stdout)
                self.assertEqual(sorted(boxes), ["timeline …1000001 at 3", "waits for timeline …1000001 at 3"])
                self.assertEqual(set(boxes.values()), {True})
                self.assertIn("stuck", texts)
                self.assertIn("no stream", texts)
                self.assertEqual([bool(one.get("stroke-dasharray")) for one in arrows], [True])

    def test_a_process_that_writes_its_dump_itself(self):
        case = shared.Explain()
        child = case.hanging(GPUSTREAM_DUMP_SIGNAL="10")
        self.addCleanup(case.doCleanups)
        self.assertIn("gpustream explain --svg FILE", self.drawn(child.pid, code=1).stderr)

    def test_a_circle(self):
        boxes, texts, arrows = self.of_text(CIRCLE)
        self.assertEqual(boxes, {"signals timeline …1000002 at 1": False, "waits for event …1000020": True, "records event …1000020": False,
                                 "waits for timeline …1000002 at 1": True})
        self.assertEqual(len(arrows), 2)
        self.assertIn('thread 7 is in "step <1> & 2"', texts)
        self.assertNotIn("another line", "".join(texts))

    def test_bytes_that_are_no_text(self):
        _, texts, _ = self.of_text(CIRCLE.replace("thread 7 is", "thread \udcff is"))
        self.assertIn('thread ? is in "step <1> & 2"', texts)

    def test_a_stream_that_runs_is_what_the_others_wait_for(self):
        boxes, _, arrows = self.of_text(RUNS)
        self.assertEqual(boxes, {'waits for stream "a"': False, "work": False, "fills 64 bytes": True})
        self.assertEqual(len(arrows), 1)

    def test_races(self):
        boxes, texts, arrows = self.of_text(RACES)
        self.assertEqual(boxes, {"write of 64 bytes": True, "read of 64 bytes": True, "write of 8 bytes": True})
        self.assertEqual([one.get("marker-end") for one in arrows], ["url(#red)"] * 2)
        for text in ('a, "b"', "the host thread", 'label, "x"', "…1000005", "…1000006", "      #0 first (a)"):
            self.assertIn(text, texts)
        self.assertNotIn("#5 far", "".join(texts))

    def test_real_ones(self):
        """Of names that are too long, and of a chain in which each stream waits for the one before."""
        library = pathlib.Path(shared.COMMAND).parents[1] / "libgpustream.so.0"
        for program, setting, wanted in ((HANGING, "GPUSTREAM_LOG", 5), (RACING, "GPUSTREAM_CHECK", 2)):
            with self.subTest(setting), tempfile.NamedTemporaryFile() as file:
                value = {"GPUSTREAM_LOG": "64", "GPUSTREAM_CHECK": "report"}[setting]
                subprocess.run([sys.executable, "-c", COMMON + program, library], stderr=file, check=True, timeout=60,
                               env=shared.environment(GPUSTREAM_BACKEND="host", **{setting: value}))
                svg = self.drawn(file.name).stdout
                boxes, texts, arrows = self.read(svg)
                self.assertEqual(check_rendered.defects(svg.encode()), [])
                self.assertEqual((len(boxes), len(arrows)), (wanted, wanted - 1), texts)
                self.assertEqual(any(" in call" in text for text in texts), program is RACING, "the caller's line, not the interpreter's frames")

    def test_nothing_to_draw(self):
        _, texts, arrows = self.of_text("gpustream: log of process 1, which is running, 64 operations a thread\ngpustream: end of log\n")
        self.assertEqual((texts[1:], arrows), (["No stream is known to wait for another one."], []))
        boxes, _, _ = self.of_text("gpustream: dump of a file that was cut\n    0.1 ms ago, thread 7: work\ngpustream: end of dump\n")
        self.assertEqual(boxes, {}, "an operation of no stream")
        with tempfile.NamedTemporaryFile() as file:
            self.assertIn("neither a dump nor a report", self.drawn(file.name, code=1).stderr)
        self.assertIn("is not a log file", self.drawn(shared.COMMAND, code=1).stderr)
        self.assertIn("cannot be read", self.drawn("/nonexistent", code=1).stderr)

    def test_those_of_the_guide(self):
        for name in ("hang", "race"):
            self.assertEqual(self.drawn(PICTURES / f"{name}.txt").stdout, (PICTURES / f"{name}.svg").read_text(encoding="utf-8"),
                             f"run gpustream explain --svg docs/pictures/{name}.txt")


if __name__ == "__main__":
    shared.COMMAND = sys.argv.pop(1)
    unittest.main()
