# SPDX-License-Identifier: Apache-2.0
"""bench/paired/report on made-up measurements."""
import contextlib
import io
import json
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from unittest import mock

LOADER = SourceFileLoader("paired_report", str(Path(__file__).resolve().parents[2] / "bench" / "paired" / "report"))
sys.dont_write_bytecode = True
report = module_from_spec(spec_from_loader("paired_report", LOADER))
LOADER.exec_module(report)


def measured(call, thread, theirs, ours, driver_calls=1.0, error=""):
    return {"call": call, "thread": thread, "batch": 10, "driver_calls": driver_calls, "error": error,
            "theirs": theirs, "ours": ours}


class PairedTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def file(self, devices, rows):
        path = self.path / f"{devices}.json"
        path.write_text(json.dumps({"devices": devices, "elide": "1", "rows": rows}))
        return str(path)

    def run_report(self, *arguments):
        out, error = io.StringIO(), io.StringIO()
        with mock.patch.object(sys, "argv", ["report", *arguments]), contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(error):
            code = report.main()
        return code, out.getvalue(), error.getvalue()

    def test_the_drift_of_the_machine_cancels(self):
        # The medians of the two differ by 50, yet each pair says +10.
        entry = measured("record", "set", [100, 200, 300], [110, 210, 310])
        self.assertEqual(report.difference(entry), (10, 10, 10))

    def test_each_case_has_a_column(self):
        one = self.file(1, [measured("record", "none set", [100], [108]), measured("record", "set", [100], [105])])
        two = self.file(2, [measured("record", "none set", [100], [93], driver_calls=2.0)])
        code, text, _ = self.run_report(one, two)
        self.assertEqual(code, 0)
        row = text.splitlines()[2]
        for cell in ("+8.0 (+8.0 to +8.0)", "+5.0", "−7.0", "1 to 2"):
            self.assertIn(cell, row)
        self.assertEqual(row.count("|"), text.splitlines()[0].count("|"))

    def test_a_call_without_a_peer_is_compared_with_nothing(self):
        code, text, _ = self.run_report(self.file(1, [measured("current", "set", [], [5.0], driver_calls=0.0)]))
        self.assertEqual(code, 0)
        self.assertIn("| current | – | 5.0 | 0 |", text)
        self.assertIn("+5.0 (+5.0 to +5.0)", text)

    def test_a_failed_call_fails_the_report(self):
        code, _, error = self.run_report(self.file(1, [measured("record", "set", [1], [1], error="status 3")]))
        self.assertEqual(code, 1)
        self.assertIn("record, set, 1 devices: status 3", error)

    def test_nothing_measured_is_a_failure(self):
        self.assertEqual(self.run_report(self.file(1, []))[0], 1)

    def test_the_page_says_what_was_measured(self):
        page = self.path / "page.md"
        self.run_report("--out", str(page), "--note", "commit abc", self.file(1, [measured("record", "set", [1], [2])]))
        self.assertIn("- commit abc", page.read_text())
        self.assertIn("| record |", page.read_text())


if __name__ == "__main__":
    unittest.main()
