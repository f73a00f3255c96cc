#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""guide_c.py finds what is wrong with a page.

usage: test_guide_c.py COMMAND...   (guide_c.py with all but its pages)
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMMAND = []


class Pages(unittest.TestCase):
    def check(self, text, *said, code=1):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.md")
            page.write_text(text, encoding="utf-8")
            done = subprocess.run([*COMMAND, page], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for part in said:
            self.assertIn(part, done.stdout)

    def test_fragments_follow_from_the_first_block(self):
        self.check("""```c\nint32_t count;\n```\n```c\ngs_device_count(GS_BACKEND_HOST, &count);\n```\n""", code=0)

    def test_what_is_declared_nowhere(self):
        self.check("```c\ngs_device_count(GS_BACKEND_HOST, &count);\n```\n", "page.md: program 1", "count")

    def test_a_call_that_fails(self):
        self.check("```c\ngs_stream_synchronize(NULL);\n```\n", "gs_stream_synchronize: the stream is NULL")

    def test_a_program_that_fails(self):
        self.check("```c\nint main(void) { return 3; }\n```\n", "ended with 3")

    def test_a_file_that_does_not_compile(self):
        self.check("```c\n/* a.c: cc -shared -fPIC a.c -o a.so */\nint a\n```\n```c\nint main(void) { return 0; }\n```\n", "a.c")

    def test_a_page_without_c(self):
        self.check("text\n", "has no C")


if __name__ == "__main__":
    COMMAND = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
