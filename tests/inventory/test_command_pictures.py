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
stream 0x1100000001000006 ("b") waits for stream 0x1100000001000005 ("a"), which is not known to wait for anything
    0.050 ms ago, thread 7: waits for stream 0x1100000001000005 ("a")
stream 0x1100000001000005 ("a") is not known to wait for anything
    0.040 ms ago, thread 7: work
    0.240 ms ago, thread 7: fills 64 bytes
gpustream: end of dump
"""
RACES = """race on 64 bytes at 0x10: nothing orders the read by the host thread 9 after the write by stream 0x1100000001000005 ("a, "b"")
  later: read of 64 bytes at 0x10, the host thread 9, access number 3
      #0 first (a)
      #9 far (a)
  earlier: write of 64 bytes at 0x10, "label, "x"", stream 0x1100000001000005 ("a, "b""), submitted by thread 7, access number 2
  Let the thread see that the earlier access is done.
gpustream: race on 8 bytes at 0x20: nothing orders the write by stream 0x1100000001000005 after the write by stream 0x1100000001000006
  later: write of 8 bytes at 0x20, stream 0x1100000001000005, submitted by thread 7, access number 3
  earlier: write of 8 bytes at 0x20, stream 0x1100000001000006, submitted by thread 7, access number 2
"""


class Pictures(unittest.TestCase):
    def drawn(self, what, code=0):
        return shared.run("explain", "--svg", str(what), env=shared.environment(), code=code)

    def of_text(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(text)
            file.flush()
            return self.read(self.drawn(file.name).stdout)

    def read(self, svg):
        """The lanes, the boxes as {title: red}, the texts and the arrows; no text may leave the picture."""
        root = ElementTree.fromstring(svg)
        _, _, width, height = map(float, root.get("viewBox").split())
        boxes, texts = {}, []
        for panel in root.findall(SVG + "g"):
            top = float(panel.get("transform").split(",")[1].rstrip(")"))
            for text in panel.iter(SVG + "text"):
                self.assertLessEqual(top + float(text.get("y")), height - 2)
                self.assertLessEqual(float(text.get("x")) + 0.56 * float(text.get("font-size")) * len(text.text), width, text.text)
                texts.append(text.text)
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
        self.assertNotIn("#9 far", "".join(texts))

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
