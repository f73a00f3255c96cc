# SPDX-License-Identifier: Apache-2.0
"""gpustream.check.dump, and the hang that the guide explains."""
import os
import re
import subprocess
import sys

import gpustream
import pytest
from gpustream import check
from support.native import ROOT
from support.refusals import raises

PAGE = (ROOT / "docs/guide/debugging.md").read_text(encoding="utf-8")
[(PROGRAM, SAID)] = re.findall(r"^```python\n(import gpustream\n.*?check\.dump.*?)^```$.*?^```text\n(.*?)^```$", PAGE, re.M | re.S)


def run(program, **variables):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env={**os.environ, **variables})


def without_numbers(text):
    return re.sub(r"0x[0-9a-f]+|thread \d+|\d+\.\d+ ms", "N", text)


def test_the_guide_shows_what_is_said():
    ended = run(PROGRAM, GPUSTREAM_LOG="64")
    assert ended.returncode == 0, ended.stderr
    for line in SAID.splitlines():
        assert without_numbers(line) in without_numbers(ended.stderr).splitlines()


class Descriptor:
    """A file that is closed with its last reference."""

    def __init__(self, path):
        self.number = os.open(path, os.O_CREAT | os.O_WRONLY)

    def fileno(self):
        return self.number

    def __del__(self):
        os.close(self.number)


def test_files_and_descriptors(tmp_path):
    stream, other = gpustream.Stream(), gpustream.Stream()
    stream.set_name("named")
    stream.wait_stream(other)
    with open(tmp_path / "dump", "w", encoding="utf-8") as file:
        file.write("before\n")
        check.dump(file)
        check.dump(file.fileno())
    text = (tmp_path / "dump").read_text(encoding="utf-8")
    assert text.startswith("before\ngpustream: dump of process") and text.count('("named")') == 2
    check.dump(Descriptor(tmp_path / "alone"))  # nothing else refers to it
    assert (tmp_path / "alone").read_text(encoding="utf-8").startswith("gpustream: dump of process")
    raises(gpustream.InvalidArgumentError, check.dump, -1)
    with open("/dev/full", "w", encoding="utf-8") as full, pytest.raises(gpustream.errors.SystemCallError):
        check.dump(full)
    raises(AttributeError, check.dump, "stderr")
    stream.synchronize()


def test_a_stream_says_what_it_waits_for():
    name = "ü" * 31
    chain, timeline = [gpustream.Stream() for _ in range(12)], gpustream.Timeline()
    timeline.wait(1, chain[0])
    for index, stream in enumerate(chain):
        stream.set_name(name)
        if index:
            stream.wait_stream(chain[index - 1])
    text = chain[-1].explain()
    assert len(text.encode()) > 1024 and f'("{name}") waits for stream 0x' in text
    assert "which waits for timeline 0x" in text and "to reach 1 (it is at 0)" in text
    timeline.signal(1)
    chain[-1].synchronize()
    assert gpustream.Stream().explain().endswith(" has no known wait\n")


def test_the_log_of_a_process_that_was_killed(tmp_path):
    program = ("import gpustream, os, signal\ns = gpustream.Stream()\ns.set_name('stuck')\nt = gpustream.Timeline()\nt.wait(1, s)\n"
               "os.kill(os.getpid(), signal.SIGKILL)")
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "GPUSTREAM_LOG_FILE": str(tmp_path / "%p.log")}, check=False)
    assert done.returncode == -9
    (log,) = tmp_path.iterdir()
    with open(tmp_path / "text", "w", encoding="utf-8") as file:
        check.dump_log(log, file)
    text = (tmp_path / "text").read_text(encoding="utf-8")
    assert "which has ended" in text and '("stuck") may wait for timeline' in text and text.endswith("end of log\n")
    raises(gpustream.InvalidArgumentError, "not a log file", check.dump_log, __file__)
    raises(gpustream.errors.SystemCallError, check.dump_log, tmp_path / "none", 2)
    raises(TypeError, check.dump_log, 3)
