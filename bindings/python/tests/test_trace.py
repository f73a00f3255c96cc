# SPDX-License-Identifier: Apache-2.0
"""gpustream.trace: the text, edges, times of the device, bad calls; and traces for other tools."""
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import gpustream
import pytest
from gpustream import nvtx, trace
from support.refusals import raises
from support.traces import check_schema, events, pipeline, traced


def test_the_schema_and_the_edges():
    document = traced(pipeline)
    (record,), waits = events(document, name="record"), events(document, cat="cuda_sync")
    assert len(waits) == 2
    assert waits[0]["args"]["wait_on_cuda_event_record_corr_id"] == record["args"]["correlation"]
    assert waits[0]["args"]["wait_on_stream"] == record["tid"] == record["args"]["stream"]
    assert waits[0]["tid"] != record["tid"] and waits[0]["pid"] == record["pid"] == gpustream.current_device()
    assert {one["id"] for one in events(document, ph="s")} == {one["id"] for one in events(document, ph="f")} and len(events(document, ph="f")) == 2
    names = [one["args"]["name"] for one in events(document, name="thread_name")]
    assert any(name.endswith(" upload") for name in names)
    step, inner = events(document, name="step")[0], events(document, name="inner")[0]
    assert step["ts"] <= inner["ts"] and inner["ts"] + inner["dur"] <= step["ts"] + step["dur"] + 2e-3
    assert step["pid"] == document["gpustream"]["process"] and step["cat"] == "user_annotation"
    assert len(events(document, name="first", ph="i")) == 1 and len(events(document, ph="b", name="beside")) == 1
    assert document["gpustream"]["dropped"] == 0
    assert document["deviceProperties"] == [{"id": gpustream.current_device()}]


def test_device_times():
    stream = gpustream.Stream()

    def work():
        with stream, nvtx.range("on the device"):
            gpustream._core.gs_stream_sleep(stream, 1_000_000)
        stream.synchronize()

    document = traced(work, device_times=True)
    (span,) = events(document, cat="gpu_user_annotation")
    assert span["name"] == "on the device" and span["dur"] >= 1000 - 2 * span["args"]["error_ns"] / 1000
    assert document["gpustream"]["ranges_pending"] == 0 and document["gpustream"]["ranges_not_timed"] == 0
    assert events(traced(work), cat="gpu_user_annotation") == []


def test_bad_calls(run_python):
    with trace.Trace() as one:
        raises(gpustream.NotPermittedError, trace.start)
        assert check_schema(json.loads(one.text())) == []
    raises(gpustream.InvalidArgumentError, trace.start, operations=1 << 21)
    with pytest.raises(gpustream.SyncForbiddenError), gpustream.check.forbid_sync():
        trace.text()
    trace.stop()
    raises(TypeError, trace.set_callback, 3)
    run_python("import gpustream\nfrom support.refusals import raises\nraises(gpustream.NotRecordedError, gpustream.trace.text)")


def test_a_block_that_raises_stops():
    with pytest.raises(KeyError), trace.Trace():
        raise KeyError
    with trace.Trace():
        pass


def test_the_callback():
    heard = []
    trace.set_callback(lambda *operation: heard.append(operation))
    try:
        stream = gpustream.Stream()
        with nvtx.range("heard"):
            event = stream.record_event()
    finally:
        trace.set_callback(None)
    nvtx.mark("not heard")
    kinds = [one[0] for one in heard]
    assert kinds[0] == "range_push" and kinds[-1] == "range_pop" and "record" in kinds
    assert heard[0] == ("range_push", 0, 0, 0, "heard")
    (record,) = [one for one in heard if one[0] == "record"]
    assert record[1:] == (stream.handle, event.handle, 0, None)


def test_a_trace_is_not_written_as_another_one(tmp_path):
    with trace.Trace() as one:
        gpustream.Stream().record_event()
        assert "record" in one.text()
    with trace.Trace() as two:
        pass
    raises(gpustream.NotRecordedError, "another one was started", one.write, tmp_path / "one.json")
    raises(gpustream.NotRecordedError, "write each trace before the next one starts$", one.text)
    two.write(tmp_path / "two.json")
    raises(gpustream.NotRecordedError, "has not begun", trace.Trace().write, tmp_path / "three.json")
    gpustream._core.gs_trace_end(gpustream._core.gs_trace_begin({}))  # as other languages of the process begin one
    raises(gpustream.NotRecordedError, "another one was started", two.text)
    assert "traceEvents" in trace.text()
    assert [path.name for path in tmp_path.iterdir()] == ["two.json"]


