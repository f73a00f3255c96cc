# SPDX-License-Identifier: Apache-2.0
"""bench/report on made-up measurements."""
import json
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
from lib.results import Key, Results, percentile  # noqa: E402


def entry(call, library, threads, real_time, **more):
    return dict({"run_name": f"{call}/{library}/idle/real_time/threads:{threads}", "name": "x", "family_index": 3,
                 "run_type": "iteration", "threads": threads, "real_time": real_time, "time_unit": "ns"}, **more)


class ReportTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def write(self, entries, name="in.json"):
        data = {"context": {"num_cpus": 2, "mhz_per_cpu": 3000, "load_avg": [1.0]}, "benchmarks": entries}
        (self.path / name).write_text(json.dumps(data))
        return self.path / name

    def report(self, *arguments):
        return subprocess.run([sys.executable, str(BENCH / "report"), "--out", str(self.path), "--name", "out", *map(str, arguments)],
                              capture_output=True, text=True, timeout=60)

    def test_percentiles(self):
        values = [50, 10, 20, 40, 30]
        self.assertEqual([percentile(values, f) for f in (0, 0.5, 1)], [10, 30, 50])
        self.assertAlmostEqual(percentile(values, 0.1), 14)
        self.assertEqual(percentile([7], 0.9), 7)

    def test_time_is_what_one_caller_waits(self):
        results = Results()
        results.read(self.write([entry("record", "driver", 4, 25.0)]))
        self.assertEqual(results.summary(Key("record", "idle", "driver", 4)).median, 100)

    def test_means_of_repetitions_are_not_samples(self):
        results = Results()
        results.read(self.write([entry("record", "driver", 1, 10.0), entry("record", "driver", 1, 99.0, run_type="aggregate")]))
        self.assertEqual(results.samples[Key("record", "idle", "driver", 1)], [10.0])

    def test_table_and_charts(self):
        ours = [entry("record", "gpustream", t, v) for t in (1, 4) for v in (90.0, 100.0, 110.0)]
        theirs = [entry("record", "driver", 1, v) for v in (70.0, 80.0, 90.0)]
        done = self.report(self.write(ours + theirs))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| record | idle | 100 (92.0–108) | 80.0 (72.0–88.0) | +20.0 | 1.25 |", done.stdout)
        text = (self.path / "out.md").read_text()
        self.assertIn("| 4* |", text)  # more threads than the two cores
        for threads in (1, 4):
            svg = ElementTree.parse(self.path / f"out-{threads}.svg").getroot()
            bars = [r for r in svg.iter("{http://www.w3.org/2000/svg}rect") if r.get("height") == "11"]
            self.assertEqual(len(bars), 2 if threads == 1 else 1)

    def test_a_chart_of_many_calls_fits_a_screen(self):
        entries = [entry(f"call {i}", library, 1, 10.0 ** (1 + i % 4), family_index=i)
                   for i in range(40) for library in ("gpustream", "driver", "torch")]
        self.assertEqual(self.report(self.write(entries)).returncode, 0)
        svg = ElementTree.parse(self.path / "out-1.svg").getroot()
        width, height = int(svg.get("width")), int(svg.get("height"))
        self.assertLess(height, 800)
        bars = [r for r in svg.iter("{http://www.w3.org/2000/svg}rect") if r.get("height") == "11"]
        self.assertEqual(len({(bar.get("x"), bar.get("y")) for bar in bars}), 120)
        for bar in bars:
            self.assertLessEqual(float(bar.get("x")) + float(bar.get("width")), width)
            self.assertLess(float(bar.get("y")), height)
        texts = [text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")]
        self.assertEqual([text for text in texts if text.startswith("call ")], [f"call {i}" for i in range(40)])

    def test_a_failed_benchmark_fails_the_report(self):
        done = self.report(self.write([entry("record", "driver", 1, 10.0),
                                       entry("wait", "driver", 1, 0, error_occurred=True, error_message="error 999")]))
        self.assertEqual(done.returncode, 1)
        self.assertIn("error 999", done.stderr)
        self.assertIn("error 999", (self.path / "out.md").read_text())

    def test_nothing_measured_fails_the_report(self):
        self.assertEqual(self.report(self.write([])).returncode, 1)

    def test_other_units_are_refused(self):
        self.assertNotEqual(self.report(self.write([entry("record", "driver", 1, 10.0, time_unit="us")])).returncode, 0)

    def test_scaling_lines_become_a_table(self):
        (self.path / "s.tsv").write_text("live streams\t10000\tevent record\t49.1\tns\n")
        done = self.report("--scaling", self.path / "s.tsv", self.write([entry("record", "gpustream", 1, 10.0)]))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| live streams | 10,000 | event record | 49.1 | ns |", (self.path / "out.md").read_text())


if __name__ == "__main__":
    unittest.main()
