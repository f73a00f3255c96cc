# SPDX-License-Identifier: Apache-2.0
"""The recipes of examples/python, and the demonstration: each in a process of its own, as a user runs it."""
import json
import os
import subprocess
import sys
import zlib
from xml.etree import ElementTree

import gpustream
import pytest
from support.native import ROOT

EXAMPLES = sorted((ROOT / "examples/python").glob("*.py"))


def run(*arguments, cwd=None, **environment):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=120, cwd=cwd,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if "tests" not in path),
                               **environment})


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path):
    # Right programs: the ordering checker has nothing to report, but see CHECKED in test_guide_snippets.py.
    checked = {"GPUSTREAM_CHECK": "abort"} if os.environ.get("GPUSTREAM_BACKEND") == "host" else {}
    done = run(str(path), **checked)
    assert done.returncode == 0 and done.stdout.strip(), done.stdout + done.stderr


NCCL = ROOT / "examples/nccl/all_reduce.py"


@pytest.mark.needs_variable("GPUSTREAM_TEST_FAKE_NCCL")
@pytest.mark.parametrize("mode", ["one", "two"])
def test_nccl_on_stand_ins(mode):
    """The fake driver, and a stand-in for NCCL and nccl4py (tests/support/fake_nccl)."""
    path = os.pathsep.join([*(path for path in sys.path if "tests" not in path), str(ROOT / "tests/support/fake_nccl/python")])
    done = run(str(NCCL), mode, PYTHONPATH=path, NCCL_LIBRARY=os.environ["GPUSTREAM_TEST_FAKE_NCCL"], GPUSTREAM_BACKEND="cuda",
               GPUSTREAM_LIBCUDA=pytest.fake_cuda(), GPUSTREAM_HOST_WORKERS="4")
    assert done.returncode == 0 and "16 chunks summed over 2 ranks" in done.stdout, done.stdout + done.stderr
    done = run(str(NCCL), mode, PYTHONPATH=path, NCCL_LIBRARY=os.environ["GPUSTREAM_TEST_FAKE_NCCL"], GPUSTREAM_BACKEND="host")
    assert (done.returncode, done.stdout) == (77, "no two GPUs\n"), done.stdout + done.stderr


def test_nccl_where_it_is_absent():
    done = run(str(NCCL), "one")
    assert (done.returncode, done.stdout) == (77, "no nccl\n"), done.stdout + done.stderr
    assert run(str(NCCL)).returncode == 1


def test_there_are_all_five_recipes():
    assert {"two_streams", "timing", "partial_dependency", "wait_stream_or_event", "ipc"} <= {path.stem for path in EXAMPLES}


@pytest.mark.skipif(gpustream.Device("cuda").type != "host", reason="no GPU: the fake driver does not compile the demonstration's PTX")
@pytest.mark.parametrize("size", [0, 1, 16384, 16385, 1_000_003])
def test_demo(tmp_path, size):
    content = bytes(i * i % 251 for i in range(size))
    (tmp_path / "file").write_bytes(content)
    done = run("-m", "gpustream", "demo", "file", "--chunk", "100000", "--timeline", "picture", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"CRC-32 {zlib.crc32(content):08x}" in done.stdout and "as zlib and a plain count have it" in done.stdout
    picture = ElementTree.parse(tmp_path / "picture.svg").getroot()
    titles = {node.text.split(":")[0] for node in picture.iter("{http://www.w3.org/2000/svg}title")}
    assert titles == {f"{stage} of chunk {chunk}" for stage in ("copy in", "kernel", "copy out") for chunk in range(-(-size // 100000))}
    spans = [event for event in json.loads((tmp_path / "picture.json").read_text())["traceEvents"] if event["ph"] == "X"]
    assert len(spans) == len(titles) and {one["name"] for one in spans} == titles


def test_demo_finds_a_wrong_result(tmp_path, monkeypatch, capsys):
    from gpustream.demo import pipeline
    if gpustream.Device("cuda").type != "host":
        pytest.skip("no GPU: the fake driver does not compile the demonstration's PTX")
    (tmp_path / "file").write_bytes(b"some bytes")
    monkeypatch.setattr(pipeline, "_expected", lambda path: (1, [0] * 256))
    assert pipeline.main(tmp_path / "file") == 1
    assert "WRONG" in capsys.readouterr().out


def test_demo_of_no_file():
    done = run("-m", "gpustream", "demo", "/nonexistent")
    assert done.returncode == 2 and "is no file" in done.stderr


def test_info_without_a_driver():
    done = run("-m", "gpustream", GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA="/nonexistent/libcuda.so.1")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "unusable  the default backend, cuda, cannot be used here; GPUSTREAM_BACKEND=host chooses another" in done.stdout
    assert done.stdout.count("NO_LIBRARY: ") == 1 and "(default): NO_LIBRARY: " in done.stdout
    assert not any(line.startswith("driver") for line in done.stdout.splitlines())
    done = run("-m", "gpustream", GPUSTREAM_BACKEND="abacus")
    assert done.returncode == 1 and "unusable  GPUSTREAM_BACKEND='abacus'" in done.stdout


def test_info_names_the_driver():
    done = run("-m", "gpustream", "--json", GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda())
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)["driver"]
    assert (found["name"], found["version"]) == ("CUDA", "13.0") and os.path.samefile(found["library"], pytest.fake_cuda())
    done = run("-m", "gpustream", GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda())
    assert "driver    CUDA 13.0" in done.stdout and "cuda      2 device(s) (default)\n" in done.stdout


def test_info_tells_no_priorities_that_it_does_not_know():
    found = json.loads(run("-m", "gpustream", "--json", GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda()).stdout)
    known = {backend["name"]: [device["priorities"] for device in backend["devices"]] for backend in found["backends"]}
    assert known == {"cuda": [None, None], "host": [[0, -5], [0, -5]]}, "only host has a context by now"
    text = run("-m", "gpustream", GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda()).stdout
    assert text.count(", priorities 0 to -5\n") == 2 and text.count("priorities") == 2


def test_demo_without_a_driver(tmp_path):
    (tmp_path / "file").write_bytes(b"x")
    done = run("-m", "gpustream", "demo", "file", cwd=tmp_path, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA="/nonexistent/libcuda.so.1")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("python -m gpustream: no CUDA driver: cannot load"), done.stderr


def test_info():
    done = run("-m", "gpustream")
    assert done.returncode == 0 and f"gpustream {gpustream.__version__}" in done.stdout, done.stdout + done.stderr
    assert "(default)" in done.stdout and "host" in done.stdout
    found = json.loads(run("-m", "gpustream", "info", "--json").stdout)
    assert found["default_backend"] == gpustream.Device("cuda").type and found["copies"] == 1 and found["error"] is None
