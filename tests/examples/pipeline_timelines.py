#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The picture and the trace that the pipeline example writes; see pipeline_support.py."""
import json
import pathlib
import random
import xml.etree.ElementTree

import pipeline_support as support
from pipeline_support import FILE, MIB, OK, PipelineTest

SVG = "{http://www.w3.org/2000/svg}"


class Timelines(PipelineTest):
    def make(self, content, *arguments):
        out = self.folder / "out"
        result = self.run_pipeline(self.file(content), "--timeline", out, *arguments)
        self.assertEqual(result.returncode, OK, result.stderr)
        picture = xml.etree.ElementTree.parse(f"{out}.svg").getroot()
        return picture, json.loads(pathlib.Path(f"{out}.json").read_text(encoding="utf-8"))

    def test_trace(self):
        _, trace = self.make(random.Random(9).randbytes(MIB + 1), "--chunk", "128K", "--streams", "6")
        spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        self.assertEqual(len(spans), 9 * 3)
        chunks = {}
        streams = {}
        for span in spans:
            self.assertGreaterEqual(span["ts"], 0)
            self.assertGreaterEqual(span["dur"], 0)
            chunks.setdefault(span["args"]["chunk"], {})[span["name"]] = span
            streams.setdefault(span["tid"], []).append((span["ts"], span["ts"] + span["dur"]))
        self.assertEqual(sorted(chunks), list(range(9)))
        # The numbers are rounded to 1 ns, each by itself.
        rounding = 0.01
        for stages in chunks.values():
            for first, second in (("copy-in", "kernel"), ("kernel", "copy-out")):
                end = stages[first]["ts"] + stages[first]["dur"]
                self.assertLessEqual(end, stages[second]["ts"] + rounding, f"{second} began before {first} had ended")
        for tid, times in streams.items():
            times.sort()
            for before, after in zip(times, times[1:]):
                self.assertLessEqual(before[1], after[0] + rounding, f"stream {tid} did two things at once")
        named = [event for event in trace["traceEvents"] if event["name"] == "thread_name"]
        names = {event["tid"]: event["args"]["name"] for event in named}
        self.assertEqual(sorted(names), [1, 2, 3, 4, 5, 6])
        self.assertTrue(all(span["name"] in names[span["tid"]] for span in spans))

    def test_picture(self):
        picture, _ = self.make(random.Random(10).randbytes(MIB), "--chunk", "128K", "--streams", "3")
        tooltips = [title.text for title in picture.iter(f"{SVG}title")]
        for stage in ("copy-in", "kernel", "copy-out"):
            self.assertEqual(sum(tip.startswith(f"{stage} of chunk") for tip in tooltips), 8)
        width, height = float(picture.get("width")), float(picture.get("height"))
        for rect in picture.iter(f"{SVG}rect"):
            x, y, w, h = (float(rect.get(key)) for key in ("x", "y", "width", "height"))
            self.assertTrue(0 <= x <= x + w <= width + 0.5 and 0 <= y <= y + h <= height + 0.5, (x, y, w, h))
        words = [text.text for text in picture.iter(f"{SVG}text")]
        for wanted in ("stream 1, copy-in", "stream 2, kernel", "stream 3, copy-out", "copy-in", "0"):
            self.assertIn(wanted, words)

    def test_one_byte(self):
        _, trace = self.make(b"x")
        self.assertEqual(sum(event["ph"] == "X" for event in trace["traceEvents"]), 3)

    def test_many_chunks_show_the_beginning(self):
        picture, trace = self.make(random.Random(11).randbytes(200000), "--chunk", "100", "--streams", "3")
        self.assertEqual(sum(event["ph"] == "X" for event in trace["traceEvents"]), 6000)
        self.assertLess(sum(1 for _ in picture.iter(f"{SVG}rect")), 1500)

    def test_unwritable(self):
        path = self.file(b"x")
        self.expect(FILE, "cannot write the timeline", path, "--timeline", self.folder / "missing" / "out")
        (self.folder / "taken.svg").mkdir()
        self.expect(FILE, "taken.svg", path, "--timeline", self.folder / "taken")


if __name__ == "__main__":
    support.main()
