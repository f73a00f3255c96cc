# SPDX-License-Identifier: Apache-2.0
"""The summary of scripts/test: success only for successful runs. Most cases are runs that it must reject."""
import importlib.util
import io
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "lib" / "summary.py"
SPEC = importlib.util.spec_from_file_location("summary", SCRIPT)
summary = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(summary)

PASSED = '<testcase name="good" status="run"/>'
FAILED = '<testcase name="bad" status="fail"><failure message=""/></testcase>'
NOT_RUN = '<testcase name="absent" status="notrun"/>'


def ctest_skip(reason):
    output = f"[ RUN      ] A.b\n/a/b.cpp:7: Skipped\n{reason}\n\n[  SKIPPED ] A.b (0 ms)\n"
    skipped = '<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>'
    return f'<testcase name="left out" status="notrun">{skipped}<system-out>{output}</system-out></testcase>'


def script_skip(reason):
    skipped = '<skipped message="SKIP_RETURN_CODE=77"/>'
    return f'<testcase name="left out" status="notrun">{skipped}<system-out>looking\n{reason}\n</system-out></testcase>'


def pytest_skip(reason):
    return f'<testcase name="left out"><skipped type="pytest.skip" message="{reason}"/></testcase>'


class Summary(unittest.TestCase):
    def run_summary(self, steps, files, strict=False):
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder)
            (results / "steps.tsv").write_text("".join("\t".join(step) + f"\tscripts/test --only {step[0]}\n" for step in steps))
            for name, cases in files.items():
                (results / name).write_text(cases if name.endswith(".again") else f"<testsuite>{cases}</testsuite>")
            output = io.StringIO()
            with redirect_stdout(output):
                status = summary.main(results, strict)
        lines = output.getvalue().splitlines()
        return status, lines[-1], lines

    def test_all_passed(self):
        status, last, _ = self.run_summary([("a", "ok", "3", "")], {"a.xml": PASSED * 3})
        self.assertEqual((status, last), (0, "3 passed, 0 failed, 0 skipped"))

    def test_several_files_of_a_step_are_added(self):
        _, last, _ = self.run_summary([("a", "ok", "3", "")], {"a.one.xml": PASSED, "a.two.xml": PASSED * 2})
        self.assertEqual(last, "3 passed, 0 failed, 0 skipped")

    def test_files_of_another_step_are_not_counted(self):
        _, last, _ = self.run_summary([("a", "ok", "3", "")], {"a.xml": PASSED, "ab.xml": PASSED})
        self.assertEqual(last, "1 passed, 0 failed, 0 skipped")

    def test_a_failed_test_is_named(self):
        status, last, lines = self.run_summary([("a", "failed", "3", "")], {"a.xml": PASSED + FAILED})
        self.assertEqual((status, last), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertEqual(lines[-3:-1], ["failed: a: bad", "        again: scripts/test --only a"])

    def test_a_runner_that_can_repeats_the_one_test(self):
        _, _, lines = self.run_summary([("a", "failed", "3", "")], {"a.xml": FAILED.replace("bad", "b.a+d"), "a.again": "ctest -R\n"})
        self.assertEqual(lines[-3:-1], ["failed: a: b.a+d", "        again: ctest -R '^b\\.a\\+d$'"])

    def test_a_failed_step_is_repeated(self):
        _, _, lines = self.run_summary([("a", "failed", "3", "")], {"a.xml": PASSED, "a.again": "ctest -R\n"})
        self.assertEqual(lines[-2], "        again: scripts/test --only a")

    def test_failures_come_after_skips(self):
        steps = [("a", "failed", "3", ""), ("b", "ok", "1", "")]
        _, _, lines = self.run_summary(steps, {"a.xml": FAILED, "b.xml": PASSED + pytest_skip("no GPU")})
        self.assertLess(lines.index("skipped: 1 in b: no GPU"), lines.index("failed: a: bad"))

    def test_a_reason_has_one_line(self):
        steps = [("a", "ok", "3", ""), ("b", "ok", "1", "")]
        files = {"a.xml": PASSED + pytest_skip("no GPU") * 2, "b.xml": pytest_skip("no GPU") + pytest_skip("no fork")}
        _, last, lines = self.run_summary(steps, files)
        self.assertEqual(lines[-3:], ["skipped: 3 in a, b: no GPU", "skipped: 1 in b: no fork", last])

    def test_a_failed_test_counts_even_if_the_step_says_ok(self):
        status, last, _ = self.run_summary([("a", "ok", "3", "")], {"a.xml": PASSED + FAILED})
        self.assertEqual((status, last), (1, "1 passed, 1 failed, 0 skipped"))

    def test_a_step_that_fails_without_a_failed_test_counts(self):
        steps = [("build", "failed", "3", ""), ("a", "ok", "1", "")]
        status, last, _ = self.run_summary(steps, {"a.xml": PASSED})
        self.assertEqual((status, last), (1, "1 passed, 1 failed, 0 skipped"))

    def test_no_test_at_all_is_a_failure(self):
        status, last, _ = self.run_summary([("a", "ok", "3", "")], {})
        self.assertEqual((status, last), (1, "0 passed, 1 failed, 0 skipped"))

    def test_only_skips_is_a_failure(self):
        status, last, _ = self.run_summary([("a", "ok", "3", "")], {"a.xml": ctest_skip("no GPU")})
        self.assertEqual((status, last), (1, "0 passed, 1 failed, 1 skipped"))

    def test_reasons_are_shown(self):
        for skip in (ctest_skip, script_skip, pytest_skip):
            _, last, lines = self.run_summary([("a", "ok", "3", "")], {"a.xml": PASSED + skip("the moon is full")})
            self.assertEqual(last, "1 passed, 0 failed, 1 skipped")
            self.assertIn("skipped: 1 in a: the moon is full", lines)

    def test_strict_refuses_unknown_reasons(self):
        for cases in (ctest_skip("the moon is full"), pytest_skip("not today"), NOT_RUN):
            status, last, lines = self.run_summary([("a", "ok", "3", "")], {"a.xml": PASSED + cases}, strict=True)
            self.assertEqual((status, last), (1, "1 passed, 1 failed, 0 skipped"))
            self.assertIn("skip not allowed: a: ", lines[-2])

    def test_strict_refuses_a_skipped_step(self):
        steps = [("a", "ok", "3", ""), ("b", "skipped", "0", "it is switched off")]
        status, last, _ = self.run_summary(steps, {"a.xml": PASSED}, strict=True)
        self.assertEqual((status, last), (1, "1 passed, 1 failed, 0 skipped"))

    def test_strict_allows_the_two_reasons(self):
        for reason in ("no GPU on this machine", "no JDK >= 22 for FFM"):
            cases = PASSED + ctest_skip(reason.replace(">", "&gt;"))
            status, last, _ = self.run_summary([("a", "ok", "3", "")], {"a.xml": cases}, strict=True)
            self.assertEqual((status, last), (0, "1 passed, 0 failed, 1 skipped"))


if __name__ == "__main__":
    unittest.main()
