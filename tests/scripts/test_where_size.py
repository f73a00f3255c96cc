#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/where finds what a name is, and scripts/size counts what the tree has."""
import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def run(script, *arguments):
    return subprocess.run([sys.executable, ROOT / "scripts" / script, *map(str, arguments)], capture_output=True, text=True, timeout=100)


class Where(unittest.TestCase):
    def kinds(self, name):
        """{title of a line: files}"""
        done = run("where", name)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {}
        for title, file in re.findall(r"^(declaration|body|file|tests|pages) +([^ :\n]+)", done.stdout, re.M):
            found.setdefault(title, []).append(file)
        return found, done.stdout

    def test_finds_a_function_of_the_interface(self):
        found, text = self.kinds("gs_event_record")
        self.assertIn("Records an event", text)
        self.assertTrue(all(file.startswith("include/") for file in found["declaration"]), found)
        self.assertTrue(any(file.startswith("src/api/") for file in found["body"]), found)
        self.assertTrue(any(file.startswith("tests/") for file in found["tests"]), found)
        self.assertTrue(any(file.startswith("docs/") for file in found["pages"]), found)

    def test_finds_a_type_of_the_sources(self):
        found, _ = self.kinds("SlotMap")
        self.assertEqual(found["declaration"], ["src/handle/slot_map.hpp"])

    def test_finds_a_struct_and_a_constant(self):
        for name in ("gs_error_info_t", "GS_EVENT_TIMING"):
            self.assertTrue(self.kinds(name)[0]["declaration"][0].startswith("include/"))

    def test_finds_a_file(self):
        self.assertEqual(self.kinds("slot_map.hpp")[0]["file"], ["src/handle/slot_map.hpp"])

    def test_says_that_a_name_is_unknown(self):
        done = run("where", "no_such" + "_name_anywhere")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no source, test or page", done.stderr)


class Size(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.done = run("size", "--tree", ROOT, "--build", "")
        cls.text = cls.done.stdout

    def rows(self, title):
        """{name: numbers} of a table."""
        part = self.text.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
        return {cells[0]: [int(cell.replace(",", "")) for cell in cells[1:]]
                for cells in (re.split(r" \| ", line.strip("| ")) for line in part.splitlines() if re.match(r"\| [^|]+\| *[\d,]+ ", line))}

    def test_counts_functions(self):
        described = json.loads((ROOT / "api" / "gpustream.json").read_text())
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertIn(f"Functions of the C interface: {len(described['functions'])}\n", self.text)

    def test_sums_agree(self):
        files = self.rows("Files and lines")
        for top in ("src", "tests"):
            parts = self.rows(top)
            self.assertEqual([sum(column) for column in zip(*parts.values())], files[top][:2])
        bindings = self.rows("Bindings, lines")
        whole = bindings.pop("all")
        self.assertEqual([sum(column) for column in zip(*bindings.values())], whole)
        self.assertEqual(whole[-1], sum(whole[:3]))
        self.assertTrue(all(count > 0 for count in whole))


if __name__ == "__main__":
    unittest.main()
