# SPDX-License-Identifier: Apache-2.0
"""check_indexes.py on small trees: a good one, and one for each defect that it must report."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_indexes import check  # noqa: E402

GOOD = {
    "docs/README.md": "[a](guide/a.md#part) [results](results/README.md)\n",
    "docs/guide/a.md": "",
    "docs/results/README.md": "",
    "docs/results/x.md": "",
    "tests/README.md": "| folder | proves |\n|---|---|\n| [unit](unit) | parts |\n",
    "tests/unit/a_test.cpp": "",
}


class IndexesTest(unittest.TestCase):
    def defects(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**GOOD, **files}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check(pathlib.Path(folder))

    def test_a_good_tree_has_no_defect(self):
        self.assertEqual(self.defects(), [])

    def test_a_page_that_is_not_linked(self):
        self.assertEqual(self.defects(**{"docs/guide/b.md": ""}), ["docs/README.md does not link docs/guide/b.md"])
        self.assertEqual(len(self.defects(**{"docs/c.md": ""})), 1)
        self.assertEqual(len(self.defects(**{"docs/reference/README.md": ""})), 1)

    def test_a_folder_of_tests_without_a_row(self):
        self.assertEqual(self.defects(**{"tests/new/a.cpp": ""}), ["tests/README.md has no row for new"])

    def test_a_row_that_says_nothing(self):
        empty = GOOD["tests/README.md"].replace(" parts ", " ")
        self.assertEqual(len(self.defects(**{"tests/README.md": empty})), 1)

    def test_a_row_for_a_folder_that_is_gone(self):
        more = GOOD["tests/README.md"] + "| [old](old) | nothing |\n"
        self.assertEqual(self.defects(**{"tests/README.md": more}), ["tests/README.md has a row for old, which does not exist"])


if __name__ == "__main__":
    unittest.main()
