# SPDX-License-Identifier: Apache-2.0
"""gpustream.task_stream: a current stream for each task; Snapshot: carried to other threads."""
import asyncio
import concurrent.futures
import contextvars

import gpustream
import pytest
from support.at_once import in_thread
from support.refusals import raises

anyio = pytest.importorskip("anyio")
try:
    import trio  # noqa: F401
except ImportError:
    BACKENDS = ["asyncio"]
else:
    BACKENDS = ["asyncio", "trio"]


def switching(main, backend="asyncio"):
    return anyio.run(lambda: gpustream.task_stream.run(main()), backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_task_keeps_its_stream_over_awaits(backend):
    outside, stream, inner = gpustream.current_stream(), gpustream.Stream(), gpustream.Stream(1)

    async def main():
        assert gpustream.task_stream.get() is None
        with gpustream.task_stream(stream) as entered:
            assert entered is stream is gpustream.current_stream() and gpustream.task_stream.get() is stream
            await anyio.sleep(0)
            assert gpustream.current_stream() is stream
            with gpustream.task_stream(inner):
                await anyio.sleep(0)
                assert gpustream.current_stream() is inner and gpustream.current_device() == 1
            assert gpustream.current_stream() is stream and gpustream.current_device() == 0
            await anyio.sleep(0.001)
        assert gpustream.current_stream() == outside
        await anyio.sleep(0)
        return 7

    assert switching(main, backend) == 7
    assert gpustream.current_stream() == outside


def test_tasks_do_not_see_each_others(gate):
    outside, seen = gpustream.current_stream(), []

    async def one(stream):
        with gpustream.task_stream(stream):
            for _ in range(5):
                assert gpustream.current_stream() is stream
                gpustream._sleep(1000)
                await stream
        assert gpustream.current_stream() == outside

    async def bystander():
        for _ in range(20):
            seen.append(gpustream.current_stream() == outside)
            await asyncio.sleep(0)

    async def main():
        gpustream.task_stream.install()
        gpustream.task_stream.install()  # once is enough
        await asyncio.gather(*(one(gpustream.Stream(number % 2)) for number in range(10)), bystander())

    asyncio.run(main())
    assert seen == [True] * 20


def test_tasks_inherit_it():
    stream, seen = gpustream.Stream(), []

    async def child():
        seen.append(gpustream.current_stream())
        await asyncio.sleep(0)
        with gpustream.task_stream(gpustream.Stream()) as own:
            seen.append(gpustream.current_stream() is own)
        seen.append(gpustream.current_stream())

    async def main():
        gpustream.task_stream.install()
        with gpustream.task_stream(stream):
            task = asyncio.create_task(child())
            await asyncio.sleep(0)
            assert gpustream.current_stream() is stream
        await task  # which still has it

    asyncio.run(gpustream.task_stream.run(main()))
    assert seen == [stream, True, stream]


def test_threads_get_it_by_the_context():
    stream = gpustream.Stream()

    def work():
        with gpustream.task_stream(gpustream.task_stream.get()):
            return gpustream.current_stream() is stream

    async def main():
        with gpustream.task_stream(stream):
            return await asyncio.to_thread(work)

    assert asyncio.run(gpustream.task_stream.run(main()))


def test_a_task_that_does_not_switch_is_refused():
    async def main():
        with pytest.raises(gpustream.NotPermittedError, match=r"install\(\)"):
            with gpustream.task_stream(gpustream.Stream()):
                pass
        assert gpustream.task_stream.get() is None

    for backend in BACKENDS:
        anyio.run(main, backend=backend)


def test_exceptions_and_cancellation():
    outside, stream = gpustream.current_stream(), gpustream.Stream()

    async def fails():
        with gpustream.task_stream(stream):
            await asyncio.sleep(0)
            raise KeyError("mine")

    async def waits(entered):
        with gpustream.task_stream(stream):
            entered.set()
            try:
                await asyncio.sleep(1000)
            finally:
                assert gpustream.current_stream() is stream
                await asyncio.sleep(0)
                assert gpustream.current_stream() is stream

    async def main():
        gpustream.task_stream.install()
        with pytest.raises(KeyError):
            await asyncio.create_task(fails())
        entered = asyncio.Event()
        task = asyncio.create_task(waits(entered))
        await entered.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert gpustream.current_stream() == outside

    asyncio.run(main())
    assert gpustream.current_stream() == outside


def test_a_dropped_task_leaves_the_thread_alone():
    outside, stream, seen = gpustream.current_stream(), gpustream.Stream(), []

    async def main():
        with gpustream.task_stream(stream):
            try:
                await _forever()
            finally:
                seen.append(gpustream.current_stream() is stream)

    coroutine = gpustream.task_stream.run(main())
    context = contextvars.copy_context()
    context.run(coroutine.send, None)
    assert gpustream.current_stream() == outside
    context.run(coroutine.close)
    assert seen == [True] and gpustream.current_stream() == outside


class _forever:  # noqa: N801
    def __await__(self):
        yield


def test_an_own_task_factory_is_kept():
    made = []

    async def main():
        loop = asyncio.get_running_loop()
        loop.set_task_factory(lambda loop, coroutine, **options: made.append(1) or asyncio.Task(coroutine, loop=loop, **options))
        gpustream.task_stream.install()
        raises(TypeError, gpustream.task_stream, 7)

        async def child():
            with gpustream.task_stream(gpustream.Stream()) as stream:
                await asyncio.sleep(0)
                return gpustream.current_stream() is stream

        assert await asyncio.create_task(child())
        assert made == [1]

    asyncio.run(main())


def test_outside_of_tasks_it_is_a_plain_block():
    outside, stream = gpustream.current_stream(), gpustream.Stream()
    with gpustream.task_stream(stream):
        assert gpustream.current_stream() is stream is gpustream.task_stream.get()
    assert gpustream.current_stream() == outside and gpustream.task_stream.get() is None


def test_snapshots():
    here, there = gpustream.Stream(), gpustream.Stream(1)
    gpustream.set_stream(there)
    with here:
        snapshot = gpustream.Snapshot()
        assert snapshot.device == 0 and snapshot.stream is here

    def look():
        return gpustream.current_device(), gpustream.current_stream(0) == here, gpustream.current_stream(1) == there

    assert look() != (0, True, True)
    with snapshot:
        assert look() == (0, True, True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert set(pool.map(lambda _: snapshot.run(look), range(20))) == {(0, True, True)}
        assert pool.submit(look).result() == (0, False, False)
    results = []
    in_thread(lambda: results.append(snapshot.run(lambda: (snapshot.run(look), look()))))
    assert results == [((0, True, True),) * 2]


def test_snapshots_end_in_order():
    with gpustream.Stream():
        snapshot = gpustream.Snapshot()
    snapshot.__enter__()
    inner = gpustream.Stream()
    inner.__enter__()
    raises(gpustream.ScopeError, snapshot.__exit__, None, None, None)
    inner.__exit__(None, None, None)
    snapshot.__exit__(None, None, None)
    with pytest.raises(KeyError), snapshot:
        raise KeyError
