# SPDX-License-Identifier: Apache-2.0
"""gpustream.Graph and GraphExec: building, conditions, executables and their changes."""
import ctypes

import gpustream
import pytest
from support.arrays import CudaArray
from support.native import helpers
from support.refusals import raises


def run(graph):
    stream = gpustream.Stream(graph.device)
    graph.instantiate().launch(stream)
    stream.synchronize()


def test_nodes_and_edges(memory):
    target, graph, event = memory(), gpustream.Graph(), gpustream.Event()
    fill = graph.add_memset(target.address, 1, 64)
    copy_ = graph.add_memcpy(target.address + 32, target.address, 8, after=fill)
    both = graph.add_empty(after=[fill, copy_])
    record = graph.add_record(event, after=both)
    host = graph.add_host(int, after=(record,))
    assert graph.nodes == [fill, copy_, both, record, host] and len(set(graph.nodes)) == 5
    assert set(graph.edges) == {(fill, copy_), (fill, both), (copy_, both), (both, record), (record, host)}
    assert [node.kind for node in graph.nodes] == ["memset", "memcpy", "empty", "record", "host"]
    assert fill.info["value"] == 1 and fill.info["bytes"] == 64 and fill.info["dst"] == target.address
    assert fill.native_handle != copy_.native_handle
    assert str(fill.number) in repr(fill) and fill != fill.number
    assert graph.device == gpustream.Device("cuda:0") and graph.native_handle > 0


def test_many_nodes(memory):
    target, graph, last = memory(256), gpustream.Graph(), None
    for index in range(200):
        last = graph.add_memset(target.address + index, index, 1, after=last)
    assert len(graph.nodes) == 200 and len(graph.edges) == 199
    run(graph)
    assert bytes(target)[:200] == bytes(range(200))


def test_buffers(memory):
    graph = gpustream.Graph()
    to, numbers = bytearray(8), (ctypes.c_uint8 * 8)(*range(8))
    first = graph.add_memcpy(to, b"abcdefgh")
    graph.add_memcpy(memoryview(to)[4:], numbers, 2, after=first)
    run(graph)
    assert to == b"abcd\0\1gh"
    with pytest.raises(BufferError):
        to.append(1)  # the graph has its address
    raises(TypeError, "argument 'dst' must be writable", graph.add_memcpy, b"12345678", to)
    raises(TypeError, "argument 'src' must be an address or a buffer, not float", graph.add_memcpy, to, 1.5)
    raises(ValueError, "9 bytes are more than the 8", graph.add_memcpy, to, 4096, 9)
    raises(ValueError, "'bytes' is missing", graph.add_memset, 4096, 0)
    raises(ValueError, "contiguous", lambda: graph.add_memcpy(memoryview(bytearray(8))[::2], to))


class Number:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class Tensor:
    """As torch's: it has __index__ too, and its interface may fail."""

    def __init__(self, address, size, contiguous=True):
        self.data_ptr, self.numel, self.element_size = lambda: address, lambda: size // 4, lambda: 4
        self.is_contiguous = lambda: contiguous

    def __index__(self):
        raise RuntimeError

    @property
    def __cuda_array_interface__(self):
        raise RuntimeError


def test_arrays_of_others(memory):
    target, graph = memory(), gpustream.Graph()
    graph.add_memset(CudaArray(target.address, (4,)), 5)
    graph.add_memset(Tensor(target.address + 16, 8), 6)
    graph.add_memset(Number(target.address + 24), 7, 1)
    run(graph)
    assert bytes(target)[:26] == b"\5" * 16 + b"\6" * 8 + b"\7\0"
    raises(ValueError, "contiguous", lambda: graph.add_memset(Tensor(target.address, 16, False), 5))
    raises(TypeError, "must be an address or a buffer, not bool", graph.add_memset, True, 5, 1)
    raises(ValueError, "contiguous", lambda: graph.add_memset(CudaArray(target.address, (4,), (8,)), 5))


def test_child_and_clone(memory):
    target, child, graph = memory(), gpustream.Graph(), gpustream.Graph()
    child.add_memset(target.address, 3, 8)
    node = graph.add_graph(child)
    child.add_memset(target.address + 8, 3, 8)  # not part of it
    assert node.kind == "graph"
    twin = graph.clone()
    child.close(), graph.close()
    run(twin)
    assert bytes(target)[:16] == b"\3" * 8 + bytes(8)
    raises(ValueError, twin.add_graph, twin)


def test_dot(memory, tmp_path):
    graph = gpustream.Graph()
    graph.add_memset(memory().address, 3, 8, after=graph.add_empty())
    assert graph.dot().startswith("digraph") and "->" in graph.dot()
    graph.write_dot(tmp_path / "a.dot")
    assert (tmp_path / "a.dot").read_text(encoding="utf-8") == graph.dot()


