# SPDX-License-Identifier: Apache-2.0
"""The demo program on a real GPU."""
import os

import gpustream
import pytest
from gpustream.demo import pipeline


@pytest.mark.skipif(os.environ["GPUSTREAM_BACKEND"] != "cuda" or "GPUSTREAM_LIBCUDA" in os.environ or not gpustream.is_available(),
                    reason="no GPU, or GPUSTREAM_BACKEND is not cuda")
def test_demo_on_the_gpu(tmp_path, capsys):
    (tmp_path / "file").write_bytes(os.urandom(20_000_001))
    assert pipeline.main(tmp_path / "file", lanes=2, chunk=1 << 20) == 0
    assert "as zlib and a plain count have it" in capsys.readouterr().out
