# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests that run the pipeline example. Each is called with PIPELINE WRONG_KERNELS [unittest arguments].

PIPELINE is the program; WRONG_KERNELS is a folder with a folder per fault, each holding a wrong pipeline_kernels.so.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MIB = 1 << 20
OK, MISMATCH, USAGE, FILE, DEVICE = range(5)


def program():
    return pathlib.Path(sys.argv[1]).resolve()


def wrong_kernels():
    return pathlib.Path(sys.argv[2]).resolve()


def environment(**more):
    return dict(os.environ, GPUSTREAM_BACKEND="host") | more


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])


class PipelineTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, content, name="input"):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def run_pipeline(self, *arguments, copy=None, variables=None, **more):
        command = [str(copy or program()), *map(str, arguments)]
        settings = environment(**(variables or {}))
        return subprocess.run(command, capture_output=True, text=True, env=settings, timeout=900, **more)

    def expect(self, status, text, *arguments, **more):
        """Runs it, and expects that exit status and that text on stderr."""
        result = self.run_pipeline(*arguments, **more)
        self.assertEqual(result.returncode, status, result.stderr + result.stdout)
        self.assertIn(text, result.stderr)
        return result

    def expect_digest(self, crc, size, *arguments, **more):
        result = self.run_pipeline(*arguments, **more)
        self.assertEqual(result.returncode, OK, result.stderr)
        said = re.search(r"^CRC-32 ([0-9a-f]{8}) and histogram agree .* over (\d+) bytes$", result.stdout, re.M)
        self.assertIsNotNone(said, result.stdout)
        self.assertEqual((int(said[1], 16), int(said[2])), (crc, size), arguments)
        return result
