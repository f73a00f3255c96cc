# SPDX-License-Identifier: Apache-2.0
"""gpustream.check with its dump, and the names of streams, events and graphs."""
import ctypes
import os
import re
import subprocess
import sys
import threading

import gpustream
import pytest
from gpustream import check
from gpustream._extents import extent, span
from support.arrays import CudaArray
from support.at_once import in_thread
from support.native import ROOT
from support.refusals import raises


def test_a_missing_wait_is_reported(reports):
    upload, compute, array = gpustream.Stream(), gpustream.Stream(), CudaArray(0x1000, (4, 4))
    upload.set_name("upload")
    with check.access(writes=[array], stream=upload):
        pass
    with check.access(reads=[array], stream=compute, label="scale"):
        pass
    [(text, report)] = reports
    assert '"scale"' in text and "test_check.py:" in text
    assert report["earlier"]["stream_name"] == "upload" and report["later"]["label"] == "scale"
    assert report["earlier"]["label"].endswith("in test_a_missing_wait_is_reported") and report["bytes"] == 64
    del reports[:]
    upload.wait_stream(compute)
    check.write(array, upload)
    compute.wait_stream(upload)
    with compute:
        check.read(array)
    assert reports == []


def test_reports_of_what_ends_with_the_interpreter(run_python):
    """A buffer of a module is freed after the module's functions have gone."""
    assert run_python("""
import gpustream
from gpustream import check
check.set_callback(lambda text, report: print(report["later"]["label"], flush=True))
check.start()
one, two, three = gpustream.Stream(), gpustream.Stream(), gpustream.Stream()
memory, other = gpustream.Buffer.zeros(1000, stream=one), gpustream.Buffer(1000, stream=two)
other.copy_(memory, stream=two)
check.write(memory, three, "last")
""").startswith("last\n")


def test_the_extent_of_arrays():
    assert extent(CudaArray(100, (2, 3)), "a") == (100, 24)
    assert extent(CudaArray(100, (2, 3), (16, 4)), "a") == (100, 28)
    assert extent(CudaArray(100, (3,), (-4,)), "a") == (92, 12)
    assert extent(CudaArray(100, (2, 0)), "a") == (100, 0)
    assert extent((7, 8), "a") == (7, 8)
    buffer = (ctypes.c_char * 10)()
    assert extent(buffer, "a") == (ctypes.addressof(buffer), 10)
    assert span(0, (2, 2), (-8, 4), 4) == (-8, 16)
    raises(TypeError, "does not say how many bytes", extent, 4096, "a")
    raises(TypeError, lambda: extent(object(), "a"))


def test_dlpack_and_numpy():
    numpy = pytest.importorskip("numpy", reason="no wheel of NumPy for this interpreter")

    array = numpy.zeros((4, 6), dtype=numpy.int16)
    assert extent(array, "a") == (array.ctypes.data, 48)
    assert extent(array[1:3, ::-2], "a") == (array.ctypes.data + 14, 22)

    class OnlyDlpack:
        def __dlpack__(self):
            return array[:, 1:].__dlpack__()

    assert extent(OnlyDlpack(), "a") == (array.ctypes.data + 2, 46)


def test_one_memory_need_not_be_in_a_list(reports):
    numpy = pytest.importorskip("numpy", reason="no wheel of NumPy for this interpreter")
    one, two = gpustream.Stream(), gpustream.Stream()
    for memory in (bytearray(64), gpustream.Buffer(64, stream=one), CudaArray(0x1000, (16,)), numpy.zeros(16, numpy.float32)):
        label = type(memory).__name__  # a pair of places is reported once
        with check.access(writes=memory, stream=one, label=label):
            pass
        with check.access(reads=memory, stream=two, label=label):
            pass
        assert {report["bytes"] for _, report in reports} == {64} and reports[-1][1]["later"]["label"] == label
        del reports[:]


