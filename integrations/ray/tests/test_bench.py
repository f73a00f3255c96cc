# SPDX-License-Identifier: Apache-2.0
"""The benchmark reports what it should, on the fake driver, with few turns. No time is judged."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from real_gpu import FAKE

BENCH = Path(__file__).resolve().parents[1] / "bench"
sys.path.insert(0, str(BENCH))
import report  # noqa: E402

HANDED = {"part": "handover", "way": "gpustream", "size": 4096, "turns": 3, "us": [1.0, 2.0, 3.0], "went_early": 0, "wrong": 0,
          "synchronizes": {"source": 0, "destination": 0}, "error": ""}


def cells(text, first):
    return [line for line in text.splitlines() if line.startswith(f"| {first} |")]


@pytest.mark.timeout(300)
def test_the_whole_report(head, tmp_path):
    small = ["--turns", "6", "--messages", "12", "--rounds", "1", "--ms", "0.2", "--sizes", "4096", "--out", tmp_path / "out.md"]
    done = subprocess.run([sys.executable, BENCH / "run", *small], env=os.environ | FAKE | {"RAY_ADDRESS": head.address}, capture_output=True,
                          text=True, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "out.md").read_text()
    ours = cells(text, "gpustream-ray")
    assert [line.split("|")[2].strip() for line in ours] == ["two processes", "Ray"]
    assert all(line.endswith("| 0 | 0 |") for line in ours), "a hand-over has synchronised"
    waiting = cells(text, "gpustream-ray after a device synchronise")
    assert len(waiting) == 2
    assert not any("| 0 | 0 |" in line for line in waiting), "synchronises are not counted"
    assert len(cells(text, "an interprocess event, nothing else")) == len(cells(text, "host staging, by a pipe")) == 1
    assert len(cells(text, "host staging, by Ray's object store")) == 1
    assert len(cells(text, "0.2")) == 3, "a way of the pipeline is missing"
    assert "WRONG" not in text


@pytest.mark.parametrize(("changed", "fault"), [
    ({"wrong": 1}, "1 wrong"), ({"went_early": 2}, "did not wait 2 times"),
    ({"synchronizes": {"source": 0, "destination": 1}}, "synchronises"),
])
def test_faults_are_reported(changed, fault):
    assert report.faults([HANDED]) == []
    (found,) = report.faults([HANDED | changed])
    assert fault in found


def test_a_stream_that_does_not_wait_is_found_out(tmp_path):
    """The seeded bug: the destination forgets the source's event."""
    (tmp_path / "sitecustomize.py").write_text("from gpustream_ray._inbox import Lease\nLease.order = lambda self, stream: None\n")
    path = os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]])  # of both processes
    done = subprocess.run([sys.executable, BENCH / "handover.py", "--turns", "13"], env=os.environ | FAKE | {"PYTHONPATH": path},
                          capture_output=True, text=True, timeout=200)
    found = {line["way"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert found["gpustream"]["went_early"], done.stderr
    assert found["gpustream"]["wrong"]
    assert found["event"]["went_early"] == found["event"]["wrong"] == 0


def test_what_fails_is_named():
    lines = report.lateness([HANDED, HANDED | {"way": "cuda_ipc", "us": [], "error": "no such transport"}])
    assert lines[-1] == "- handover, Ray's CUDA IPC transport (no copy): no such transport"
