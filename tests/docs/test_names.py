#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_names.py on small trees: a good one, and one for each defect that it must report."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_names import check  # noqa: E402

LISTING = """```
record(event)            Python
  gs_record              src/api/events.cpp     the C function
    record_event         src/core/hot.hpp
      record_native      libcuda.so.1
```
"""
GOOD = {
    "docs/architecture.md": f"`src/api`, `src/core`\n{LISTING}`Backend::record_native` with `--size`, `..._OfEvents` and `gs_rec*`.\n",
    "docs/glossary.md": "| term | meaning | in the code |\n|---|---|---|\n| hot | often called | `hot.hpp` |\n",
    "docs/design/a.md": "`hot.hpp` has `kSize`.\n",
    "src/api/events.cpp": "int gs_record() { return record_event(); } // gone_function\n",
    "src/core/hot.hpp": "struct Backend { void record_native(); };\nint record_event() { record_native(); }\n/* old_function */\n",
    "src/core/other.cpp": 'constexpr int kSize = 2; const char *option = "--size"; TEST(Case1, Record_OfEvents)\n',
}


class NamesTest(unittest.TestCase):
    def defects(self, page="", listing=LISTING, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**GOOD, **files}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text.replace(LISTING, listing) + (page if name == "docs/design/a.md" else ""))
            return check(pathlib.Path(folder))

    def test_a_good_tree_has_no_defect(self):
        self.assertEqual(self.defects(), [])

    def test_names_that_the_code_does_not_have(self):
        for quoted in ("no_such_name", "gone_function()", "old_function", "SlotMap<EventSlot>", "..._OfNothing", "gs_wait*", "--speed"):
            with self.subTest(quoted):
                self.assertNotEqual(self.defects(f"`{quoted}`\n"), [])

    def test_a_member_of_another_class(self):
        self.assertEqual(self.defects("`Backend::kSize`\n"), ["docs/design/a.md: `Backend::kSize`: the code has no 'Backend::kSize'"])

    def test_a_listing_whose_file_lacks_the_name(self):
        defects = self.defects(listing=LISTING.replace("src/core/hot.hpp", "src/core/other.cpp"))
        self.assertIn("docs/architecture.md: src/core/other.cpp has no 'record_event'", defects)

    def test_a_listing_with_a_call_that_is_not_made(self):
        defects = self.defects(listing=LISTING.replace("record_event         src/core/hot.hpp", "kSize                src/core/other.cpp"))
        self.assertIn("docs/architecture.md: src/api/events.cpp, which should call 'kSize', does not have it", defects)

    def test_a_term_with_two_meanings(self):
        twice = GOOD["docs/glossary.md"] + "\n| Hot | of a high temperature | |\n"
        self.assertEqual(self.defects(**{"docs/glossary.md": twice}), ["docs/glossary.md has 'hot' 2 times"])

    def test_a_folder_that_the_table_lacks(self):
        defects = self.defects(**{"src/core/timeline/signal.cpp": "int signal;\n"})
        self.assertEqual(defects, ["docs/architecture.md: the table has no `src/core/timeline`"])


if __name__ == "__main__":
    unittest.main()
