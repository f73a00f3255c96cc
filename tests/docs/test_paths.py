# SPDX-License-Identifier: Apache-2.0
"""check_paths.py on small trees: a good one, and one for each defect that it must report."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_paths import check  # noqa: E402

GOOD = {
    "README.md": "See [the guide](docs/a.md#two-words), `src/one.cpp`, `src/o*.cpp`, `a/b` and `src::one`.\n",
    "docs/a.md": "# A\n## Two words\n[up](../README.md), [web](https://example.org/x), [here](#a), `build/x` `src/one.cpp:7`\n",
    "src/one.cpp": "",
    "src/sub/README.md": "`sub/x` is another project's; `own/file.c` is this folder's.\n",
    "src/sub/own/file.c": "",
}


class PathsTest(unittest.TestCase):
    def defects(self, **changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**GOOD, **{"README.md": changes.get("readme", GOOD["README.md"])}, **changes.get("files", {})}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check(pathlib.Path(folder))

    def test_a_good_tree_has_no_defect(self):
        self.assertEqual(self.defects(), [])

    def test_a_link_that_leads_nowhere(self):
        self.assertEqual(self.defects(readme="[x](docs/b.md)\n"), ["README.md: the link docs/b.md leads nowhere"])

    def test_a_heading_that_does_not_exist(self):
        for link in ("docs/a.md#three", "#three"):
            with self.subTest(link):
                self.assertEqual(len(self.defects(readme=f"[x]({link})\n")), 1)

    def test_a_quoted_path_that_does_not_exist(self):
        for path in ("src/two.cpp", "src/t*.cpp", "docs/old/", "src/one.cpp/x"):
            with self.subTest(path):
                self.assertEqual(len(self.defects(readme=f"`{path}`\n")), 1)
        self.assertEqual(len(self.defects(readme="run `cat src/two.cpp`\n")), 1)
        self.assertEqual(len(self.defects(readme="```sh\ncat src/two.cpp src/one.cpp\n```\n")), 1)

    def test_recorded_results_may_name_what_is_gone(self):
        page = {"docs/results/2026-01-02-host-x.md": "`src/two.cpp`\n"}
        self.assertEqual(self.defects(files=page), [])
        self.assertEqual(len(self.defects(files={"docs/results/README.md": "`src/two.cpp`\n"})), 1)


if __name__ == "__main__":
    unittest.main()
