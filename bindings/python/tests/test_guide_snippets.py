# SPDX-License-Identifier: Apache-2.0
"""The Python of README and of the guide runs as it stands: each page in a process, its first block alone too, since a reader
pastes that one first. The pages on other libraries have a test of their own (test_guide_interop.py).
"""
import inspect
import json
import os
import re
from pathlib import Path

import gpustream
import pytest
from support.native import ROOT

GUIDE = ROOT / "docs/guide"
# What a page's blocks have done when they end.
AFTER = {
    "async": "gpustream.synchronize(); assert results == ['written'] and first in range(3)",
    "graphs": """
assert target.to_bytes() == bytes([3]) * 4096
executable.launch(stream); stream.synchronize()
assert target.to_bytes() == bytes(4096)
g.replay(); gpustream.synchronize()
assert target.to_bytes() == bytes([1]) * 4096
import os; assert os.path.getsize("work.dot") > 0
""",
    "memory": "assert gpustream.max_memory_allocated() >= 1 << 20 and 'target' not in globals() and staged.to_bytes() == b'sixteen bytes...'",
    "building-graphs": """
assert [node.kind for node in graph.nodes].count("condition") == 3
graph.instantiate().launch(stream); stream.synchronize()
assert set(target.to_bytes()) == {3}
""",
}
# Files that a page reads: traces of PyTorch's profiler.
FILES = {"tracing": {"torch.json": json.dumps({"traceEvents": []})}}


# What the pages show is right, so the ordering checker has nothing to report. The fake driver's memory is of the heap, which gives
# an address to other code without a word to the checker.
CHECKED = {"GPUSTREAM_CHECK": "abort"} if os.environ.get("GPUSTREAM_BACKEND") == "host" else {}


def snippets(text):
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


PAGES = {page.stem: snippets(page.read_text(encoding="utf-8")) for page in sorted(GUIDE.glob("*.md"))}
PAGES |= {f"{page.parent.name or 'root'}-README": snippets(page.read_text(encoding="utf-8"))
          for page in (ROOT / "README.md", ROOT / "bindings/python/README.md")}
PAGES = {name: found for name, found in PAGES.items() if found}


@pytest.mark.parametrize("page", PAGES)
def test_page(page, run_python, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.get(page, {}).items():
        Path(name).write_text(content, encoding="utf-8")
    first, *_ = found = PAGES[page]
    run_python(first, **CHECKED)
    if len(found) > 1 or page in AFTER:
        run_python("\n".join([*found, AFTER.get(page, "")]), **CHECKED)


def test_the_pages_are_found():
    assert {"python", "async", "graphs", "memory", "python-README"} <= set(PAGES)


def test_readme(run_python):
    program, = snippets((ROOT / "README.md").read_text(encoding="utf-8"))
    assert run_python(program).startswith("done on stream 0x")


def documented():
    """Everything that has a docstring: public names, and methods of public classes."""
    for name in gpustream.__all__:
        thing = getattr(gpustream, name)
        yield f"gpustream.{name}", thing
        if inspect.isclass(thing):
            yield from ((f"gpustream.{name}.{method}", value) for method, value in vars(thing).items() if not method.startswith("_"))


def test_docstrings_end_their_sentences():
    """What the generator cuts out of the header's comments leaves whole sentences."""
    for name, thing in documented():
        for line in (inspect.getdoc(thing) or "").splitlines():
            assert not re.search(r": ?\.$|\(\.$|\(,", line), (name, line)
