#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the command gpustream takes its words: wrong ones, help, and an output that cannot be written.

   test_command_line.py COMMAND FAKE_DRIVER FAKE_NVML
"""
import pathlib
import re
import subprocess
import sys
import unittest

import test_command
from test_command import environment, on_fakes, run


class CommandLine(unittest.TestCase):
    def test_wrong(self):
        for arguments in ([], ["info", "--streams"], ["info", "--streams", "1"],
                          ["info", "--streams", "1025"], ["info", "--streams", "--json"], ["top", "--rounds"], ["top", "--rounds", "x"], ["top", "--rounds", "-1"],
                          ["top", "--rounds", "0.5"], ["top", "--rounds", "1.5"], ["top", "--rounds", "0"], ["top", "--rounds", "2x"],
                          ["top", "--rounds", " 1"], ["top", "--rounds", ""], ["top", "--rounds", "99999999999999999999"],
                          ["--version", "extra"], ["--help", "extra"], ["top", "--interval", "nan"],
                          ["explain"], ["explain", "1", "2"], ["top", "--interval", "0"]):
            self.assertIn("usage", run(*arguments, env=environment(), code=2).stderr, arguments)

    def test_misspelt_words_are_named_in_one_line(self):
        for arguments, text in ((["inof"], "there is no command 'inof': did you mean 'info'?"), (["xyzzy"], "there is no command 'xyzzy' (gpustream --help"),
                                (["xyz\x1b[2J\x9b"], "there is no command 'xyz?[2J??' (gpustream --help"),
                                (["--versoin"], "there is no command '--versoin': did you mean '--version'?"),
                                (["info", "--jsno"], "there is no option of info '--jsno': did you mean '--json'?"),
                                (["explain", "--sgv", "1"], "there is no option of explain '--sgv': did you mean '--svg'?"),
                                (["run", "--stat", "--", "true"], "there is no option of run '--stat': did you mean '--stats'?"),
                                (["top", "--round", "3"], "there is no option of top '--round': did you mean '--rounds'?")):
            said = run(*arguments, env=environment(), code=2).stderr
            self.assertIn(text, said)
            self.assertEqual(said.count("\n"), 1, said)

    def test_output_that_cannot_be_written(self):
        for arguments in (["info"], ["info", "--json"], ["top", "--rounds", "1"], ["top"], ["--version"], ["--help"]):
            with open("/dev/full", "w", encoding="ascii") as full:
                done = subprocess.run([test_command.COMMAND, *arguments], env=on_fakes(), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
                                      check=False)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("could not be written", done.stderr, arguments)

    def test_help_and_version(self):
        usage = run("--help", env=environment()).stdout
        self.assertIn("usage", usage)
        self.assertIn("core file", usage)
        for command in ("info", "top", "explain", "run", "shake"):
            self.assertEqual(run(command, "--help", env=environment()).stdout, usage)
        self.assertLessEqual(max(len(line) for line in usage.splitlines()), 84)
        for file in pathlib.Path(__file__).resolve().parents[2].glob("tools/gpustream/front/*.cpp"):
            for option in re.findall(r'"(--[a-z]+(?:-[a-z]+)*)"', file.read_text(encoding="utf-8")):
                self.assertRegex(usage, rf"[\[ ]{option}[\]\[ ]", file)
        self.assertRegex(run("--version", env=environment()).stdout, r"^gpustream \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    test_command.COMMAND, test_command.DRIVER, test_command.NVML = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1])
