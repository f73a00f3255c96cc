# SPDX-License-Identifier: Apache-2.0
"""Stream.defer() and Stream.keep()."""
import gc
import threading
import weakref

import gpustream


def settle(condition):
    """Until what was deferred has run: marks are made by gs_trim()."""
    for _ in range(20_000):
        if condition():
            return True
        gpustream._trim()
        gpustream._core.graph_release_ended()
        gpustream.Stream().add_done_callback(int)
        gpustream.synchronize()
    return False


class Thing:
    pass


def test_functions_run_after_the_work(gate):
    stream, held, seen = gpustream.Stream(), gate(), []
    held.hold(stream)
    for number in range(150):
        assert stream.defer(lambda number=number: seen.append((number, threading.get_ident()))) is None
    gpustream._trim()
    gpustream.Stream().synchronize()
    assert seen == []
    held.open()
    stream.synchronize()
    assert settle(lambda: len(seen) == 150)
    assert [number for number, _ in seen] == list(range(150))
    assert threading.get_ident() not in {thread for _, thread in seen}


def test_things_are_kept_until_then(gate):
    stream, held, thing = gpustream.Stream(), gate(), Thing()
    known = weakref.ref(thing)
    held.hold(stream)
    assert stream.keep(thing) is None
    del thing
    gc.collect()
    gpustream._trim()
    assert known() is not None
    held.open()
    stream.synchronize()
    assert settle(lambda: known() is None)


def test_a_stream_that_ends_takes_its_functions_along():
    seen, thing = [], Thing()
    known = weakref.ref(thing)
    stream = gpustream.Stream()
    stream.defer(lambda: seen.append(1))
    stream.keep(thing)
    del stream, thing
    assert settle(lambda: seen == [1] and known() is None)


def test_in_a_capture_the_graph_keeps():
    stream, graph, thing, seen = gpustream.Stream(), gpustream.Graph(), Thing(), []
    known = weakref.ref(thing)
    with stream, graph:
        gpustream._sleep(1)
        stream.keep(thing)
        stream.defer(lambda: seen.append(1))
    del thing
    executable = graph.instantiate()
    graph.close()
    executable.launch(stream)
    stream.synchronize()
    gpustream._trim()
    assert known() is not None and seen == []
    executable.close()
    assert settle(lambda: known() is None and seen == [1])
