# SPDX-License-Identifier: Apache-2.0
"""The checker of exceptions and the summary of scripts/coverage, on made-up sources and counters."""
import io
import json
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import check_exceptions  # noqa: E402
import summary  # noqa: E402


class ExceptionsTest(unittest.TestCase):
    def found(self, line):
        return check_exceptions.exceptions("a.cpp", line + "\n")

    def test_a_reason_is_taken(self):
        self.assertEqual(self.found("    return 0; // not reached: the kernel never refuses this"),
                         ([(1, "not reached", "the kernel never refuses this")], []))
        self.assertEqual(self.found("    if (a) b(); // one-sided: no test runs on AArch64")[1], [])

    def test_no_reason_and_no_effect_are_defects(self):
        for line in ("f(); // not reached", "f(); // not reached:", "f(); // not reached: rare", "f(); //not reached: the form is wrong",
                     "// not reached: the next line is meant", "f(); // Not reached: the form is wrong", "f(); // one-sided:: two colons here",
                     "f(); // GCOVR_EXCL_LINE", "// LCOV_EXCL_START: because it is so"):
            found, defects = self.found("    " + line)
            self.assertEqual((found, len(defects)), ([], 1), line)

    def test_other_comments_are_none(self):
        self.assertEqual(self.found("f(); // that is one-sided, and never not reached"), ([], []))

    def test_the_exit_status(self):
        with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()), mock.patch("sys.stderr", io.StringIO()):
            (Path(folder) / "a.hpp").write_text("f(); // not reached: the test's sake alone\n")
            self.assertEqual(check_exceptions.main(["--list", folder]), 0)
            (Path(folder) / "b.cpp").write_text("f(); // not reached\n")
            self.assertEqual(check_exceptions.main([folder]), 1)


def line(number, count, *branches, **more):
    return {"line_number": number, "count": count, "branches": [{"count": taken} for taken in branches], **more}


class SummaryTest(unittest.TestCase):
    def run_summary(self, lines, wanted=("97", "90")):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "coverage.json"
            path.write_text(json.dumps({"files": [{"file": "src/a.cpp", "lines": lines}, {"file": "src/b.cpp", "lines": [line(1, 1)]}]}))
            out = io.StringIO()
            with redirect_stdout(out), mock.patch("sys.argv", ["summary.py", str(path), "--lines", wanted[0], "--branches", wanted[1]]):
                return summary.main(), out.getvalue()

    def test_bounds(self):
        full = [line(n, 1, 3, 4) for n in range(1, 100)]
        self.assertEqual(self.run_summary(full)[0], 0)
        status, text = self.run_summary(full[:90] + [line(n, 0, 0, 0) for n in range(91, 100)])
        self.assertEqual(status, 1)
        self.assertIn("lines: 91.00 %, at least 97 %: NOT ENOUGH", text)
        status, text = self.run_summary([line(n, 1, 3, 0) for n in range(1, 100)])
        self.assertEqual(status, 1)
        self.assertIn("branches: 50.00 %, at least 90 %: NOT ENOUGH", text)

    def test_what_is_excluded_does_not_count(self):
        excluded = {**line(2, 0, 0, 0), "gcovr/excluded": True}
        thrown = {**line(3, 1, 1), "branches": [{"count": 0, "throw": True}, {"count": 2}]}
        self.assertEqual(summary.counts({"lines": [line(1, 1), excluded, thrown]}), (2, 2, 1, 1))

    def test_a_line_of_two_functions_is_one(self):
        self.assertEqual(summary.counts({"lines": [line(1, 0, 0, 1), line(1, 2, 1, 0)]}), (1, 1, 2, 2))

    def test_the_worst_file_comes_first(self):
        _, text = self.run_summary([line(1, 0), line(2, 1)])
        self.assertEqual([row.split()[0] for row in text.splitlines()[1:4]], ["src/a.cpp", "src/b.cpp", "all"])


if __name__ == "__main__":
    unittest.main()
