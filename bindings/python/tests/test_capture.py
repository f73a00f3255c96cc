# SPDX-License-Identifier: Apache-2.0
"""Capture: torch.cuda's CUDAGraph and graph, and gpustream.Graph with conditional nodes and bodies."""
import gc

import gpustream
import pytest
from support.refusals import raises
from test_graphs import run


def captured(target, value=7, **keywords):
    """A CUDAGraph that fills memory."""
    graph = gpustream.CUDAGraph(**keywords)
    with gpustream.graph(graph):
        gpustream._memset_async(target.address, value, target.size)
    return graph


def test_work_runs_at_each_replay(memory):
    target, stream = memory(), gpustream.Stream()
    graph = captured(target)
    stream.synchronize()
    assert bytes(target) == bytes(64)  # captured, not executed
    for _ in range(3):
        target.set(0)
        with stream:
            graph.replay()
        stream.synchronize()
        assert bytes(target) == b"\7" * 64


def test_graph_uses_a_stream_of_its_own_and_restores():
    before = gpustream.current_stream()
    first, second = gpustream.graph(gpustream.CUDAGraph()), gpustream.graph(gpustream.CUDAGraph())
    assert first.capture_stream != second.capture_stream
    with pytest.warns(UserWarning, match="The CUDA Graph is empty") as seen, first:
        assert gpustream.current_stream() is first.capture_stream
        assert gpustream.is_current_stream_capturing() is True
    assert gpustream.current_stream() == before and gpustream.is_current_stream_capturing() is False
    assert seen[0].filename == __file__


def test_graph_on_a_given_stream(memory):
    target, stream, graph = memory(), gpustream.Stream(), gpustream.CUDAGraph()
    with gpustream.graph(graph, gpustream.graph_pool_handle(), stream, "thread_local"):
        assert stream.is_capturing()
        gpustream._memset_async(target.address, 1, 8)
    assert not stream.is_capturing()
    graph.replay()
    gpustream.synchronize()
    assert target[7] == 1


def test_unjoined_stream(memory):
    target, main, side = memory(), gpustream.Stream(), gpustream.Stream()
    graph = gpustream.CUDAGraph()
    with pytest.raises(gpustream.CapturingError), gpustream.graph(graph, stream=main):
        side.wait_stream(main)
        gpustream._memset_async(target.address, 3, 8, side)
    assert not main.is_capturing() and not side.is_capturing()
    raises(RuntimeError, "without a preceding successful capture", graph.replay)
    with gpustream.graph(graph, stream=main):  # it can be tried again
        gpustream._memset_async(target.address, 3, 8)
    graph.replay()
    gpustream.synchronize()
    assert target[0] == 3


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_exception_aborts_the_capture(memory, error):
    target, graph, stream = memory(), gpustream.CUDAGraph(), gpustream.Stream()
    before = gpustream.current_stream()
    with pytest.raises(error), gpustream.graph(graph, stream=stream):
        gpustream._memset_async(target.address, 3, 8)
        raise error
    assert not stream.is_capturing() and gpustream.current_stream() == before
    with gpustream.graph(graph, stream=stream):
        gpustream._memset_async(target.address, 5, 8)
    graph.replay()
    gpustream.synchronize()
    assert target[0] == 5


