# SPDX-License-Identifier: Apache-2.0
"""await stream, await event: asyncio, uvloop, trio and anyio; faults, Ctrl-C and forks in processes of their own."""
import asyncio
import gc
import os

import gpustream
import pytest
from support.at_once import at_once

anyio = pytest.importorskip("anyio")
BACKENDS = [pytest.param(("asyncio", {}), id="asyncio")]
for library, backend in (("uvloop", ("asyncio", {"use_uvloop": True})), ("trio", ("trio", {}))):
    try:
        __import__(library)
    except ImportError:
        BACKENDS.append(pytest.param(backend, id=library, marks=pytest.mark.skip(reason=f"{library} is not installed")))
    else:
        BACKENDS.append(pytest.param(backend, id=library))


@pytest.fixture(params=BACKENDS)
def run(request):
    """Runs a coroutine function in a loop of each kind."""
    name, options = request.param
    return lambda main: anyio.run(main, backend=name, backend_options=options)


@pytest.fixture
def held(gate):
    """A stream and the gate that holds it."""
    one = gate(stream := gpustream.Stream())
    return stream, one


def test_the_loop_goes_on(run, held):
    stream, gate = held
    event, order = stream.record_event(), []

    async def wait(name, thing):
        assert await thing is None
        assert thing.query()
        order.append(name)

    async def main():
        async with anyio.create_task_group() as group:
            group.start_soon(wait, "stream", stream)
            group.start_soon(wait, "event", event)
            for _ in range(10):
                await anyio.sleep(0)
            assert not stream.query()
            order.append("others run")
            gate.open()

    run(main)
    assert order[0] == "others run" and sorted(order[1:]) == ["event", "stream"]


def test_what_is_done_is_not_waited_for(run):
    async def main():
        await gpustream.Event()
        stream = gpustream.Stream()
        await stream
        stream.synchronize()
        await stream.record_event()
        await gpustream.generic.Stream()
        await gpustream.generic.Event()
        await gpustream.default_stream()

    run(main)


def test_many_at_once(run):
    streams, done = [gpustream.Stream() for _ in range(16)], []

    async def one(number):
        stream = streams[number % 16]
        with stream:
            gpustream._sleep(1000)
        await stream.record_event()
        done.append(number)

    async def main():
        async with anyio.create_task_group() as group:
            for number in range(1000):
                group.start_soon(one, number)

    run(main)
    assert sorted(done) == list(range(1000))


def test_a_cancelled_task_takes_its_entry_along(run, held):
    stream, gate = held
    event = stream.record_event()

    async def main():
        for thing in (stream, event, stream):
            with anyio.move_on_after(0.01) as scope:
                await thing
            assert scope.cancelled_caught
        if pending() is not None:
            assert pending() == 0
        gate.open()
        await stream
        await event

    run(main)


def pending():
    """How many entries asyncio's queue of this loop waits for; None: another library."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return None
    from gpustream._await_asyncio import waits_of

    return len(waits_of(loop)._futures)


def test_wait_for_and_gather(held):
    stream, gate = held

    async def main():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(stream, 0.01)
        assert pending() == 0
        done, not_done = await asyncio.wait([asyncio.ensure_future(stream), asyncio.ensure_future(gpustream.Event())],
                                            return_when=asyncio.FIRST_COMPLETED)
        assert len(done) == len(not_done) == 1
        gate.open()
        await asyncio.gather(stream, *not_done, stream.record_event())

    asyncio.run(main())


def test_a_dropped_coroutine(held):
    stream, gate = held

    async def main():
        async def wait():
            await stream

        coroutine = wait()
        coroutine.send(None)
        assert pending() == 1
        del coroutine
        gc.collect()
        assert pending() == 0

    asyncio.run(main())
    gate.open()


def test_a_loop_that_ends_first(held):
    stream, gate = held

    async def main():
        asyncio.ensure_future(stream)  # asyncio.run() cancels it
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    asyncio.run(main())
    gate.open()
    asyncio.run(asyncio.wait_for(_await(stream), 60))


async def _await(thing):
    await thing


def test_loops_leave_nothing(run):
    async def main():
        stream = gpustream.Stream()
        with stream:
            gpustream._sleep(100_000)
        await stream

    run(main)
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        run(main)
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= before + 2


def test_a_loop_in_each_thread():
    async def main(stream):
        for _ in range(50):
            with stream:
                gpustream._sleep(1000)
            await stream
        return stream.query()

    assert at_once(lambda _: asyncio.run(main(gpustream.Stream())), 4) == [True] * 4


def test_without_a_loop():
    for thing in (gpustream.Stream(), gpustream.Event()):
        with pytest.raises(gpustream.NotSupportedError, match="asyncio or trio"):
            thing.__await__().send(None)


def test_closed_objects(run):
    async def main():
        for thing in (gpustream.Stream(), gpustream.Event()):
            thing.close()
            with pytest.raises(gpustream.InvalidHandleError):
                await thing

    run(main)


def test_a_capture_is_left_alone(run):
    stream, graph = gpustream.Stream(), gpustream.Graph()

    async def main():
        with stream, graph:
            gpustream._sleep(1)
            event = stream.record_event()
            for thing in (stream, event):
                with pytest.raises(gpustream.CapturingError):
                    await thing

    run(main)
    assert [node.kind for node in graph.nodes] != []


def test_an_event_that_ends_while_it_is_awaited(run, held):
    stream, gate = held

    async def wait():
        await stream.record_event()  # there is no other reference

    async def main():
        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await anyio.sleep(0)
            gate.open()

    run(main)


FAILS = """
import anyio, gpustream
from support.fake_driver import fake
from support.native import Gate
streams, gate, codes = [gpustream.Stream() for _ in range(4)], Gate(), []
for stream in streams:
    gate.hold(stream)

async def one(stream):
    try:
        await stream
    except gpustream.Error as error:
        codes.append((error.native_code, type(error).__name__))

async def main():
    async with anyio.create_task_group() as group:
        for number in range(10_000):
            group.start_soon(one, streams[number & 3])
        await anyio.sleep(0)
        fake.fake_cuda_break_device(0, 700)
        gate.open()

anyio.run(main, backend="%s")
print(len(codes), *sorted(set(codes)))
"""


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_ten_thousand_awaits_report_a_fault(run_python, backend):
    pytest.importorskip(backend)
    out = run_python(FAILS % backend, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda())
    assert out.split(maxsplit=1)[0] == "10000" and "700" in out and out.count("(") == 1, out


def test_ctrl_c(run_python):
    # A shell that starts the tests in the background ignores SIGINT for all of its children.
    out = run_python("""
import asyncio, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
import gpustream
from support.native import Gate
stream, gate = gpustream.Stream(), Gate()
gate.hold(stream)

async def main():
    threading.Timer(0.03, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)).start()
    await stream

try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("interrupted")
gate.open()
asyncio.run(asyncio.wait_for(asyncio.sleep(0, stream.synchronize()), 60))
""")
    assert out.split() == ["interrupted"], out
