# SPDX-License-Identifier: Apache-2.0
"""What errors say in Python, and what they do not: names and numbers of C."""
import threading

import gpustream
import pytest
from gpustream import check


def test_closed_objects():
    stream, event = gpustream.Stream(), gpustream.Event()
    stream.close()
    event.close()
    with pytest.raises(gpustream.InvalidHandleError, match="^the stream is closed$"):
        stream.synchronize()
    with pytest.raises(gpustream.InvalidHandleError, match="^the event is closed$"):
        event.synchronize()


def test_who_forbade_a_wait():
    stream = gpustream.Stream()
    with check.forbid_sync(), pytest.raises(gpustream.SyncForbiddenError, match=r"forbid_sync\(\) at .*test_error_texts.py:\d+ says so$"):
        stream.synchronize()
    stream.synchronize()


def test_blocks_in_the_wrong_order():
    outer, inner = gpustream.Stream(), gpustream.Stream()
    outer.__enter__()
    inner.__enter__()
    with pytest.raises(gpustream.ScopeError, match="^this block is not the thread's innermost: 1 entered after it must be left first$"):
        outer.__exit__(None, None, None)
    found = []

    def leave():
        with pytest.raises(gpustream.ScopeError) as raised:
            outer.__exit__(None, None, None)
        found.append(str(raised.value))

    other = threading.Thread(target=leave)
    other.start()
    other.join()
    inner.__exit__(None, None, None)
    outer.__exit__(None, None, None)
    assert found[0].startswith("this thread has not entered the block"), found


def test_another_library(run_python):
    out = run_python("import gpustream", GPUSTREAM_LIBRARY="libm.so.6", status=1)
    assert "ImportError: GPUSTREAM_LIBRARY=libm.so.6 is not libgpustream: it has no function gs_abi_version" in out
