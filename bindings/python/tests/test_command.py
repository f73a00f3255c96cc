# SPDX-License-Identifier: Apache-2.0
"""The command that the package brings, with its front, and pages of what it writes."""
import json
import os
import signal
import subprocess
import sys

import pytest
from support.traces import check_schema

PROGRAM = """
import gpustream
one, two = gpustream.Stream(), gpustream.Stream()
two.wait_event(one.record_event())
two.synchronize()
"""


def python(*arguments, **environment):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env={**os.environ, **environment}, timeout=100)


@pytest.fixture
def traced(tmp_path):
    """The trace of a program on the fake driver."""
    path = tmp_path / "step.json"
    ended = python("-m", "gpustream._command", "run", "--trace", str(path), "--", sys.executable, "-c", PROGRAM, GPUSTREAM_BACKEND="cuda",
                   GPUSTREAM_LIBCUDA=pytest.fake_cuda())
    assert (ended.returncode, ended.stderr) == (0, "")
    return path


def test_the_front_sees_a_program(traced):
    document = json.loads(traced.read_text())
    assert check_schema(document) == []
    calls = [one["name"] for one in document["traceEvents"] if one.get("cat") == "cuda_driver"]
    assert {"cuEventRecord", "cuStreamWaitEvent"} <= set(calls)
    assert [one["ph"] for one in document["traceEvents"] if one.get("cat") == "order"] == ["s", "f"]


def test_pages(traced, tmp_path):
    for name, part in {"step.html": '"call of the driver"', "step.svg": ">call of the driver</text>"}.items():
        drawn = python("-m", "gpustream", "draw", str(traced), str(tmp_path / name))
        assert (drawn.returncode, drawn.stderr) == (0, "")
        assert part in (tmp_path / name).read_text()


@pytest.mark.parametrize(("trace", "page", "text"), [("step.json", "step.txt", "not as"), ("none.json", "step.html", "No such file")])
def test_what_cannot_be_drawn(traced, trace, page, text):
    wrong = python("-m", "gpustream", "draw", str(traced.with_name(trace)), str(traced.with_name(page)))
    assert wrong.returncode == 1 and wrong.stderr.startswith("python -m gpustream: ") and text in wrong.stderr


def test_a_reader_may_end_first():
    told = subprocess.Popen([sys.executable, "-m", "gpustream"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    told.stdout.close()
    assert told.communicate(timeout=100)[1] == b"" and told.returncode == -signal.SIGPIPE


@pytest.mark.parametrize("text", ["{}", "[1, 2", "3", '{"traceEvents": [{"ph": "X"}]}', '{"traceEvents": [7]}'])
def test_what_is_no_trace(tmp_path, text):
    (tmp_path / "wrong.json").write_text(text)
    (tmp_path / "page.html").write_text("from before")
    wrong = python("-m", "gpustream", "draw", str(tmp_path / "wrong.json"), str(tmp_path / "page.html"))
    assert wrong.returncode == 1 and wrong.stderr.count("\n") == 1 and "wrong.json is no trace" in wrong.stderr, wrong.stderr
    assert (tmp_path / "page.html").read_text() == "from before"


def test_the_simulated_driver_is_the_default():
    text = "import gpustream; print(gpustream.device_count(), gpustream.Stream().device, gpustream._instance_count())"
    environment = {name: value for name, value in os.environ.items() if name not in ("GPUSTREAM_LIBCUDA", "GPUSTREAM_BACKEND")}
    ended = subprocess.run([sys.executable, "-m", "gpustream._command", "run", "--simulate", "--", sys.executable, "-c", text], capture_output=True,
                           text=True, env=environment, timeout=100)
    assert (ended.stdout, ended.stderr) == ("1 cuda:0 1\n", "")