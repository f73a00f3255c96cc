# SPDX-License-Identifier: Apache-2.0
"""gpustream.trace: the text against a schema of our own, edges, times of the device, and bad calls."""
import json

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
