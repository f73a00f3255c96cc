#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that the pipeline example cannot process; see pipeline_support.py."""
import fcntl
import json
import os
import pathlib
import subprocess
import xml.etree.ElementTree

import pipeline_support as support
from pipeline_support import FILE, MIB, OK, PipelineTest, environment, program


class Files(PipelineTest):
    def test_missing(self):
        self.expect(FILE, "No such file", self.folder / "missing")

    def test_path_through_a_file(self):
        self.expect(FILE, "Not a directory", self.file(b"x") / "below")

    def test_empty(self):
        self.expect(FILE, "is empty", self.file(b""))

    def test_directory(self):
        self.expect(FILE, "is a directory", self.folder)

    def test_fifo_does_not_hang(self):
        os.mkfifo(self.folder / "fifo")
        self.expect(FILE, "no regular file", self.folder / "fifo")

    def test_device(self):
        self.expect(FILE, "no regular file", "/dev/zero")

    def test_unreadable(self):
        path = self.file(b"secret")
        path.chmod(0)
        # Root can read every file, so root runs it as an unprivileged user.
        unprivileged = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        if unprivileged:
            self.folder.chmod(0o755)
            try:
                self.run_pipeline("--help", **unprivileged)
            except PermissionError:
                self.skipTest(f"run by root, and user 65534 may not execute {program()}")
        self.expect(FILE, "Permission denied", path, **unprivileged)

    def test_strange_name(self):
        path = pathlib.Path(os.fsdecode(os.fsencode(self.folder) + b"/a\xff<&\"'\n-.bin"))
        path.write_bytes(b"x" * 1000)
        command = [str(program()), str(path), "--timeline", str(self.folder / "out")]
        done = subprocess.run(command, capture_output=True, env=environment(), timeout=900)
        self.assertEqual(done.returncode, OK, done.stderr)
        xml.etree.ElementTree.parse(self.folder / "out.svg")
        json.loads((self.folder / "out.json").read_text(encoding="utf-8"))


class Shrinking(PipelineTest):
    """The file is cut while the program works on it. What makes this deterministic is its own progress report: it goes
    into a pipe that holds 4096 bytes, so the program cannot get further than that beyond what this test has read."""

    def shrink_at(self, line_start):
        size = 256 * MIB
        path = self.folder / "sparse"
        with path.open("wb") as file:
            file.truncate(size)
        read_end, write_end = os.pipe()
        # The smallest pipe of Linux is one page.
        self.assertLessEqual(fcntl.fcntl(read_end, 1031, 4096), 4096)
        command = [str(program()), str(path), "--progress", "--chunk", "1M", "--streams", "2"]
        settings = environment()
        with subprocess.Popen(command, stderr=write_end, stdout=subprocess.PIPE, env=settings) as process:
            os.close(write_end)
            line = b""
            while not line.startswith(line_start):
                line = b""
                while not line.endswith(b"\n"):
                    byte = os.read(read_end, 1)
                    self.assertNotEqual(byte, b"", "the program ended before it reported that")
                    line += byte
            os.truncate(path, MIB)
            rest = b""
            while piece := os.read(read_end, 65536):
                rest += piece
            os.close(read_end)
            output = process.communicate()[0]
        # The output after the cut is more than the pipe holds, unless the cut ended the program.
        self.assertEqual(process.returncode, FILE, rest)
        self.assertIn(b"has shrunk while it was processed", rest)
        self.assertNotIn(b"agree", output)

    def test_a_whole_report_is_more_than_the_pipe_holds(self):
        path = self.folder / "sparse"
        with path.open("wb") as file:
            file.truncate(256 * MIB)
        report = self.run_pipeline(path, "--progress", "--chunk", "1M", "--streams", "2").stderr
        for phase in ("sequential pass", "pipeline"):
            lines = [line for line in report.splitlines(keepends=True) if line.startswith(phase)]
            self.assertEqual(len(lines), 101, report)
            # A line, then a full pipe, and still several chunks to go: there are 2.56 in each percent, 4 in flight.
            self.assertGreater(sum(map(len, lines[1:-5])), 4096)

    def test_during_the_sequential_pass(self):
        self.shrink_at(b"sequential pass")

    def test_during_the_pipeline(self):
        self.shrink_at(b"pipeline")


if __name__ == "__main__":
    support.main()