def test_torchs_texts():
    graph, stream = gpustream.CUDAGraph(), gpustream.Stream()
    raises(RuntimeError, r"^Called CUDAGraph::replay without a preceding successful capture\.$", graph.replay)
    raises(RuntimeError, r"^Called CUDAGraph::pool\(\) without a preceding successful capture\.$", graph.pool)
    raises(RuntimeError, "^capture_end\\(\\) must have been called before calling instantiate$", graph.instantiate)
    raises(RuntimeError, "^You cannot access the raw cudaGraphExec_t instance until instantiate", graph.raw_cuda_graph_exec)
    raises(RuntimeError, "^You cannot access the raw cudaGraph_t instance unless CUDAGraph was initialized", graph.raw_cuda_graph)
    raises(RuntimeError, r"^CUDA graphs must be captured on a non-default stream\. \(However, after capture", graph.capture_begin)
    with pytest.raises(RuntimeError, match="^Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got loose$"):
        graph.capture_begin(capture_error_mode="loose")
    raises(RuntimeError, r"^capture_end\(\) called before capture_begin\(\)\.$", graph.capture_end)
    with stream:
        graph.capture_begin()
    raises(RuntimeError, r"^Capture must end on the same stream it began on\.$", graph.capture_end)
    with stream, pytest.warns(UserWarning, match="^The CUDA Graph is empty"):
        graph.capture_end()
    with stream, pytest.raises(RuntimeError, match="^This CUDAGraph instance already owns a captured graph"):
        graph.capture_begin()
    raises(RuntimeError, "^instantiate\\(\\) is intended to be called by the user only when keep_graph=true$", graph.instantiate)


def test_begin_twice():
    first, second, stream = gpustream.CUDAGraph(), gpustream.CUDAGraph(), gpustream.Stream()
    with stream:
        first.capture_begin()
        raises(gpustream.CapturingError, first.capture_begin)
        raises(gpustream.CapturingError, second.capture_begin)
        assert stream.is_capturing()
        first.reset()  # aborts it
        assert not stream.is_capturing()


def test_an_object_that_ends_gives_its_capture_up():
    stream, graph = gpustream.Stream(), gpustream.CUDAGraph()
    with stream:
        graph.capture_begin()
    del graph
    gc.collect()
    assert not stream.is_capturing()


def test_keep_graph(memory, tmp_path):
    target = memory()
    graph = captured(target, keep_graph=True)
    assert graph.raw_cuda_graph() > 0
    raises(RuntimeError, "until instantiate", graph.raw_cuda_graph_exec)
    graph.replay()  # instantiates
    first = graph.raw_cuda_graph_exec()
    graph.instantiate()
    assert first > 0 and graph.raw_cuda_graph_exec() > 0
    graph.replay()
    gpustream.synchronize()
    assert target[0] == 7
    graph.debug_dump(tmp_path / "graph.dot")
    assert (tmp_path / "graph.dot").read_text(encoding="utf-8").startswith("digraph")
    graph.reset()
    raises(RuntimeError, "until capture_end", graph.raw_cuda_graph)


def test_without_keep_graph(memory, tmp_path):
    graph = captured(memory())
    assert graph.raw_cuda_graph_exec() > 0
    with pytest.warns(UserWarning, match="^CUDA Graphs debug not enabled, set with \\[graph\\].enable_debug_mode\\(\\)$"):
        graph.debug_dump(tmp_path / "graph.dot")
    assert not (tmp_path / "graph.dot").exists()


def test_debug_mode(run_python, tmp_path):
    run_python(f"""
import gpustream
g = gpustream.CUDAGraph()
g.enable_debug_mode()
p = gpustream._malloc_host(8)
with gpustream.graph(g):
    gpustream._memset_async(p, 1, 8)
g.debug_dump({str(tmp_path / "graph.dot")!r})
g.replay()
gpustream.synchronize()
""")
    assert "fill 8 bytes" in (tmp_path / "graph.dot").read_text(encoding="utf-8")


def test_pools():
    first, second = gpustream.graph_pool_handle(), gpustream.graph_pool_handle()
    assert first != second and first[0] == 0
    graph, stream = gpustream.CUDAGraph(), gpustream.Stream()
    with stream, pytest.warns(UserWarning):
        graph.capture_begin(pool=first)
        graph.capture_end()
    assert graph.pool() == first


def test_names_that_need_tensors():
    raises(NotImplementedError, "autograd", gpustream.make_graphed_callables, print, ())
    raises(gpustream.NotSupportedError, "generators", lambda: gpustream.CUDAGraph().register_generator_state(None))


def test_arguments():
    raises(TypeError, "argument 'cuda_graph' must be CUDAGraph, not int", gpustream.graph, 3)
    raises(TypeError, lambda: gpustream.graph(gpustream.CUDAGraph(), stream=3))


