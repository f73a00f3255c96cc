# SPDX-License-Identifier: Apache-2.0
"""`with` blocks of all kinds are one kind: they end in order, on their thread, or raise ScopeError and change nothing."""
import threading
from contextlib import ExitStack

import gpustream
import pytest
from gpustream import Buffer, nvtx
from support.at_once import FREE, in_thread
from support.refusals import raises

KINDS = {
    "device": lambda: gpustream.device(1), "pool": lambda: gpustream.use_mem_pool(gpustream.MemPool()), "stream": lambda: gpustream.stream(gpustream.Stream(1)),
    "Stream": gpustream.Stream, "range": lambda: nvtx.range("block"), "graph": lambda: gpustream.graph(gpustream.CUDAGraph()),
}


def state():
    return gpustream.current_device(), gpustream.current_stream(), gpustream._core.gs_current_pool(0), gpustream._core.open_scopes()


def held(make):
    with make():
        gpustream._memset_async(MEMORY.ptr, 1, 8)
        yield


@pytest.fixture(autouse=True)
def memory():
    global MEMORY
    MEMORY = Buffer(8)
    before = state()
    yield
    assert state() == before


@pytest.mark.parametrize("inner", KINDS)
@pytest.mark.parametrize("outer", KINDS)
def test_out_of_order(outer, inner):
    if outer == inner == "graph":
        return
    one, two = KINDS[outer](), KINDS[inner]()
    with ExitStack() as stack:
        stack.enter_context(one)
        two.__enter__()
        gpustream._memset_async(MEMORY.ptr, 1, 8)
        inside = state()
        caught = raises(gpustream.ScopeError, one.__exit__, None, None, None)
        assert "0xffff" not in str(caught) and state() == inside
        two.__exit__(None, None, None)
        gpustream._memset_async(MEMORY.ptr, 1, 8)


@pytest.mark.parametrize("kind", KINDS)
def test_interleaved_generators(kind):
    if kind == "graph":
        return
    first, second = held(KINDS[kind]), held(KINDS[kind])
    next(first), next(second)
    inside = state()
    raises(gpustream.ScopeError, first.close)
    assert state() == inside
    second.close()
    gpustream.unwind()  # what the lost generator left
    if kind == "pool":
        gpustream._core.gs_set_current_pool(gpustream._core.gs_pool_default(0))
    if kind == "range":
        nvtx.range_pop()


@pytest.mark.parametrize("kind", KINDS)
def test_on_another_thread(kind):
    block, caught = KINDS[kind](), []

    def leave():
        try:
            block.__exit__(None, None, None)
        except gpustream.ScopeError as error:
            caught.append(str(error))

    with block:
        gpustream._memset_async(MEMORY.ptr, 1, 8)
        inside = state()
        in_thread(leave)
        assert state() == inside and len(caught) == 1 and "0xffff" not in caught[0]
        if kind not in ("stream", "Stream"):
            assert f"the block that thread {threading.get_ident()} began" in caught[0]
    raises(gpustream.ScopeError, block.__exit__, None, None, None)


def test_one_pool_in_itself():
    pool = gpustream.MemPool()
    unused = pool.use_count()
    one, two = gpustream.use_mem_pool(pool), gpustream.use_mem_pool(pool)
    with one:
        with two:
            raises(gpustream.ScopeError, one.__exit__, None, None, None)
        with one:  # again
            pass
    assert pool.use_count() == unused

    @gpustream.use_mem_pool(pool)
    def recurse(depth):
        return depth and recurse(depth - 1)

    assert recurse(3) == 0 and pool.use_count() == unused


def test_a_graph_in_a_graph():
    with gpustream.graph(gpustream.CUDAGraph()):
        gpustream._memset_async(MEMORY.ptr, 1, 8)
        raises(gpustream.CapturingError, "inside the block of another graph", lambda: gpustream.graph(gpustream.CUDAGraph()).__enter__())


@pytest.mark.parametrize("kind", KINDS)
def test_an_await(kind):
    import asyncio

    async def task():
        with KINDS[kind]():
            gpustream._memset_async(MEMORY.ptr, 1, 8)
            await asyncio.sleep(0)

    async def in_stream():
        with gpustream.task_stream(gpustream.Stream()):
            await task()

    for main in (task, in_stream):
        with pytest.raises(gpustream.ScopeError, match="awaited inside a block of the thread .*, a pool,"):
            asyncio.run(gpustream.task_stream.run(main()))


@pytest.mark.parametrize("kind", [*KINDS, "snapshot"])
def test_a_forked_child_exits_as_it_means_to(run_python, kind):
    block = {"device": "gpustream.device(1)", "pool": "gpustream.use_mem_pool(gpustream.MemPool())", "stream": "gpustream.stream(gpustream.Stream())",
             "Stream": "gpustream.Stream()", "range": "gpustream.nvtx.range('x')", "graph": "gpustream.graph(gpustream.CUDAGraph())",
             "snapshot": "gpustream.Snapshot()"}[kind]
    assert run_python(f"""
import os, sys
import gpustream
buffer = gpustream.Buffer(8)
child = 0
with {block}:
    buffer.fill_(1)
    child = os.fork()
    if child == 0:
        sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
""") == ""


def test_a_generator_that_another_thread_ends_leaves_a_block_that_unwind_ends(no_unraisable):
    before = state()
    for _ in range(20):
        generator = held(lambda: gpustream.stream(gpustream.Stream(1)))
        next(generator)
        thread = threading.Thread(target=lambda box: box.clear(), args=([generator],))
        del generator
        thread.start()
        thread.join()
    if FREE:  # the last reference goes back to the thread that made the generator, which ends the block
        assert state() == before
        return
    assert gpustream.current_device() == 1 and state()[3] == before[3] + 20
    assert {item.exc_type for item in no_unraisable} == {gpustream.ScopeError}
    no_unraisable.clear()
    gpustream.unwind()
    assert state() == before
    gpustream.unwind()  # nothing is open
