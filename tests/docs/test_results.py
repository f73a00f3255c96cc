# SPDX-License-Identifier: Apache-2.0
"""check_results.py on small trees: a good one, and one for each defect that it must report."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_results import check  # noqa: E402

GOOD = {
    "README.md": "Measured: [bench](docs/results/2026-01-02-host-bench.md).\n",
    "docs/results/README.md": "| `host` | a machine |\n\n[a](2026-01-02-host-bench.md) [b](2026-01-02-host-bench.svg)\n",
    "docs/results/2026-01-02-host-bench.md": "![chart](2026-01-02-host-bench.svg)\n",
    "docs/results/2026-01-02-host-bench.svg": "<svg/>\n",
}


class ResultsTest(unittest.TestCase):
    def defects(self, changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**GOOD, **changes}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                if text is not None:
                    path.write_text(text)
            return check(pathlib.Path(folder))

    def test_a_good_tree_has_no_defect(self):
        self.assertEqual(self.defects({}), [])

    def test_a_file_that_no_page_cites(self):
        found = self.defects({"README.md": "Nothing measured.\n"})
        self.assertEqual([line.split(": ")[1] for line in found], ["no page cites it"] * 2)  # and so its chart

    def test_a_page_of_another_project_does_not_cite(self):
        self.assertEqual(len(self.defects({"README.md": "\n", ".venv/README.md": GOOD["README.md"], "build/x.md": GOOD["README.md"]})), 2)

    def test_a_file_that_is_not_listed(self):
        found = self.defects({"docs/results/README.md": "| `host` | a machine |\n[a](2026-01-02-host-bench.md)\n"})
        self.assertEqual(found, ["docs/results/2026-01-02-host-bench.svg: docs/results/README.md does not list it"])

    def test_a_listed_file_that_does_not_exist(self):
        found = self.defects({"docs/results/2026-01-02-host-bench.svg": None})
        self.assertEqual(found, ["docs/results/README.md links 2026-01-02-host-bench.svg, which does not exist"])

    def test_a_name_without_date_or_place(self):
        for name in ("bench.md", "2026-01-02-bench.md", "2026-01-02-host-bench.log", "2026-01-02-mars-bench.md"):
            with self.subTest(name):
                index = GOOD["docs/results/README.md"] + f"[c]({name})\n"
                found = self.defects({f"docs/results/{name}": "", "docs/results/README.md": index, "docs/page.md": name})
                self.assertEqual(len(found), 1, found)


if __name__ == "__main__":
    unittest.main()
