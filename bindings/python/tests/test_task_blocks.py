# SPDX-License-Identifier: Apache-2.0
"""gpustream.task_stream and blocks of streams that a task does not end."""
import asyncio
import contextlib
import contextvars

import gpustream
import pytest
from gpustream import _task_stream
from support.refusals import raises
from test_task_stream import BACKENDS, _forever, anyio, switching


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_await_inside_one_is_an_error_also_without_a_stream_of_the_task(backend):
    outside, after = gpustream.current_stream(), []

    async def main():
        await anyio.sleep(0)
        with pytest.raises(gpustream.ScopeError, match="awaited inside a block of the thread"):
            with gpustream.Stream():
                await anyio.sleep(0)
        with gpustream.Stream() as plain:
            with pytest.raises(gpustream.ScopeError, match="has not ended"), gpustream.task_stream(gpustream.Stream()):
                pass
            assert gpustream.current_stream() is plain
        with gpustream.Stream():  # without an await
            pass
        with gpustream.task_stream(gpustream.Stream()) as own:
            with pytest.raises(gpustream.ScopeError, match="awaited inside a block of the thread"):
                with gpustream.Stream():
                    await anyio.sleep(0)
            await anyio.sleep(0)
            assert gpustream.current_stream() is own
        await anyio.sleep(0)
        after.append(gpustream.current_stream() == outside)

    switching(main, backend)
    assert after == [True] and gpustream.current_stream() == outside


@pytest.mark.parametrize("has_stream", [False, True])
@pytest.mark.parametrize("how", ["returns", "raises", "is closed"])
def test_a_task_that_leaves_a_block_open_is_over(how, has_stream):
    """With it go the block and the stream of its step."""
    outside, left = gpustream.current_stream(), gpustream.Stream()

    async def main():
        try:
            if how == "is closed":
                await _forever()
            await asyncio.sleep(0)
        finally:
            left.__enter__()
        if how == "raises":
            raise KeyError("mine")

    def run():
        coroutine = gpustream.task_stream.run(main())
        if how == "is closed":
            coroutine.send(None)
            coroutine.close()
        else:
            asyncio.run(coroutine)

    context = contextvars.copy_context()
    if has_stream:
        context.run(_task_stream._variable.set, gpustream.task_stream(gpustream.Stream()))
    raises(KeyError if how == "raises" else gpustream.ScopeError, context.run, run)
    assert gpustream.current_stream() == outside
    with gpustream.task_stream(left):
        assert gpustream.current_stream() is left
    assert gpustream.current_stream() == outside
    raises(gpustream.ScopeError, left.__exit__, None, None, None)


async def chunks(stream, steps, at_end=None):
    try:
        with gpustream.task_stream(stream):
            for number in range(steps):
                assert gpustream.current_stream() is stream
                yield number
                await asyncio.sleep(0)
    finally:
        if at_end is not None:
            at_end.append(gpustream.current_stream())


@pytest.mark.parametrize("closing", [False, True])
def test_asynchronous_generators_end_well(closing, no_unraisable):
    outside, stream, around, messages = gpustream.current_stream(), gpustream.Stream(), gpustream.Stream(), []

    async def consume():
        generator = chunks(stream, 3)
        if closing:
            async with contextlib.aclosing(generator):
                async for _ in generator:
                    break
        else:
            async for _ in generator:
                break
            del generator  # which the loop closes in a task of its own
        await asyncio.sleep(0.01)
        return gpustream.current_stream(), gpustream.task_stream.get()

    async def main():
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: messages.append(context))
        found = [await consume(), await consume()]
        with gpustream.task_stream(around):
            found.append(await consume())
        async for _ in chunks(stream, 2):
            pass
        return [*found, (gpustream.current_stream(), gpustream.task_stream.get())]

    assert switching(main) == [(outside, None), (outside, None), (around, around), (outside, None)]
    assert messages == [] and gpustream.current_stream() == outside


def test_a_generator_that_several_tasks_advance_is_told_so():
    async def main():
        generator = chunks(gpustream.Stream(), 1)
        gpustream.task_stream.install()
        assert await asyncio.create_task(anext(generator)) == 0
        with pytest.raises(gpustream.ScopeError, match=r"contextlib.aclosing\(\)"):
            await asyncio.create_task(anext(generator))
        generator = chunks(gpustream.Stream(), 1)
        await asyncio.create_task(anext(generator))
        await asyncio.create_task(generator.aclose())  # which is right

    outside = gpustream.current_stream()
    switching(main)
    assert gpustream.current_stream() == outside


def test_what_is_set_in_a_block_stays_over_awaits_and_ends_with_it():
    outside, stream, other, inner = gpustream.current_stream(), gpustream.Stream(), gpustream.Stream(), gpustream.Stream()

    async def child():
        seen = [gpustream.current_device()]
        gpustream.set_stream(other)
        await asyncio.sleep(0)
        return [*seen, gpustream.current_stream() is other]

    async def main():
        gpustream.task_stream.install()
        with gpustream.task_stream(stream):
            gpustream.set_device(1)
            await asyncio.sleep(0)
            assert gpustream.current_device() == 1
            with gpustream.task_stream(inner):
                gpustream.set_stream(other)
                await asyncio.sleep(0)
                assert gpustream.current_stream() is other
            assert gpustream.current_device() == 1
            await asyncio.sleep(0)
            assert gpustream.current_device() == 1
            gpustream.set_stream(stream)
            await asyncio.sleep(0)
            assert gpustream.current_stream() is stream
            assert await asyncio.create_task(child()) == [0, True] and gpustream.current_stream() is stream
        assert gpustream.current_device() == 0 and gpustream.current_stream() == outside

    switching(main)
    assert gpustream.current_device() == 0 and gpustream.current_stream() == outside


def test_blocks_of_tasks_that_are_entered_twice_or_end_out_of_order():
    async def main():
        one, two = gpustream.task_stream(gpustream.Stream()), gpustream.task_stream(gpustream.Stream())
        with one, two:
            raises(gpustream.ScopeError, "open already", one.__enter__)
            raises(gpustream.ScopeError, "before one inside it", one.__exit__, None, None, None)
            closed = gpustream.Stream()
            closed.close()
            raises(gpustream.InvalidHandleError, lambda: gpustream.task_stream(closed).__enter__())
            await asyncio.sleep(0)
            assert gpustream.task_stream.get() is two.stream is gpustream.current_stream()

    switching(main)
