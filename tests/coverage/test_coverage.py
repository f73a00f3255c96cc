# SPDX-License-Identifier: Apache-2.0
"""The checker of exceptions and the summary of scripts/coverage, on made-up sources and a program."""
import io
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import check_exceptions  # noqa: E402
import counters  # noqa: E402
import summary  # noqa: E402


class ExceptionsTest(unittest.TestCase):
    def found(self, line):
        return check_exceptions.exceptions("a.cpp", line + "\n")

    def test_a_reason_is_taken(self):
        self.assertEqual(self.found("    return 0; // not reached: the kernel never refuses this"),
                         ([(1, "not reached", "the kernel never refuses this")], []))
        self.assertEqual(self.found("    if (a) b(); // one-sided: no test runs on AArch64")[1], [])

    def test_a_marker_of_its_own_is_about_the_next_line(self):
        self.assertEqual(check_exceptions.exceptions("a.cpp", "    // one-sided: the other machine is rare\n    if (a) b();\n")[1], [])
        for after in ("", "// a comment\n", "\n    f();\n"):
            self.assertEqual(len(check_exceptions.exceptions("a.cpp", "// not reached: the next line is meant\n" + after)[1]), 1, after)
        source = ["    // one-sided: this is so", "    if (a)", "        b();"]
        self.assertEqual([bool(counters.marked(counters.ONE_SIDED, source, number)) for number in (1, 2, 3)], [True, True, False])

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


PROGRAM = """\
#include <string>
#include <vector>
std::vector<std::string> names;
int sign(int value) {
    if (value < 0) return -1; // one-sided: the program has positive numbers
    if (value > 100 || value == 7)
        return 2;
    names.push_back("a call that may throw");
    return 1;
}
int unused() {
    return 3; // not reached: it is unused
}
int main(int argc, char **) {
    std::string local("a call that may throw");
    return sign(argc) + sign(200) - 3;
}
"""


class SummaryTest(unittest.TestCase):
    """A program that is compiled with gcov's counters and run."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name).resolve()
        (cls.root / "src").mkdir()
        (cls.root / "build").mkdir()
        (cls.root / "src" / "a.cpp").write_text(PROGRAM)
        for name in ("one", "two"):  # the second copy never runs
            subprocess.run(["g++", "--coverage", "-O0", "-o", name, "../src/a.cpp"], cwd=cls.root / "build", check=True)
        subprocess.run(["./one"], cwd=cls.root / "build", check=True)
        cls.found = counters.collect(cls.root / "build", cls.root, "src", 2)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_lines_and_branches_of_all_copies(self):
        rows, missed = summary.rows_of(self.root, self.found)
        lines, reached, branches, taken = rows["src/a.cpp"]
        # The head of unused(), and "value == 7" is never true.
        self.assertEqual((lines - reached, branches - taken), (1, 1), missed)
        self.assertEqual([text.split(":")[1] for text in missed], ["6", "11"], missed)
        self.assertIn("src/a.cpp:11: never reached: int unused() {", missed)

    def test_a_call_that_may_throw_is_no_branch(self):
        self.assertEqual(self.found["src/a.cpp"][8].taken(), [])
        self.assertEqual(counters.own_branches([{"throw": False, "count": 5}, {"throw": True, "count": 0}, {"throw": False, "count": 1},
                                                {"throw": False, "count": 2}]), [1, 2])

    def test_exceptions_and_braces_do_not_count(self):
        judged = {number: (reached, branches) for number, reached, branches in counters.judge(PROGRAM, self.found["src/a.cpp"])}
        self.assertNotIn(12, judged)
        self.assertEqual(judged[5], (True, []))
        self.assertTrue(all(counters.NO_BRANCH.match(text) for text in ("}", "    });", "} // namespace gs", "", "    delete[] p; // last")))
        self.assertFalse(any(counters.NO_BRANCH.match(text) for text in ("} while (a);", "return 0; // }", "if (a) delete p;")))

    def run_summary(self, lines, branches):
        out = io.StringIO()
        arguments = ["summary.py", str(self.root / "build"), "--root", str(self.root), "--lines", lines, "--branches", branches]
        with redirect_stdout(out), mock.patch("sys.argv", arguments):
            return summary.main(), out.getvalue()

    def test_the_bounds(self):
        self.assertEqual(self.run_summary("80", "60")[0], 0)
        status, text = self.run_summary("97", "60")
        self.assertEqual(status, 1)
        self.assertIn("at least 97 %: NOT ENOUGH", text)
        status, text = self.run_summary("80", "90")
        self.assertEqual(status, 1)
        self.assertIn("at least 90 %: NOT ENOUGH", text)

    def test_the_worst_file_comes_first(self):
        text, sums = summary.table({"good": (10, 10, 4, 4), "bad": (10, 2, 4, 4), "middle": (10, 9, 4, 0)})
        self.assertEqual([row.split()[0] for row in text.splitlines()[1:]], ["bad", "middle", "good", "all"])
        self.assertEqual(sums, (30, 21, 12, 8))


if __name__ == "__main__":
    unittest.main()