def test_texts_name_functions_of_python():
    with trace.Trace():
        raises(gpustream.NotPermittedError, r"^a trace is running: gpustream\.trace\.stop\(\) ends it$", trace.start)
    raises(gpustream.InvalidArgumentError, "'Torch'; there are torch, cupy, tvm_ffi, executorch, and those of register_bridge", gpustream.interop.lead, "Torch")
    raises(gpustream.InvalidHandleError, "interop.as_event", gpustream.Event.from_handle, 5)


def test_the_end_of_a_block_is_not_that_of_another_trace():
    with trace.Trace():
        trace.stop()
        trace.start()
    with pytest.raises(gpustream.NotPermittedError):
        trace.start()  # the one that was started inside the block still runs
    trace.stop()
    with trace.Trace():
        trace.stop()


def test_a_callback_is_taken_back_before_the_interpreter_ends(run_python):
    assert run_python("""
import gpustream
from gpustream import trace
kinds = []
trace.set_callback(lambda kind, *_: kinds.append(kind))
memory = gpustream.Buffer.zeros(1000, stream=gpustream.Stream())
print(kinds)
""").startswith("['malloc', 'fill'")

TORCH = {
    "schemaVersion": 1, "baseTimeNanoseconds": 1_700_000_000_000_000_000, "displayTimeUnit": "ms", "record_shapes": 0,
    "deviceProperties": [{"id": 0, "name": "a GPU"}],
    "traceEvents": [
        {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 77, "tid": 77, "ts": 1000.5, "dur": 20.25, "args": {"External id": 1}},
        {"ph": "X", "cat": "kernel", "name": "add", "pid": 0, "tid": 7, "ts": 1010.0, "dur": 3.0, "args": {"stream": 7, "correlation": 5}},
        {"ph": "s", "id": 5, "pid": 77, "tid": 77, "ts": 1001.0, "cat": "ac2g", "name": "ac2g"},
        {"ph": "f", "id": 5, "pid": 0, "tid": 7, "ts": 1010.0, "cat": "ac2g", "name": "ac2g", "bp": "e"}],
    "traceName": "torch.json",
}
RENDERED = Path(__file__).parents[3] / "tests/docs/check_rendered.py"


def test_a_join_with_torchs_file(tmp_path):
    ours, torch = tmp_path / "joined.json", tmp_path / "torch.json"
    torch.write_text(json.dumps(TORCH), encoding="utf-8")
    with trace.Trace() as one:
        pipeline()
    one.write(ours, torch=torch)
    joined, alone = json.loads(ours.read_text(encoding="utf-8")), json.loads(one.text())
    assert joined["traceEvents"][:4] == TORCH["traceEvents"] and joined["deviceProperties"] == TORCH["deviceProperties"]
    moved = joined["traceEvents"][4:]
    assert len(moved) == len(alone["traceEvents"])
    ids = {event["id"] for event in moved if "id" in event}
    assert ids and min(ids) > 1 << 40, "torch's arrows keep their numbers"
    step, before = events(joined, name="step")[0], events(alone, name="step")[0]
    epoch = time.time_ns() - time.monotonic_ns()
    assert abs(step["ts"] - before["ts"] - (epoch - TORCH["baseTimeNanoseconds"]) / 1000) < 1e6, "the time of day was set by a second"
    (record,) = events(joined, name="record")
    assert record["pid"] == f"gpustream device {gpustream.current_device()}" and step["pid"] == before["pid"]
    wait = events(joined, cat="cuda_sync")[0]
    assert wait["args"]["wait_on_cuda_event_record_corr_id"] == record["args"]["correlation"]


def test_joins_with_what_is_no_trace(tmp_path):
    path, out = tmp_path / "torch.json", tmp_path / "out.json"
    with trace.Trace() as one:
        pass
    for text in ("{}", "3", '{"traceEvents": 3}', '{"traceEvents": [1]}', "[1]", '{"traceEvents": [], "baseTimeNanoseconds": "x"}', "no JSON"):
        path.write_text(text, encoding="utf-8")
        raises(ValueError, one.write, out, torch=path)
    path.write_text("[]", encoding="utf-8")  # Chrome's older form: the list alone
    one.write(out, torch=path)
    assert "traceEvents" in json.loads(out.read_text(encoding="utf-8"))
    raises(FileNotFoundError, one.write, out, torch=tmp_path / "missing")
    raises(ValueError, "not as", one.write, tmp_path / "trace.txt")