@pytest.mark.parametrize("word, expected", [(1, b"\1\0"), (0, b"\0\2")])
def test_if(memory, word, expected):
    target, condition, graph = memory(), memory(), gpustream.Graph()
    node = graph.add_if(condition.address, bodies=2)
    node.bodies[0].graph.add_memset(target.address, 1, 1)
    with node.bodies[1]:
        gpustream._memset_async(target.address + 1, 2, 1)
    condition.set_word(word)
    run(graph)
    assert bytes(target)[:2] == expected


def test_while(memory):
    """Two rounds: the word gets a second one's value, which the first round takes away."""
    word, following, graph = memory(), memory(), gpustream.Graph()
    node = graph.add_while(word.address)
    body = node.body.graph
    first = body.add_memcpy(word.address, following.address, 4)
    second = body.add_memset(following.address, 0, 4, after=first)
    body.set_condition(node, word.address, after=body.add_memset(word.address + 4, 1, 1, after=second))
    word.set_word(5)
    following.set_word(2)
    run(graph)
    assert word[0] == 0 and word[4] == 1 and following[0] == 0


def test_switch(memory):
    target, word, graph = memory(), memory(), gpustream.Graph()
    node = graph.add_switch(3, word.address)
    for index, body in enumerate(node.bodies):
        body.graph.add_memset(target.address + index, 1, 1)
    executable = graph.instantiate()
    for value, expected in ((1, b"\0\1\0"), (2, b"\0\1\1"), (3, b"\0\1\1")):
        word.set_word(value)
        executable.launch()
        gpustream.synchronize()
        assert bytes(target)[:3] == expected


def test_bodies_end_with_their_graph(memory):
    graph = gpustream.Graph()
    body = graph.add_if(initial=1).body.graph
    raises(gpustream.NotPermittedError, body.instantiate)
    graph.close()
    raises(gpustream.InvalidHandleError, body.add_empty)


def test_with_stream_graph(memory):
    target, stream, graph = memory(), gpustream.Stream(), gpustream.Graph()
    with stream, graph:
        gpustream._memset_async(target.address, 1, 8)
        node = graph.add_memset(target.address, 2, 4)  # in the place of the stream's next work
        gpustream._memset_async(target.address, 3, 2)
    assert [node.kind for node in graph.nodes] == ["memset"] * 3 and len(graph.edges) == 2
    assert node in graph.nodes
    graph.replay()
    gpustream.synchronize()
    assert bytes(target)[:8] == b"\3\3\2\2\1\1\1\1"
    with stream, graph:  # more of it
        gpustream._memset_async(target.address + 16, 4, 8)
    graph.replay()
    gpustream.synchronize()
    assert target[16] == 4 and len(graph.nodes) == 4


def test_condition_in_a_capture(memory):
    target, word, stream, graph = memory(), memory(), gpustream.Stream(), gpustream.Graph()
    with stream, graph:
        gpustream._memset_async(word.address, 1, 4)
        with graph.add_if(word.address).body:
            gpustream._memset_async(target.address, 7, 1)
        gpustream._memset_async(word.address, 0, 4)
    run(graph)
    assert target[0] == 7 and word[0] == 0


def test_an_exception_ends_the_capture(memory):
    target, stream, graph = memory(), gpustream.Stream(), gpustream.Graph()
    with pytest.raises(KeyError), stream, graph:
        gpustream._memset_async(target.address, 1, 8)
        raise KeyError
    assert not stream.is_capturing()
    with stream, graph:
        gpustream._memset_async(target.address + 8, 1, 8)
    run(graph)
    assert target[8] == 1


def test_capture_calls_in_the_wrong_order():
    graph, stream = gpustream.Graph(), gpustream.Stream()
    raises(gpustream.NotPermittedError, "before capture_begin", graph.capture_end)
    with stream:
        graph.capture_begin("default")
        raises(gpustream.CapturingError, graph.capture_begin)
        raises(gpustream.CapturingError, graph.instantiate)
        graph.close()  # ends it
        assert not stream.is_capturing()
