# SPDX-License-Identifier: Apache-2.0
"""The Python snippets of README and of the guide's pages on graphs and waiting, which run as they stand, each page in a process.

The preludes stand for what the pages leave to the reader: work for a stream, memory, another library.
"""
import re

import pytest
from support.native import ROOT

GUIDE = ROOT / "docs/guide"
GRAPHS = """
import ctypes, os, tempfile
import gpustream
os.chdir(tempfile.mkdtemp())
size = 4096
target, word = gpustream._malloc_host(size), gpustream._malloc_host(4)
ctypes.memset(target, 0, size)
ctypes.memset(word, 0, 4)
stream = gpustream.Stream()
launches = []

def launch(native):
    launches.append(native)
    gpustream._memset_async(target, len(launches), size, gpustream.ExternalStream(native))

def other_library(raw_graph):
    assert raw_graph

def filled():
    gpustream.synchronize()
    return ctypes.string_at(target, size)
"""
WAITS = """
import asyncio, concurrent.futures, contextlib, weakref
import gpustream
streams = [gpustream.Stream() for _ in range(3)]
stream, results, executor = streams[0], [], concurrent.futures.ThreadPoolExecutor(1)
launches, currents = [], []

class Buffer:
    pass

buffer = Buffer()
known = weakref.ref(buffer)

def launch(native):
    launches.append(native)
    with gpustream.ExternalStream(native):
        gpustream._sleep(100_000)

def launch_in_current():
    currents.append(gpustream.current_stream())
"""
PAGES = {
    "async": (WAITS, """
assert len(launches) == 23, len(launches)
gpustream.synchronize()
assert results == ["written"]
executor.shutdown()
assert currents == [stream]
for _ in range(10_000):
    gpustream._trim()
    gpustream._core.graph_release_ended()
    gpustream.Stream().add_done_callback(int)
    gpustream.synchronize()
    if known() is None:
        break
assert known() is None
"""),
    "graphs": (GRAPHS, """
assert len(launches) == 3
assert filled() == bytes([3]) * size
assert os.path.getsize("work.dot") > 0
executable.launch(stream)
assert filled() == bytes(size)
g.replay()
assert filled() == bytes([1]) * size
"""),
    "memory": ("""
import gpustream
stream = gpustream.Stream()
""", """
assert gpustream.max_memory_allocated() == 1 << 20 and gpustream.memory_allocated() == 0
"""),
    "building-graphs": (GRAPHS, """
assert executable.update(other)
assert len(launches) == 4
assert [node.kind for node in graph.nodes].count("condition") == 3
ctypes.memset(word, 0, 4)  # no branch, one round, the first choice
ctypes.memset(target, 9, size)
graph.instantiate().launch(stream)
assert set(filled()) <= {2, 3}
"""),
}


def snippets(file):
    return re.findall(r"^```python\n(.*?)^```$", file.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_snippets(page, run_python):
    before, after = PAGES[page]
    found = snippets(GUIDE / f"{page}.md")
    assert found
    run_python(before + "\n".join(found) + after)


def test_readme(run_python):
    program, = snippets(ROOT / "README.md")
    assert run_python(program).startswith("done on stream 0x")