def test_pages_and_pictures(tmp_path):
    with trace.Trace() as one:
        pipeline()
        nvtx.mark("</script><script>alert(1)</script>")
    one.write(tmp_path / "trace.svg")
    root = ElementTree.parse(tmp_path / "trace.svg").getroot()
    titles = [node.text for node in root.iter("{http://www.w3.org/2000/svg}title")]
    assert any(title.startswith("step: ") for title in titles) and any(title.startswith("record: ") for title in titles)
    one.write(tmp_path / "trace.html")
    page = (tmp_path / "trace.html").read_text(encoding="utf-8")
    assert page.count("<script") == 2 == page.count("</script>"), "a name cannot end the script"
    data = json.loads(page.split('type="application/json">')[1].split("</script>")[0])
    assert {"step", "inner", "record"} <= {bar["name"] for bar in data["bars"]} and len(data["arrows"]) == 2
    assert all(0 <= bar["lane"] < len(data["lanes"]) and bar["row"] < data["lanes"][bar["lane"]]["rows"] and bar["from"] <= bar["to"] for bar in data["bars"])
    assert "http" not in page.replace("http://www.w3.org/2000/svg", ""), "the page needs no network"


def test_the_script_of_a_page(tmp_path):
    """In Node, with a stand-in for the canvas: drawing, zooming, moving, searching and pointing at a bar."""
    node = shutil.which("node")
    if not node:
        pytest.skip("no Node here")
    with trace.Trace() as one:
        pipeline()
    one.write(tmp_path / "trace.html")
    probe = Path(__file__).parent / "support/page_probe.mjs"
    done = subprocess.run([node, probe, tmp_path / "trace.html", "STEP"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["first"]["rectangles"] > 5 and seen["first"]["lines"] == 2 and any("upload" in text for text in seen["first"]["texts"])
    ends = {name: [float(word) for word in seen[name]["span"].split(" ms")[0].split(" to ")] for name in seen}
    assert ends["zoomed"][1] - ends["zoomed"][0] < ends["first"][1] - ends["first"][0], "the wheel zooms"
    assert ends["moved"][0] > ends["zoomed"][0] and ends["moved"][1] <= ends["first"][1], "the mouse moves"
    assert seen["searched"]["found"] == "1 found" and seen["searched"]["marked"] == 1
    assert ends["whole"] == ends["first"]
    assert seen["hovered"]["about"].startswith("step\n"), "a bar says what it is"


def test_a_picture_explains_itself(tmp_path):
    """An axis, a legend, arrowheads, names beside what is short, and how long host functions ran."""
    stream = gpustream.Stream()
    with trace.Trace() as one:
        pipeline()
        stream.launch_host(lambda: time.sleep(0.02))
        stream.synchronize()
    one.write(tmp_path / "trace.svg")
    one.write(tmp_path / "trace.html")
    root = ElementTree.parse(tmp_path / "trace.svg").getroot()
    svg = "{http://www.w3.org/2000/svg}"
    texts = [node.text for node in root.iter(svg + "text")]
    assert {"0 ms", "range of a thread", "wait", "operation is submitted", "must come before", "host function"} <= set(texts)
    ticks = [float(text[:-3]) for text in texts if text.endswith(" ms") and text[0].isdigit()]
    assert 4 < len(ticks) < 12 and ticks == sorted(ticks)
    assert sum(node.get("marker-end") == "url(#tip)" for node in root.iter(svg + "line")) == 2
    data = json.loads((tmp_path / "trace.html").read_text(encoding="utf-8").split('type="application/json">')[1].split("</script>")[0])
    (ran,) = [bar for bar in data["bars"] if bar["kind"] == "function"]
    assert ran["to"] - ran["from"] > 10000, "the function slept for 20 ms"
    assert any(bar["name"] == "beside" for bar in data["bars"]), "ranges that any thread may end are bars, too"
    assert ["host function runs", data["colours"]["function"]] in data["legend"]
    page = (tmp_path / "trace.html").read_text(encoding="utf-8")
    assert all(text in page for text in ("host function runs", "must come before"))


def test_a_picture_can_be_read(tmp_path):
    """Rendered, with names that are longer than a lane has room for, also as the last one of the trace."""
    stream = gpustream.Stream()
    with trace.Trace() as one:
        pipeline()
        for name in ("W" * 40, "a name that is longer than what stands left of its lane", "\u4e0a\u4f20" * 20):
            stream.set_name(name)
            with nvtx.range(name), stream:
                nvtx.mark("MEMCPY HTOD")
                gpustream.Buffer(64)
            stream.synchronize()
    one.write(tmp_path / "trace.svg")
    done = subprocess.run([sys.executable, "-B", RENDERED, tmp_path / "trace.svg"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_empty_trace_can_be_shown(tmp_path):
    with trace.Trace() as one:
        pass
    for ending in ("json", "html", "svg"):
        one.write(tmp_path / f"trace.{ending}")
        assert (tmp_path / f"trace.{ending}").stat().st_size > 100
