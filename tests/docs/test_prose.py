# SPDX-License-Identifier: Apache-2.0
"""scripts/prose: each rule on its own fixture, and the program on small trees that must pass and must fail."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import prose  # noqa: E402

# In two pieces, since the linter reads this file too.
RULE = "no" + "body"
REJECTED = f"# {RULE.title()} waits.\n"
TWICE = "No stream is " + "not idle"
PARTS = ["scripts/prose", "scripts/lib/prose.py", "scripts/lib/prose_rules.toml", "scripts/lib/proselint.json", ".codespellrc"]


class RulesTest(unittest.TestCase):
    def test_every_rule_finds_its_bad_lines_and_no_good_one(self):
        rules = prose.read_rules()
        self.assertGreater(len(rules), 10)
        for rule in rules:
            for line in rule.bad:
                with self.subTest(rule=rule.name, bad=line):
                    self.assertIn(rule, [finding.rule for finding in prose.check(line, [rule])])
            for line in rule.good:
                with self.subTest(rule=rule.name, good=line):
                    self.assertEqual(prose.check(line, [rule]), [])

    def test_a_rule_without_a_fixture_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "rules.toml")
            for broken in ('where = "text"\nbad = []\ngood = ["x"]', 'where = "code"\nbad = ["x"]\ngood = ["y"]'):
                path.write_text(f'[[rule]]\nname = "a"\npattern = "x"\nadvice = "y"\n{broken}\n')
                with self.assertRaises(ValueError):
                    prose.read_rules(path)

    def test_a_phrase_over_two_lines_is_found_on_its_first(self):
        rules = [rule for rule in prose.read_rules() if rule.name == "for-ever"]
        found = prose.check("int a;\n// It waits " + "for\n// ever.\n", rules)
        self.assertEqual([(finding.line, finding.text) for finding in found], [(2, "for " + "ever")])

    def test_only_the_first_line_of_a_comment_is_a_brief(self):
        text = "// One line.\n// Gives a second.\n\n/** Brief.\n * Gives more.\n */\nx = 1  # Gives way\n"
        self.assertEqual(prose.check(text, [rule for rule in prose.read_rules() if rule.where == "brief"]), [])

    def test_sentences_of_comments_pages_and_messages(self):
        rules = [rule for rule in prose.read_rules() if rule.where == "sentence"]
        found = {".cpp": [f"// {TWICE}.\n", f"int a; // {TWICE}\n", f"// No stream is\n// not idle.\n", 'fail("no stream is "\n     "not idle");\n'],
                 ".md": [f"{TWICE}.\n", f"| a | {TWICE} |\n", f"- {TWICE}\n"], ".py": [f"x = 1\n# {TWICE}\n"]}
        right = {".cpp": ["#define NO_A not_b\n#include <no/not>\n", "int no; // not\nint none; // no\n", "// No stream.\n//\n// Not idle.\n"],
                 ".md": [f"```\n{TWICE}\n```\n", "| no | not |\n", "# No\n\nNot\n", "- no\n- not\n"], ".py": [f"x = '{TWICE}'\n"]}
        for suffix, texts in [*found.items(), *right.items()]:
            for text in texts:
                with self.subTest(suffix=suffix, text=text):
                    self.assertEqual(bool(prose.check(text, rules, suffix, True)), text in found.get(suffix, ()))

    def test_briefs_of_files_and_of_every_language(self):
        rules = [rule for rule in prose.read_rules() if rule.where == "brief"]
        for text in ("// SPDX-License-Identifier: Apache-2.0\n// Gives a number.\n", "!> Tells the name.\n", "  ! Gives a name.\n", "//! Gives names.\n", "/// Tells names.\n"):
            with self.subTest(text=text):
                self.assertEqual(len(prose.check(text, rules)), 1)


class ProgramTest(unittest.TestCase):
    def run_on(self, name, text):
        """Runs scripts/prose in a tree of its own that holds one more file. The tools are this tree's."""
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            (tree / "scripts" / "lib").mkdir(parents=True)
            for part in PARTS:
                shutil.copy(ROOT / part, tree / part)
            if (ROOT / ".venv").exists():
                (tree / ".venv").symlink_to(ROOT / ".venv")
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text)
            return subprocess.run([tree / "scripts/prose"], capture_output=True, text=True, timeout=60)

    def test_a_clean_tree_passes(self):
        done = self.run_on("a.cpp", "// Returns the number of devices.\n")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_each_tool_fails_the_run(self):
        cases = {"a.cpp": ("// Reci" + "eves a stream.\n", "Reci" + "eves"), "a.md": ("It is a safe haven.\n", "safe haven"),
                 "b.py": (REJECTED, RULE)}
        for name, (text, shown) in cases.items():
            with self.subTest(name):
                done = self.run_on(name, text)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(shown, done.stdout)

    def test_without_a_repository_only_build_trees_are_left_out(self):
        self.assertEqual(self.run_on("build_backend/a.py", REJECTED).returncode, 1)
        self.assertEqual(self.run_on("build/a.py", REJECTED).returncode, 0)


if __name__ == "__main__":
    unittest.main()
