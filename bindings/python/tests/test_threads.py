# SPDX-License-Identifier: Apache-2.0
"""Threads: whose state is whose, who waits for the GIL, and what happens under races."""
import asyncio
import sys
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor

import gpustream
import pytest


def in_thread(function):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def test_state_is_per_thread():
    stream = gpustream.Stream(1)
    with stream:
        assert in_thread(gpustream.current_stream) == gpustream.default_stream(0)
        assert in_thread(gpustream.current_device) == 0
    in_thread(lambda: gpustream.set_stream(stream))
    assert gpustream.current_stream() == gpustream.default_stream()


def test_one_context_object_in_many_threads():
    stream, barrier = gpustream.Stream(), threading.Barrier(4)
    context = gpustream.stream(stream)

    def use(_):
        barrier.wait()
        for _ in range(200):
            with context, context:
                assert gpustream.current_stream() == stream
        return gpustream.current_stream() == gpustream.default_stream()

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(use, range(4)))


@pytest.mark.parametrize("wait", ["stream", "event", "device"])
def test_a_blocking_call_lets_others_run(wait, gate):
    """The waiting thread holds no GIL: another one opens the gate it waits for. With the GIL held this never ends."""
    stream, held = gpustream.Stream(), gate()
    held.hold(stream)
    event = stream.record_event()
    call = {"stream": stream.synchronize, "event": event.synchronize, "device": gpustream.synchronize}[wait]
    entered = threading.Event()

    def waits():
        entered.set()
        call()
        return event.query()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(waits)
        entered.wait()
        for _ in range(1000):
            assert not done.done()
            sum(range(100))
        held.open()
        assert done.result(60) is True


@pytest.mark.skipif(bool(sysconfig.get_config_var("Py_GIL_DISABLED")), reason="without a GIL no thread waits for it")
def test_hot_calls_keep_the_gil():
    """With an endless switch interval another thread runs only when the GIL is given up. It is ready, and does not, unless
    GPUSTREAM_GIL=release says otherwise."""
    stream, event, lock, seen = gpustream.Stream(), gpustream.Event(), threading.Lock(), []
    lock.acquire()

    def other():
        lock.acquire()
        seen.append(1)

    thread = threading.Thread(target=other)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        thread.start()  # the interval is that of its way to the lock, too: the lock is where it gives the GIL back
        lock.release()
        for _ in range(10000):
            event.record(stream)
            event.query()
            event.wait(stream)
            with stream:
                pass
        while gpustream._core.gives_up_gil and not seen:
            event.query()
        assert gpustream._core.gives_up_gil or not seen
        stream.synchronize()  # gives it up
    finally:
        sys.setswitchinterval(before)
    thread.join()
    assert seen


def test_closing_under_use():
    for _ in range(200):
        stream, event = gpustream.Stream(), gpustream.Event()
        event.record(stream)

        def use():
            try:
                for _ in range(50):
                    event.record(stream)
                    stream.wait_event(event)
                    event.synchronize()
                    stream.query()
            except gpustream.InvalidHandleError:
                pass

        threads = [threading.Thread(target=use) for _ in range(3)]
        for thread in threads:
            thread.start()
        stream.close()
        event.close()
        for thread in threads:
            thread.join()
        with pytest.raises(gpustream.InvalidHandleError):
            event.record(gpustream.Stream())


def test_thread_that_ends_inside_a_scope():
    stream = gpustream.Stream()
    thread = threading.Thread(target=stream.__enter__)
    thread.start()
    thread.join()
    stream.synchronize()
    assert gpustream.current_stream() == gpustream.default_stream()


def test_asyncio_rule():
    """The current stream belongs to the thread. Tasks of one loop share it, so a task that is suspended inside a with
    block leaves its stream to others; passing streams explicitly is right whatever runs in between."""
    mine, other = gpustream.Stream(), gpustream.Stream()

    async def between():
        return gpustream.current_stream()

    async def task():
        with mine:
            return await asyncio.create_task(between())

    assert asyncio.run(task()) == mine  # seen by a task that never asked for it

    async def explicit(stream):
        event = gpustream.Event()
        await asyncio.sleep(0)
        event.record(stream)
        while not event.query():
            await asyncio.sleep(0)
        return event.device

    async def both():
        return await asyncio.gather(explicit(mine), explicit(other))

    assert asyncio.run(both()) == [mine.device, other.device]
    assert gpustream.current_stream() == gpustream.default_stream()


def test_asyncio_waits_by_callback(gate):
    stream, held = gpustream.Stream(), gate()
    held.hold(stream)

    async def wait():
        loop, done = asyncio.get_running_loop(), asyncio.Event()
        stream.add_done_callback(lambda: loop.call_soon_threadsafe(done.set))
        assert not done.is_set()
        held.open()
        await asyncio.wait_for(done.wait(), 60)
        return stream.query()

    assert asyncio.run(wait()) is True
