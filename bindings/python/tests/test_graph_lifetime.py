# SPDX-License-Identifier: Apache-2.0
"""What graphs keep alive: as long as the graph, its executables and their launches, and no longer."""
import gc
import os
import threading
import weakref

import gpustream
import pytest
from support.buffers import wait_until
from test_lifetime import resident

FULL = os.environ.get("GPUSTREAM_TEST_FULL") == "1"
CAPTURES = 100_000 if FULL else 2_000


class Function:
    def __init__(self, seen=None):
        self.seen = [] if seen is None else seen

    def __call__(self):
        self.seen.append(threading.get_ident())


def test_a_captured_function_runs_at_each_replay():
    function, graph, stream = Function(), gpustream.CUDAGraph(), gpustream.Stream()
    known = weakref.ref(function)
    seen = function.seen
    with gpustream.graph(graph, stream=stream):
        stream.launch_host(function)
    del function
    gc.collect()
    for count in range(1, 6):  # not released after the first one
        with stream:
            graph.replay()
        stream.synchronize()
        assert len(seen) == count and known() is not None
    assert threading.get_ident() not in seen
    graph.reset()
    assert wait_until(lambda: known() is None)


def test_what_a_function_raises(no_unraisable):
    def fails():
        raise KeyError("mine")

    graph = gpustream.Graph()
    graph.add_host(fails)
    graph.replay()
    gpustream.synchronize()
    assert [repr(item.exc_value) for item in no_unraisable] == ["KeyError('mine')"]
    no_unraisable.clear()


def added(function):
    graph = gpustream.Graph()
    graph.add_host(function)
    executable = graph.instantiate()
    graph.close()
    return executable


def added_to_a_child(function):
    child, parent = gpustream.Graph(), gpustream.Graph()
    child.add_host(function)
    parent.add_graph(child)
    twin = parent.clone()
    executable = twin.instantiate()
    child.close(), parent.close(), twin.close()
    return executable


def set_later(function):
    graph = gpustream.Graph()
    node = graph.add_host(int)
    executable = graph.instantiate()
    executable.set_host(node, function)
    graph.close()
    return executable


@pytest.mark.parametrize("make", [added, added_to_a_child, set_later])
def test_executables_and_their_launches_keep_functions(make, gate):
    """After the graph's end, and launches after that of the executable, too."""
    function, stream, held = Function(), gpustream.Stream(), gate()
    seen, known = function.seen, weakref.ref(function)
    executable = make(function)
    del function
    executable.launch(stream)
    stream.synchronize()
    assert len(seen) == 1 and known() is not None
    held.hold(stream)
    executable.launch(stream)
    executable.close()
    gc.collect()
    assert known() is not None and len(seen) == 1
    held.open()
    stream.synchronize()
    assert len(seen) == 2 and wait_until(lambda: known() is None)


def test_a_graph_in_a_cycle_is_collected():
    class Owner:
        def __init__(self):
            self.graph = gpustream.Graph()
            self.graph.add_host(self.step)
            self.executable = self.graph.instantiate()
            self.captured = gpustream.CUDAGraph()
            stream = gpustream.Stream()
            with gpustream.graph(self.captured, stream=stream):
                stream.launch_host(self.step)

        def step(self):
            pass

    owner = Owner()
    owner.executable.launch()
    owner.captured.replay()
    gpustream.synchronize()
    known = weakref.ref(owner)
    del owner
    assert wait_until(lambda: known() is None)


def test_an_update_replaces_what_is_kept():
    seen, graphs, known = [], [], []
    for _ in range(2):
        function = Function(seen)
        known.append(weakref.ref(function))
        graphs.append(gpustream.Graph())
        graphs[-1].add_host(function)
    del function
    executable = graphs[0].instantiate()
    assert executable.update(graphs[1])
    graphs[1].close()
    executable.launch()
    gpustream.synchronize()
    assert len(seen) == 1 and known[1]() is not None
    executable.close()
    assert wait_until(lambda: known[1]() is None)
    graphs[0].close()
    assert wait_until(lambda: known[0]() is None)


def test_buffers_are_kept():
    class Buffer(bytearray):
        pass

    to = Buffer(8)
    known = weakref.ref(to)
    graph = gpustream.Graph()
    graph.add_memcpy(to, b"12345678")
    del to
    graph.replay()
    gpustream.synchronize()
    assert known() == b"12345678"
    del graph
    assert wait_until(lambda: known() is None)


def test_aborted_captures_keep_nothing():
    function, stream = Function(), gpustream.Stream()
    known = weakref.ref(function)
    with pytest.raises(KeyError), gpustream.graph(gpustream.CUDAGraph(), stream=stream):
        stream.launch_host(function)
        raise KeyError
    del function
    assert wait_until(lambda: known() is None)


def test_memory_that_a_graph_kept_is_freed_behind_its_launches(reports):
    target = gpustream.Buffer(64)
    stream, graph, known = gpustream.Stream(), gpustream.Graph(), weakref.ref(target)
    graph.add_memset(target, 0, 64)
    gpustream.synchronize()
    graph.instantiate().launch(stream)
    del graph, target
    assert wait_until(lambda: known() is None)
    assert reports == []


def test_memory_stays_flat():
    memory = gpustream._malloc_host(8)
    alive = weakref.WeakSet()  # a list of all objects would be larger than what a leak may take

    def capture():
        stream = gpustream.Stream()
        graph = gpustream.CUDAGraph()
        function = Function()
        alive.add(function)
        try:
            with gpustream.graph(graph, stream=stream):
                gpustream._memset_async(memory, 1, 8)
                stream.launch_host(function)
                if capture.count % 3 == 0:
                    raise KeyError
        except KeyError:
            pass
        else:
            graph.replay()
        capture.count += 1
        if capture.count % 100 == 0:
            gpustream.synchronize()

    def resident_after(captures):
        for _ in range(captures):
            capture()
        gpustream.synchronize()
        assert wait_until(lambda: not alive)
        return resident()

    capture.count = 0
    before = resident_after(CAPTURES // 4)
    assert resident_after(CAPTURES) - before < 8 << 20
    gpustream._free_host(memory)
