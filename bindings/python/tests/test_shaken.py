# SPDX-License-Identifier: Apache-2.0
"""pytest --gpustream-shake on the fake driver: what it makes of tests that pass, race, fail, and use no device."""
import os
import re
import subprocess
import sys

import pytest

SHAKEN = """
import time

import gpustream
import pytest


def consume(waits):
    one, two = gpustream.Stream(), gpustream.Stream()
    source, target = gpustream.Buffer(1000), gpustream.Buffer(1000)
    for stream in one, two:  # which wait for the allocations now
        source.fill_(0, stream=stream)
        target.fill_(0, stream=stream)
        gpustream.synchronize()
    for number in range(8):
        source.fill_(number, stream=one)
        if waits:
            two.wait_stream(one)
        time.sleep(0.002)  # the work of the other stream is done by now
        target.copy_(source, stream=two)
        gpustream.synchronize()
        if target.to_bytes() != bytes([number]) * 1000:
            return False
    return True


@pytest.mark.parametrize("waits", [True, False], ids=["with", "a::b"])
def test_consume(waits):
    assert consume(waits)


def test_alone():
    assert gpustream.Stream


def test_wrong(request):
    assert request.config.getoption("verbose") == -1
    assert not consume(True)
"""


def run(folder, *options):
    """A pytest run of the file, in a folder that is not its root."""
    (folder / "tests").mkdir()
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "tests/test_file.py").write_text(SHAKEN)
    return subprocess.run([sys.executable, "-m", "pytest", "-p", "pytest_gpustream", "-p", "no:cacheprovider", "--gpustream-shake", *options, "test_file.py"],
                          cwd=folder / "tests", capture_output=True, text=True, timeout=200,
                          env={**os.environ, "GPUSTREAM_BACKEND": "cuda", "GPUSTREAM_LIBCUDA": pytest.fake_cuda(),
                               "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})  # other plugins take most of a run's time


def test_outcomes(tmp_path):
    ended = run(tmp_path, "-q", "-rA", "--gpustream-shake-runs", "4", f"--junitxml={tmp_path}/junit.xml")
    assert (ended.returncode, ended.stderr) == (1, "")
    text = ended.stdout
    assert set(re.findall(r"^(PASSED|FAILED) test_file.py::(\S+)", text, re.M)) == {
        ("PASSED", "test_consume[with]"), ("FAILED", "test_consume[a::b]"), ("FAILED", "test_wrong")}
    assert re.search(r"^SKIPPED \[1\] test_file.py:\d+: passed, not shaken: the program has opened the driver by another name .*or not at all$", text, re.M)
    race = text[text.index("gpustream shake: with delays the program fails"):text.index("_ test_wrong _")]
    assert re.search(r"late:  cuMemset\S+ in stream \d.*\n +at \S+:\d+ in \w+", race)
    assert re.search(r"ahead: cuMemcpy\S+ in stream \d+, at the same address\n +at \S+:\d+ in \w+", race)
    assert "An event that stream" in race
    wrong = text[text.index("_ test_wrong _"):]
    assert "AssertionError" in wrong and "the program fails without any delay: exit code 1" in wrong
    assert 'tests="4"' in (tmp_path / "junit.xml").read_text()


def test_selection(tmp_path):
    ended = run(tmp_path, "-q", "-k", "alone")
    assert ended.returncode == 0 and "1 skipped, 3 deselected" in ended.stdout


def test_tests_at_the_same_time_are_refused(tmp_path):
    (tmp_path / "conftest.py").write_text("def pytest_addoption(parser):\n    parser.addoption('--numprocesses', type=int)\n")  # pytest-xdist's
    ended = run(tmp_path, "-q", "--numprocesses", "2")
    assert ended.returncode == pytest.ExitCode.USAGE_ERROR and "does not go with -n" in ended.stderr


def test_a_missing_driver_is_no_pass(tmp_path, monkeypatch):
    monkeypatch.setattr(pytest, "fake_cuda", lambda: "/no/driver.so")
    ended = run(tmp_path, "-q", "-k", "with")
    assert ended.returncode == 1 and "'/no/driver.so'" in ended.stdout
