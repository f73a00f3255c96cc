# SPDX-License-Identifier: Apache-2.0
"""check_lives.py on the tree as it is, and on copies of the two files with one defect each."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_lives import PAGE, TABLE, check, table  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]


class LivesTest(unittest.TestCase):
    def defects(self, name=None, old="", new=""):
        with tempfile.TemporaryDirectory() as folder:
            for file in (TABLE, PAGE):
                path = pathlib.Path(folder, file)
                path.parent.mkdir(parents=True)
                text = (ROOT / file).read_text()
                if file == name:
                    self.assertEqual(text.count(old), 1)
                    text = text.replace(old, new)
                path.write_text(text)
            return check(pathlib.Path(folder))

    def test_the_page_draws_the_table(self):
        self.assertEqual(self.defects(), [])

    def test_the_table_is_read(self):
        streams = table((ROOT / TABLE).read_text(), "StreamState")
        self.assertEqual(len(streams), 10)
        self.assertEqual(streams["Alive"], {"Zombie", "Ended"})
        self.assertEqual((streams["Captured"], streams["Dropped"]), (set(), set()))

    def test_a_transition_is_not_drawn(self):
        self.assertEqual(self.defects(TABLE, "set_of(Zombie, Ended);", "set_of(Zombie, Ended, Bare);"), [f"{PAGE}: Streams lack Alive --> Bare"])
        self.assertEqual(self.defects(PAGE, "    Free --> Dropped: used up\n", ""), [f"{PAGE}: Events lack Free --> Dropped"])

    def test_a_drawn_transition_is_not_allowed(self):
        self.assertEqual(self.defects(PAGE, "    Unused --> Alive: create\n", "    Unused --> Alive: create\n    Unused --> Limbo: x\n"),
                         [f"{PAGE}: Streams draw Unused --> Limbo, which {TABLE} does not allow"])  # fmt: skip

    def test_states_that_only_one_of_them_has(self):
        self.assertEqual(self.defects(TABLE, "    Ended,    //", "    Over,\n    Ended,    //"), [f"{PAGE}: Streams lack the state Over"])
        self.assertEqual(self.defects(PAGE, "    Captured --> [*]\n", "    Captured --> [*]\n    Gone --> [*]\n"),
                         [f"{PAGE}: Streams have the state Gone, which {TABLE} does not have"])  # fmt: skip


if __name__ == "__main__":
    unittest.main()