def test_threads_hand_over(reports):
    one, two, array, clock, other = gpustream.Stream(), gpustream.Stream(), CudaArray(0x1000, (4,)), check.Clock(), CudaArray(0x9000, (1,))
    ready, go = threading.Event(), threading.Event()

    def work():
        check.read(other, two)
        ready.set()
        go.wait()
        clock.handover()
        check.read(array, two)

    thread = threading.Thread(target=work)
    thread.start()
    ready.wait()
    check.write(array, one)
    one.synchronize()
    clock.handover()
    go.set()
    thread.join()
    assert reports == []


def test_a_callback_that_raises(reports, monkeypatch):
    raised = []
    monkeypatch.setattr(sys, "unraisablehook", raised.append)
    check.set_callback(lambda text, report: 1 / 0)
    array = CudaArray(0x1000, (4,))
    check.write(array, gpustream.Stream())
    check.write(array, gpustream.Stream())
    assert [one.exc_type for one in raised] == [ZeroDivisionError]
    raises(TypeError, check.set_callback, 7)


def test_waiting_can_be_forbidden():
    stream = gpustream.Stream()
    with check.forbid_sync():
        raises(gpustream.SyncForbiddenError, r"forbid_sync\(\) at .*test_check.py:\d+ says so$", stream.synchronize)
        with check.forbid_sync():
            assert stream.query() in (True, False)
        raises(gpustream.SyncForbiddenError, gpustream.synchronize)
        in_thread(stream.synchronize)
    stream.synchronize()


def test_blocks_without_waits_end_in_any_order():
    stream = gpustream.Stream()
    first, second = check.forbid_sync(), check.forbid_sync()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    raises(gpustream.SyncForbiddenError, stream.synchronize)
    in_thread(lambda: raises(gpustream.ScopeError, second.__exit__, None, None, None))
    raises(gpustream.SyncForbiddenError, stream.synchronize)
    second.__exit__(None, None, None)
    stream.synchronize()


def test_names():
    stream, event, graph = gpustream.Stream(), gpustream.Event(), gpustream.Graph()
    for thing in (stream, event, graph):
        thing.set_name("a name")
        thing.set_name(None)
        raises(TypeError, thing.set_name, 3)


def test_nodes_of_graphs_declare_what_they_access(reports):
    stream, graph, array = gpustream.Stream(), gpustream.Graph(), CudaArray(0x1000, (4, 4))
    first = graph.add_empty()
    second = graph.add_empty()
    first.check_write(array, "scale")
    second.check_read((0x1000 + 63, 1))
    third = graph.add_empty(after=[first, second])
    third.check_write(array)
    assert reports == []
    graph.instantiate()
    with stream:
        graph.replay()
    [(text, report)] = reports
    [label] = {report["earlier"]["label"], report["later"]["label"]} - {"scale"}
    assert label.startswith("test_check.py:") and label.endswith(" in test_nodes_of_graphs_declare_what_they_access"), text
    assert {report["earlier"]["node"], report["later"]["node"]} == {first.number, second.number}
    raises(TypeError, lambda: first.check_read(object()))


RACE = """
import gpustream
def fill(memory, stream):
    gpustream._memset_async(memory.ptr, 1, 64, stream=stream)
def step(one, two):
    memory = gpustream.Buffer(64, stream=one)
    two.wait_stream(one)
    fill(memory, one)
    fill(memory, two)
    two.synchronize()
    one.synchronize()
step(gpustream.Stream(), gpustream.Stream())
"""


def test_reports_have_the_frames_of_python_and_not_of_its_interpreter(run_python):
    report = run_python(RACE, GPUSTREAM_CHECK="report")
    assert report.count("race on") == 1, report
    later, earlier = report[report.index("  later: "):].split("  earlier: ")
    for side, line in (later, 9), (earlier, 8):
        frames = [frame.split(" ", 7)[7] for frame in side.splitlines() if frame.startswith("      #")]
        assert frames[0].startswith("gs_memset_async+"), frames
        first = frames.index("<string>:4 in fill")
        assert frames[first:first + 3] == ["<string>:4 in fill", f"<string>:{line} in step", "<string>:12 in <module>"]
        assert not any("libpython" in frame or "PyEval" in frame for frame in frames), frames


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
