# SPDX-License-Identifier: Apache-2.0
"""caching_allocator_alloc(), caching_allocator_delete() and the snapshot of what they made."""
import pickle

import gpustream
import pytest
from gpustream import _memory_records, memory
from support.at_once import at_once
from support.refusals import raises


def listed():
    return {segment["address"]: segment for segment in gpustream.memory_snapshot()}


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = set(listed())
    yield
    memory._record_memory_history(None)
    assert set(listed()) == before


def test_streams_and_devices():
    own, on_other = gpustream.Stream(), gpustream.Stream(1)

    class Foreign:
        cuda_stream = own.cuda_stream

    made = {}
    for arguments, index in [((8,), 0), ((8, 1), 1), ((8, "cuda:1"), 1), ((8, None, on_other), 1), ((8, 1, on_other), 1), ((8, 0, own.cuda_stream), 0),
                             ((8, None, Foreign()), 0), ((8, -1, own), 0), ((8, 0, 0), 0)]:
        made[gpustream.caching_allocator_alloc(*arguments)] = index
    found = listed()
    assert {pointer: found[pointer]["device"] for pointer in made} == made
    for pointer in made:
        gpustream.caching_allocator_delete(pointer)


def test_of_no_bytes():
    assert gpustream.caching_allocator_alloc(0) == 0
    gpustream.caching_allocator_delete(0)


@pytest.mark.parametrize("arguments, error, text", [
    ((8, 99), gpustream.InvalidDeviceError, "Invalid device id"), ((-1,), OverflowError, "argument 'size' is out of range"),
    ((2**64,), OverflowError, "argument 'size' is out of range"), ((2**63,), gpustream.InvalidArgumentError, "bytes"),
    (("8",), TypeError, "argument 'size' must be int, not str"), ((True,), TypeError, "argument 'size' must be int, not bool"),
    ((8, None, "stream"), TypeError, "argument 'stream' must be a stream, not str"), ((8, None, True), TypeError, "must be a stream, not bool"),
    ((8, None, 4), gpustream.InvalidHandleError, "0x4")])
def test_wrong_arguments(arguments, error, text):
    raises(error, text, gpustream.caching_allocator_alloc, *arguments)


def test_a_stream_of_another_device():
    with pytest.raises(gpustream.DeviceMismatchError, match="^the stream is of another device than 1$"):
        gpustream.caching_allocator_alloc(8, 1, gpustream.Stream(0))


def test_what_is_not_allocated():
    pointer = gpustream.caching_allocator_alloc(8)
    gpustream.caching_allocator_delete(pointer)
    other = gpustream._malloc_async(8)  # by another call: its stream is not known
    for wrong in (pointer + (pointer == other), other, 1, -1):
        with pytest.raises(gpustream.InvalidArgumentError, match=f"^invalid device pointer: {wrong:#x}$"):
            gpustream.caching_allocator_delete(wrong)
    gpustream._free_async(other)
    for wrong in (None, "1", 1.0, True):
        raises(TypeError, "argument 'mem_ptr' must be int", gpustream.caching_allocator_delete, wrong)


def test_a_closed_stream():
    stream = gpustream.Stream()
    pointer = gpustream.caching_allocator_alloc(8, stream=stream)
    assert listed()[pointer]["stream"] == stream.cuda_stream
    stream.close()
    raises(gpustream.InvalidHandleError, gpustream.caching_allocator_delete, pointer)
    assert listed()[pointer]["stream"] == 0  # it is still allocated
    gpustream._free_async(pointer)
    del _memory_records._records[pointer]


def test_one_of_two_threads_frees():
    for _ in range(50):
        pointer = gpustream.caching_allocator_alloc(512)

        def work(_):
            try:
                return gpustream.caching_allocator_delete(pointer)
            except gpustream.InvalidArgumentError:
                return "refused"

        assert set(at_once(work, 2)) == {None, "refused"}


def test_the_form_of_the_snapshot():
    small, large = gpustream.caching_allocator_alloc(1000), gpustream.caching_allocator_alloc((1 << 20) + 1, 1)
    found = listed()
    segment = found[small]
    block = segment.pop("blocks")
    assert block == [{"address": small, "size": 1024, "requested_size": 1000, "state": "active_allocated", "frames": []}]
    assert segment == {"address": small, "total_size": 1024, "requested_size": 1000, "device": 0, "stream": gpustream.default_stream(0).cuda_stream,
                       "segment_type": "small", "segment_pool_id": (0, 0), "allocated_size": 1024, "active_size": 1024, "is_expandable": False,
                       "frames": []}
    assert (found[large]["segment_type"], found[large]["device"], found[large]["total_size"]) == ("large", 1, (1 << 20) + 512)
    assert list(found) == sorted(found) and gpustream.memory_snapshot((0, -1)) == [] and listed() == {**found, small: {**segment, "blocks": block}}
    for pointer in (small, large):
        gpustream.caching_allocator_delete(pointer)


def allocate_here():
    return gpustream.caching_allocator_alloc(8)


@pytest.mark.parametrize("arguments, kept", [((), True), (("state", "state"), True), (("all", "alloc", "python", 1000), True), (("all", None), False), ((None,), False)])
def test_stacks(arguments, kept):
    memory._record_memory_history(*arguments)
    pointer = allocate_here()
    frames = listed()[pointer]["frames"]
    assert listed()[pointer]["blocks"][0]["frames"] == frames and bool(frames) == kept
    if kept:
        line = allocate_here.__code__.co_firstlineno + 1
        assert frames[0] == {"filename": __file__, "line": line, "name": "allocate_here"} and frames[1]["name"] == "test_stacks"
    gpustream.caching_allocator_delete(pointer)


def test_stacks_end():
    memory._record_memory_history()
    memory._record_memory_history(None)
    pointer = allocate_here()
    assert listed()[pointer]["frames"] == []
    gpustream.caching_allocator_delete(pointer)
    for arguments in (("some",), ("all", "some"), (True,)):
        raises(ValueError, "^_record_memory_history", memory._record_memory_history, *arguments)


def test_a_file_for_viewers(tmp_path):
    pointer = allocate_here()
    memory._dump_snapshot(str(tmp_path / "memory.pickle"))
    found = pickle.loads((tmp_path / "memory.pickle").read_bytes())
    assert found == memory._snapshot() and found["device_traces"] == [[]] * gpustream.device_count()
    assert found["segments"] == gpustream.memory_snapshot(include_traces=False)
    gpustream.caching_allocator_delete(pointer)


def test_memory_of_captures_is_the_graphs():
    stream, before = gpustream.Stream(), gpustream.memory_allocated()
    graph = gpustream.CUDAGraph()
    with gpustream.graph(graph, stream=stream):
        pointer = gpustream.caching_allocator_alloc(512)
        assert pointer not in listed() and gpustream.memory_allocated() == before
        gpustream._memset_async(pointer, 1, 512)
        gpustream.caching_allocator_delete(pointer)
    graph.replay()
    gpustream.synchronize()
    assert gpustream.memory_allocated() == before
