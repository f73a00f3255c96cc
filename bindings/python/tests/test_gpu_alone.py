# SPDX-License-Identifier: Apache-2.0
"""What shows on a real GPU only and needs no other library."""
import os

import gpustream
import pytest
from gpustream.demo import pipeline

LONG = 300_000_000  # cycles: about 0.15 s at 2 GHz

pytestmark = pytest.mark.skipif(os.environ["GPUSTREAM_BACKEND"] != "cuda" or "GPUSTREAM_LIBCUDA" in os.environ or not gpustream.is_available(),
                                reason="no GPU, or GPUSTREAM_BACKEND is not cuda")


def test_interprocess_event_on_the_gpu(run_python):
    event, stream = gpustream.Event(interprocess=True), gpustream.Stream()
    with stream:
        gpustream._sleep(LONG)
    event.record(stream)
    out = run_python("""
import sys, gpustream
event = gpustream.Event.from_ipc_handle(0, bytes.fromhex(sys.argv[1]))
event.synchronize()
gpustream.ipc_collect()
print(event.query())
""", event.ipc_handle().hex())
    assert out.split() == ["True"]
    stream.synchronize()


def test_no_driver_call_where_none_is_needed():
    stream, event = gpustream.Stream(), gpustream.Event()
    event.record(stream)
    event.synchronize()
    before = gpustream._stats()["driver_calls"]
    for _ in range(1000):
        event.query(), event.wait(stream)
        with stream:
            gpustream.current_stream(), gpustream.Event()
    assert gpustream._stats()["driver_calls"] == before


def test_demo_on_the_gpu(tmp_path, capsys):
    (tmp_path / "file").write_bytes(os.urandom(20_000_001))
    assert pipeline.main(tmp_path / "file", lanes=2, chunk=1 << 20) == 0
    assert "as zlib and a plain count have it" in capsys.readouterr().out
