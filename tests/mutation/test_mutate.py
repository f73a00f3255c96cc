# SPDX-License-Identifier: Apache-2.0
"""The whole command on a fixture: strong tests kill its mutants, weak tests let some survive."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ALL = ("killed", "survived", "same code", "invalid", "explained")


class MutateTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name) / "tree"
        shutil.copytree(HERE / "fixture", cls.root)
        cls.none_explained = Path(cls.folder.name) / "none.json"
        cls.none_explained.write_text("[]")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def mutate(self, kind, *options):
        """The exit code, what was printed, and outcome -> the lines of the mutants."""
        results = Path(self.folder.name) / f"{kind}.jsonl"
        done = subprocess.run(
            [sys.executable, HERE / "mutate", "--root", self.root, "--results", results, "--targets", f"{kind}_tests", "-j2",
             "--explained", self.none_explained, *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env={**os.environ, "GPUSTREAM_CUDA_INCLUDE_DIR": ""})
        found = {outcome: [] for outcome in ALL}
        if results.exists():
            for entry in map(json.loads, results.read_text().splitlines()):
                found[entry["outcome"]].append(f"{entry['file']}: {entry['after']}")
        return done.returncode, done.stdout, found

    def test_strong_tests_kill_every_mutant(self):
        code, output, found = self.mutate("strong")
        self.assertEqual(found["survived"], [], output)
        self.assertEqual(code, 0, output)
        self.assertIn("src/core/range.hpp: inline bool inside(int value, int limit) noexcept { return value >= 0 && value <= limit; }",
                      found["killed"])
        self.assertIn("src/core/range.cpp: return value < limit ? 0 : limit + 1;", found["killed"])
        # Nothing is run twice.
        lines = sum(map(len, found.values()))
        code, output, found = self.mutate("strong")
        self.assertEqual((code, sum(map(len, found.values()))), (0, lines), output)

    def test_programs_that_load_the_library_load_the_mutant(self):
        code, output, found = self.mutate("shared")
        self.assertEqual((code, found["survived"]), (0, []), output)
        self.assertIn("src/core/range.cpp: return value < limit ? 0 : limit + 1;", found["killed"])

    def test_weak_tests_let_mutants_survive(self):
        code, output, found = self.mutate("weak")
        self.assertEqual(code, 1, output)
        self.assertIn("src/core/range.cpp: return value < limit ? 0 : limit + 1;", found["survived"])
        self.assertIn("src/core/range.cpp:6 constant: return value < limit ? [0 => 1] : limit - 1;", output)
        self.assertTrue(found["killed"])
        # Survivors are run again when that is asked for.
        before = sum(map(len, found.values()))
        self.assertEqual(sum(map(len, self.mutate("weak", "--again")[2].values())), before + len(found["survived"]))
        # A bound that they reach, but the survivors are not explained.
        self.assertEqual(self.mutate("weak", "--bound", "1")[0], 1)

    def test_explained_survivors_need_a_reason_and_exist(self):
        _, _, found = self.mutate("weak")
        results = [json.loads(line) for line in (Path(self.folder.name) / "weak.jsonl").read_text().splitlines()]
        entries = [{**entry, "class": "out of reach", "reason": "for the sake of this test"} for entry in results if entry["outcome"] == "survived"]
        file = Path(self.folder.name) / "explained.json"

        def check(entries):
            file.write_text(json.dumps(entries))
            return self.mutate("weak", "--explained", file, "--check")[0]

        self.assertEqual(check(entries), 0)
        self.assertEqual(self.mutate("weak", "--explained", file, "--bound", "1")[0], 0)
        self.assertEqual(self.mutate("weak", "--explained", file)[0], 1)  # out of reach is not killed
        self.assertEqual(check([{**entry, "class": "equivalent"} for entry in entries]), 0)
        self.assertEqual(self.mutate("weak", "--explained", file)[0], 0)  # an equivalent one cannot be
        # Explained ones are not run, unless that is asked for.
        fresh = ["--explained", file, "--results", str(Path(self.folder.name) / "fresh.jsonl")]
        self.assertIn(f"0 survived, 0 out of reach, {len(entries)} equivalent", self.mutate("weak", *fresh)[1])
        outcomes = [json.loads(line)["outcome"] for line in Path(fresh[-1]).read_text().splitlines()]
        self.assertEqual((outcomes.count("explained"), outcomes.count("survived")), (len(entries), 0))
        self.assertEqual(check([{**entries[0], "class": "dull"}]), 1)
        self.assertEqual(check([{**entries[0], "reason": ""}]), 1)
        self.assertEqual(check([{**entries[0], "before": "another line"}]), 1)
        self.assertEqual(check([{**entries[0], "id": "0123456789"}]), 1)

    def test_a_failure_without_a_mutant_is_an_error(self):
        code, output, found = self.mutate("failing")
        self.assertEqual(code, 2)
        self.assertIn("Fixture.Case: failed", output)
        self.assertEqual(sum(map(len, found.values())), 0)

    def test_a_program_without_cases_is_an_error(self):
        code, output, found = self.mutate("silent")
        self.assertEqual((code, sum(map(len, found.values()))), (2, 0), output)
        self.assertIn("lists no case", output)

    def test_no_time_is_no_success(self):
        code, output, found = self.mutate("strong", "--time-limit", "0", "--results", str(Path(self.folder.name) / "none.jsonl"))
        self.assertEqual(code, 1, output)
        self.assertIn("0 mutants of", output)


if __name__ == "__main__":
    unittest.main()
