# SPDX-License-Identifier: Apache-2.0
"""gpustream.task_stream and blocks of streams that a task does not end."""
import asyncio
import contextvars

import gpustream
import pytest
from gpustream import _task_stream
from test_task_stream import BACKENDS, _forever, anyio, switching


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_await_inside_one_is_an_error_also_without_a_stream_of_the_task(backend):
    outside, after = gpustream.current_stream(), []

    async def main():
        await anyio.sleep(0)
        with pytest.raises(gpustream.ScopeError, match="awaited inside `with stream:`"):
            with gpustream.Stream():
                await anyio.sleep(0)
        with gpustream.Stream() as plain:
            with pytest.raises(gpustream.ScopeError, match="has not ended"), gpustream.task_stream(gpustream.Stream()):
                pass
            assert gpustream.current_stream() is plain
        with gpustream.Stream():  # without an await
            pass
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
        context.run(_task_stream._variable.set, gpustream.Stream())
    with pytest.raises(KeyError if how == "raises" else gpustream.ScopeError):
        context.run(run)
    assert gpustream.current_stream() == outside
    with gpustream.task_stream(left):
        assert gpustream.current_stream() is left
    assert gpustream.current_stream() == outside
    with pytest.raises(gpustream.ScopeError):
        left.__exit__(None, None, None)
