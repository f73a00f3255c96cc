# SPDX-License-Identifier: Apache-2.0
"""gpustream.Graph: conditional nodes, and streams captured into graphs and bodies."""
import gpustream
import pytest
from support.refusals import raises
from test_graphs import run


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