def test_native_host(memory):
    graph, counter = gpustream.Graph(), helpers().parity_counter_new()
    add = ctypes.cast(helpers().parity_count, ctypes.c_void_p).value
    graph.add_native_host(add, counter)
    executable = graph.instantiate()
    for _ in range(3):
        executable.launch()
    gpustream.synchronize()
    assert helpers().parity_counter_get(counter) == 3


def test_update(memory):
    target, other = memory(), memory()
    first, second, third = gpustream.Graph(), gpustream.Graph(), gpustream.Graph()
    first.add_memset(target.address, 1, 8)
    second.add_memset(other.address, 2, 8)
    third.add_memset(other.address, 2, 8, after=third.add_empty())
    executable = first.instantiate()
    result = executable.update(second)
    assert result and result.reason == "" and result.node is None and "updated" in repr(result)
    executable.launch()
    gpustream.synchronize()
    assert target[0] == 0 and other[0] == 2
    result = executable.update(third)
    assert not result and result.reason in ("topology", "kind") and result.code != 0 and "not updated" in repr(result)


def test_changes_of_nodes(memory):
    target, source, graph = memory(), memory(), gpustream.Graph()
    source.set(5)
    event, seen = gpustream.Event(), []
    fill = graph.add_memset(target.address, 1, 8)
    copy_ = graph.add_memcpy(target.address + 8, target.address, 8, after=fill)
    record = graph.add_record(gpustream.Event(), after=copy_)
    wait = graph.add_wait(gpustream.Event(), after=record)
    host = graph.add_host(lambda: seen.append("old"), after=wait)
    executable = graph.instantiate()
    executable.set_memset(fill, target.address, 2, 8)
    executable.set_memcpy(copy_, target.address + 8, source.address, 8)
    executable.set_record(record, event)
    executable.set_wait(wait, event)
    executable.set_host(host, lambda: seen.append("new"))
    executable.upload()
    executable.launch()
    gpustream.synchronize()
    assert bytes(target)[:16] == b"\2" * 8 + b"\5" * 8 and seen == ["new"] and event.query()
    target.set(0)
    executable.enable(fill, False)
    executable.launch()
    gpustream.synchronize()
    assert target[0] == 0 and target[8] == 5
    executable.enable(fill)
    executable.launch()
    gpustream.synchronize()
    assert target[0] == 2
    with pytest.raises(ValueError):
        executable.set_memset(copy_, target.address, 2, 8)  # another kind


def test_bad_input(memory):
    graph, other = gpustream.Graph(), gpustream.Graph()
    node = other.add_empty()
    raises(ValueError, graph.add_empty, after=node)
    raises(ValueError, lambda: graph.add_empty(after=[graph.add_empty()] * 2))
    raises(TypeError, r"add_host\(\): argument 'fn' must be callable, not int", graph.add_host, 3)
    raises(TypeError, "argument 'event' must be Event", graph.add_record, 3)
    raises(TypeError, "argument 'after' must be a Node or several, not int", graph.add_empty, [3])
    raises(TypeError, "argument 'child' must be Graph, not CUDAGraph", lambda: graph.add_graph(gpustream.CUDAGraph()))
    raises(TypeError, "argument 'graph' must be Graph, not CUDAGraph", lambda: gpustream.GraphExec(gpustream.CUDAGraph()))
    raises(AssertionError, gpustream.Graph, 99)
    raises(gpustream.InvalidHandleError, gpustream.Graph.from_native, 3)
    executable = other.instantiate()
    raises(gpustream.DeviceMismatchError, lambda: executable.launch(gpustream.Stream(1)))
    raises(TypeError, "argument 'stream' must be a stream", executable.launch, 3)
    raises(TypeError, executable.launch, stream=None, more=1)
    executable.close(), executable.close()
    for call in (executable.launch, executable.upload, lambda: executable.update(graph), lambda: executable.set_host(node, int)):
        raises(gpustream.InvalidHandleError, call)
    graph.close(), graph.close()
    for call in (graph.add_empty, graph.dot, graph.clone, graph.replay, graph.capture_begin):
        with pytest.raises(gpustream.InvalidHandleError), gpustream.Stream():
            call()
    assert "closed" in repr(graph) and "closed" in repr(executable) and "device" in repr(other)


def test_raw_graph(memory):
    """As torch's raw_cuda_graph(), here of our own."""
    target, graph = memory(), gpustream.CUDAGraph(keep_graph=True)
    with gpustream.graph(graph):
        gpustream._memset_async(target.address, 6, 8)
    wrapped = gpustream.Graph.from_native(graph.raw_cuda_graph(), owner=graph)
    assert [node.kind for node in wrapped.nodes] == ["memset"]
    run(wrapped)
    assert target[0] == 6
