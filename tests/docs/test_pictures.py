# SPDX-License-Identifier: Apache-2.0
"""docs/pictures/draw --check: accepts what it drew, reports what differs, refuses what is no picture."""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

DRAW = pathlib.Path(__file__).resolve().parents[2] / "docs" / "pictures" / "draw"
SOURCE = """title = "a & b"
width = 400
[[row]]
label = "one"
box = [{id = "a", title = "A", lines = ["<x>"]}, {id = "b", title = "B", lines = []}]
[[row]]
label = "two"
box = [{id = "c", title = "C", lines = []}, {id = "gap", title = "", lines = [], space = true}]
[calls]
a = ["c"]
[makes]
a = ["b"]
"""


class PicturesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / "p.toml").write_text(SOURCE)

    def draw(self, *arguments):
        return subprocess.run([sys.executable, DRAW, "--folder", self.path, *arguments], capture_output=True, text=True, timeout=60)

    def test_draws_valid_svg_with_every_box_and_arrow(self):
        self.assertEqual(self.draw().returncode, 0)
        svg = ElementTree.parse(self.path / "p.svg").getroot()
        space = "{http://www.w3.org/2000/svg}"
        self.assertEqual(len([rect for rect in svg.iter(space + "rect") if rect.get("rx")]), 3)
        self.assertEqual(len(list(svg.iter(space + "polyline"))), 2)
        self.assertIn("<x>", [text.text for text in svg.iter(space + "text")])
        self.assertEqual(self.draw("--check").returncode, 0)

    def test_a_picture_that_is_missing_or_differs_is_reported(self):
        self.assertEqual(self.draw("--check").returncode, 1)
        self.draw()
        (self.path / "p.toml").write_text(SOURCE.replace('"A"', '"Z"'))
        done = self.draw("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("p.svg is not what its source says", done.stdout)

    def test_wrong_sources_are_refused(self):
        for old, new in (('a = ["c"]', 'a = ["nowhere"]'), ('a = ["c"]', 'c = ["a"]'), ('id = "b"', 'id = "a"'), ("width = 400", "")):
            with self.subTest(new):
                (self.path / "p.toml").write_text(SOURCE.replace(old, new))
                self.assertNotEqual(self.draw().returncode, 0)

    def test_graphs_are_drawn_in_rows(self):
        node, edge = '  n{0} [shape=box, label="{1}"];\n', "  n{0} -> n{1};\n"
        nodes = node.format(1, "fill <1>") + node.format(2, "copy") + node.format(3, "kernel\\ngrid 1")
        (self.path / "g.dot").write_text('digraph "graph" {\n' + nodes + edge.format(1, 3) + edge.format(2, 3) + "}\n")
        self.assertEqual(self.draw().returncode, 0)
        svg = ElementTree.parse(self.path / "g.svg").getroot()
        space = "{http://www.w3.org/2000/svg}"
        boxes = [(rect.get("x"), rect.get("y")) for rect in svg.iter(space + "rect") if rect.get("rx")]
        self.assertEqual(len(set(boxes)), 3)
        self.assertEqual(len({y for _, y in boxes}), 2, "the two that wait for nothing are in one row")
        self.assertEqual([text.text for text in svg.iter(space + "text")], ["fill <1>", "copy", "kernel", "grid 1"])
        for wrong in ("", nodes + edge.format(1, 4), nodes + edge.format(1, 2) + edge.format(2, 1)):
            with self.subTest(wrong):
                (self.path / "g.dot").write_text(wrong)
                self.assertNotEqual(self.draw().returncode, 0)

    def test_a_folder_without_pictures_is_refused(self):
        (self.path / "p.toml").unlink()
        self.assertNotEqual(self.draw("--check").returncode, 0)


if __name__ == "__main__":
    unittest.main()
