# SPDX-License-Identifier: Apache-2.0
"""Many threads at once, the second part of test_free_threading.py: buffers, functions, entries, and what graphs keep."""
import gc
import threading
import weakref
from collections import Counter

import gpustream
import pytest
from gpustream import _core
from support.at_once import ROUNDS, THREADS, Theirs, at_once
from support.refusals import raises
from test_host_functions import settle

pytestmark = pytest.mark.usefixtures("frequent_switches")


def test_one_buffer_for_all():
    before = gpustream.memory_allocated()
    for _ in range(ROUNDS // 8):
        buffer, stream = gpustream.Buffer(4096, pinned=True), gpustream.Stream()
        streams = [gpustream.Stream() for _ in range(THREADS)]

        def use(number):
            closed = refused = 0
            for round_ in range(20):
                try:
                    part = buffer[number * 16:number * 16 + 16]
                    part.copy_(bytes([number + 1]) * 16)
                    with memoryview(part) as view:
                        assert bytes(view) == bytes([number + 1]) * 16
                        try:
                            buffer.close()
                        except gpustream.InvalidHandleError:
                            closed += 1
                        except BufferError:
                            refused += 1
                        assert view[0] == number + 1 and not buffer.closed
                    buffer.record_stream(streams[(number + round_) % THREADS])
                    part.close()
                    assert buffer.stream is not None and buffer.nbytes == 4096
                except gpustream.InvalidHandleError:
                    closed += 1
            return closed, refused

        answers = at_once(use)
        assert sum(refused for _, refused in answers) == 20 * THREADS, "a view keeps the buffer open"
        at_once(lambda _: buffer.close(), 4)
        assert buffer.closed
        del buffer, stream, streams
    gpustream.synchronize()
    assert gpustream.memory_allocated() == before


def test_closing_a_buffer_while_others_use_it():
    for _ in range(ROUNDS // 4):
        buffer = gpustream.Buffer(1024)

        def use(number):
            refused = 0
            for round_ in range(12):
                try:
                    part = buffer[8:16]
                    assert part.ptr - 8 > 0 and part.nbytes == 8
                    buffer.record_stream(gpustream.default_stream())
                    if number == 0 and round_ == 6:
                        buffer.close()
                    assert len(part.to_bytes()) == 8
                except gpustream.InvalidHandleError:
                    refused += 1
                except BufferError:  # another thread copies
                    if number == 0:
                        refused += 1
            return refused

        at_once(use, 4)
        buffer.close()
        assert buffer.closed
        with pytest.raises(gpustream.InvalidHandleError):
            _ = buffer.ptr


def test_a_tensor_is_taken_once():
    stream = gpustream.Stream()
    for _ in range(ROUNDS // 4):
        buffer = gpustream.Buffer(64, stream=stream)
        kind, number = buffer.__dlpack_device__()
        capsule = buffer.__dlpack__(stream=-1)

        def take(_):
            try:
                return _core.buffer_from_capsule(capsule, stream, kind, number)
            except TypeError:
                return None

        taken = [answer for answer in at_once(take, 4) if answer is not None]
        assert len(taken) == 1 and taken[0].ptr == buffer.ptr
        raises(BufferError, buffer.close)
        taken.clear()
        stream.synchronize()
        del capsule
        for _ in range(1000):
            _core.graph_release_ended()
            try:
                buffer.close()
                break
            except BufferError:
                stream.synchronize()
        assert buffer.closed


# ---- functions and entries -----------------------------------------------------------------------


def test_every_function_runs_once():
    called, lock = Counter(), threading.Lock()

    def call(key):
        with lock:
            called[key] += 1

    def use(number):
        stream = gpustream.Stream()
        for round_ in range(ROUNDS // 4):
            stream.add_done_callback(lambda key=("callback", number, round_): call(key))
            stream.defer(lambda key=("deferred", number, round_): call(key))
            stream.launch_host(lambda key=("host", number, round_): call(key))
        stream.synchronize()
        return stream

    streams = at_once(use, 4)
    for stream in streams:
        stream.synchronize()
    assert settle(lambda: len(called) == 3 * 4 * (ROUNDS // 4))
    assert set(called.values()) == {1}


def test_each_entry_of_a_queue_goes_to_one_thread():
    count, taken, lock = ROUNDS, [], threading.Lock()
    with gpustream.Queue() as entries:
        def use(number):
            if number < 4:
                stream = gpustream.Stream()
                for round_ in range(count):
                    entries.add(stream, number * count + round_)
            while number >= 4 and len(taken) < 4 * count:
                try:
                    mine = entries.wait(0.05, 16)
                except gpustream.TimeLimitError:
                    continue  # another thread may have taken the last one
                with lock:
                    taken.extend(entry.token for entry in mine)

        at_once(use)
        assert entries.poll() == []
    assert sorted(taken) == list(range(4 * count))


def test_names_of_graph_pools_are_different():
    names = [name for part in at_once(lambda _: [gpustream.graph_pool_handle() for _ in range(ROUNDS)]) for name in part]
    assert len(set(names)) == THREADS * ROUNDS


def test_what_a_graph_keeps_is_shared_by_its_executables():
    """Objects of a graph's functions go when the last of its executables has ended, and not before."""
    graph = gpustream.Graph()
    kept = Theirs(1)
    ref = weakref.ref(kept)
    graph.add_host(lambda kept=kept: None)
    del kept

    def use(_):
        for _ in range(ROUNDS // 8):
            executable = graph.instantiate()
            assert ref() is not None
            executable.close()
        return graph.instantiate()

    executables = at_once(use, 4)
    graph.close()
    gc.collect()
    assert ref() is not None
    at_once(lambda number: executables[number].close(), 4)
    del graph, executables
    assert settle(lambda: gc.collect() >= 0 and ref() is None)
