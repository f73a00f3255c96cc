#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the pipeline example reports wrong results, devices and command lines; see pipeline_support.py."""
import random
import shutil
import subprocess

import pipeline_support as support
from pipeline_support import (
    DEVICE,
    FILE,
    MISMATCH,
    OK,
    USAGE,
    PipelineTest,
    environment,
    program,
    wrong_kernels,
)

KERNELS = "pipeline_kernels.so"


class Wrong(PipelineTest):
    """The check of the result must find a wrong kernel, and a failing device must be reported."""

    def program_with(self, kernels):
        copy = self.folder / "pipeline"
        copy.unlink(missing_ok=True)  # the earlier one may still be a running program
        shutil.copy(program(), copy)
        if kernels is not None:
            shutil.copy(kernels, self.folder / KERNELS)
        return copy

    def test_right_kernels_elsewhere(self):
        copy = self.program_with(program().parent / KERNELS)
        self.expect(OK, "", self.file(b"x" * 100000), copy=copy)

    def test_faults_are_found(self):
        content = random.Random(8).randbytes(300000)
        said = {"crc": "CRC-32: pipeline", "histogram": "byte 0 occurs", "last_slice": "CRC-32: pipeline"}
        for fault, text in said.items():
            with self.subTest(fault=fault):
                copy = self.program_with(wrong_kernels() / fault / KERNELS)
                result = self.expect(MISMATCH, text, self.file(content), "--chunk", "100000", copy=copy)
                self.assertIn("the result is wrong", result.stderr)
                self.assertNotIn("agree", result.stdout)

    def test_no_kernels(self):
        result = self.expect(DEVICE, KERNELS, self.file(b"x"), copy=self.program_with(None))
        self.assertIn("gs_module_load", result.stderr)

    def test_no_kernel_of_that_name(self):
        copy = self.program_with(wrong_kernels() / "name" / KERNELS)
        result = self.expect(DEVICE, "crc_and_histogram", self.file(b"x"), copy=copy)
        self.assertIn("gs_module_get_kernel", result.stderr)

    def test_no_driver(self):
        variables = {"GPUSTREAM_LIBCUDA": str(self.folder / "missing.so")}
        result = self.expect(DEVICE, "GS_ERROR_UNAVAILABLE", self.file(b"x"), "--backend", "cuda", variables=variables)
        self.assertIn("gs_", result.stderr)

    def test_unknown_default_backend(self):
        self.expect(DEVICE, "GS_ERROR_INVALID_ARGUMENT", self.file(b"x"), variables={"GPUSTREAM_BACKEND": "abacus"})


class CommandLine(PipelineTest):
    def test_wrong_usage(self):
        path = self.file(b"x")
        for arguments in ([], [path, path], [path, "--streams", "0"], [path, "--chunk", "2G"], [path, "--wat"],
                          [path, "--backend", "abacus"], [path, "--timeline"]):
            with self.subTest(arguments=arguments):
                result = self.expect(USAGE, "--help shows the usage", *arguments)
                self.assertEqual(result.stdout, "")

    def test_help(self):
        result = self.run_pipeline("--help")
        self.assertEqual(result.returncode, OK)
        for option in ("--streams", "--chunk", "--backend", "--timeline", "--progress"):
            self.assertIn(option, result.stdout)

    def test_backends(self):
        path = self.file(b"x" * 5000)
        for backend in ("host", "auto"):
            self.assertIn(" on host (", self.run_pipeline(path, "--backend", backend).stdout)

    def test_silent_without_a_terminal(self):
        self.assertEqual(self.run_pipeline(self.file(b"x" * 5000)).stderr, "")

    def test_full_disk_for_the_output(self):
        with open("/dev/full", "wb") as full:
            command = [str(program()), str(self.file(b"x"))]
            settings = environment()
            self.assertEqual(subprocess.run(command, stdout=full, env=settings, timeout=900).returncode, FILE)


if __name__ == "__main__":
    support.main()
