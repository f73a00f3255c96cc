#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a language's port of examples/pipeline on the host backend and puts its results beside the C++ program's.

    pipeline_port.py ROOT JUNIT words|options PROGRAM...

ROOT has the release build. PROGRAM... is called with FILE KERNELS [STREAMS [CHUNK]], or with
[--streams STREAMS] [--chunk CHUNK] --kernels KERNELS FILE. Exit status 1 when a case fails.
"""
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

WRONG_KERNEL = "void crc_and_histogram(const void *context, void **arguments) { (void)context; (void)arguments; }"


def run(*command):
    environment = {**os.environ, "GPUSTREAM_BACKEND": "host", "GPUSTREAM_CHECK": "abort"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def last_line(text):
    return text.strip().splitlines()[-1] if text.strip() else ""


def fail_unless(right, done):
    if not right:
        raise AssertionError(f"exit status {done.returncode}\n{done.stdout}{done.stderr}")


class Cases:
    def __init__(self, form, program, root, folder):
        self.form, self.program, self.build, self.folder = form, program, Path(root) / "build/release", Path(folder)
        self.kernels, self.file = self.build / "bin/pipeline_kernels.so", self.build / "libgpustream.so.0"

    def verdict(self, file):
        done = run(self.build / "bin/pipeline", file, "--backend", "host")
        fail_unless(done.returncode == 0 and last_line(done.stdout).startswith("CRC-32 "), done)
        return last_line(done.stdout)

    def port(self, *words):
        if self.form == "options" and words:
            names = ("--kernels", "--streams", "--chunk")
            words = [part for pair in zip(names, words[1:]) for part in pair] + [words[0]]
        return run(*self.program, *words)

    def agrees(self, file, *options):
        done = self.port(file, self.kernels, *options)
        fail_unless(done.returncode == 0 and last_line(done.stdout) == self.verdict(file) and not done.stderr, done)

    def result_is_that_of_the_other_program(self):
        for options in (("1", "65536"), ("2", "100000"), ("7", "250001"), ("6", "1073741824"), ()):
            self.agrees(self.file, *options)

    def small_files(self):
        for size in (1, 16383, 16384, 16385):
            file = self.folder / f"{size} bytes"
            file.write_bytes(bytes(i % 251 for i in range(size)))
            self.agrees(file)

    def failures_have_a_text_and_a_status(self):
        other = self.build / "tests/parity/libgpustream_parity_native.so"
        for wanted, *arguments in (
            ("usage",), ("usage", self.file, self.kernels, "65"), ("usage|invalid digit", self.file, self.kernels, "3", "none"),
            ("/nonexistent/file|FileNotFound", "/nonexistent/file", self.kernels), ("empty", "/dev/null", self.kernels),
            ("gs_module_load", self.file, "/nonexistent.so"), ("crc_and_histogram", self.file, other),
        ):  # fmt: skip
            done = self.port(*arguments)
            found = any(text.lower() in done.stderr.lower() for text in wanted.split("|"))
            fail_unless(done.returncode == 2 and found, done)

    def wrong_result_is_noticed(self):
        source, library = self.folder / "wrong.c", self.folder / "wrong.so"
        source.write_text(WRONG_KERNEL, encoding="utf-8")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", library, source], check=True)
        done = self.port(self.file, library)
        fail_unless(done.returncode == 1 and "the result is wrong" in done.stderr, done)


def main(root, junit, form, *program):
    suite, failed = ElementTree.Element("testsuite", name="pipeline"), 0
    with tempfile.TemporaryDirectory() as folder:
        cases = Cases(form, program, root, folder)
        for case in (cases.result_is_that_of_the_other_program, cases.small_files, cases.failures_have_a_text_and_a_status,
                     cases.wrong_result_is_noticed):  # fmt: skip
            name = case.__name__.replace("_", " ")
            entry = ElementTree.SubElement(suite, "testcase", classname=Path(junit).stem, name=name)
            try:
                case()
            except (AssertionError, subprocess.SubprocessError) as failure:
                failed += 1
                print(f"{name}: {failure}")
                ElementTree.SubElement(entry, "failure", message=str(failure)[-2000:])
    ElementTree.ElementTree(suite).write(junit, encoding="utf-8", xml_declaration=True)
    print(f"{len(suite)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 5 or sys.argv[3] not in ("words", "options"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
