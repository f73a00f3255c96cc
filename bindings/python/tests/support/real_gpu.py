# SPDX-License-Identifier: Apache-2.0
"""What the tests on a real GPU share: where they run, the other libraries, and how order is seen."""
import ctypes
import importlib
import os

import gpustream
import pytest
from gpustream import interop

SIZE = 1 << 20
LONG = 300_000_000  # cycles: about 0.15 s at 2 GHz


def real_gpu():
    return os.environ["GPUSTREAM_BACKEND"] == "cuda" and "GPUSTREAM_LIBCUDA" not in os.environ and gpustream.is_available()


MARKS = [pytest.mark.skipif(not real_gpu(), reason="no GPU, or GPUSTREAM_BACKEND is not cuda"),
         pytest.mark.filterwarnings("default")]  # the other libraries' deprecations are theirs


def package(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        return pytest.skip(f"no {name} here: {error}")


def read(pointer, stream):
    """The bytes as work of `stream` sees them."""
    host = gpustream._malloc_host(SIZE)
    gpustream._memcpy_async(host, pointer, SIZE, stream)
    interop.as_stream(stream).synchronize()
    values = set(ctypes.string_at(host, SIZE))
    gpustream._free_host(host)
    return values


def torch_writes_late(torch, stream):
    """A tensor into which torch's current stream, the given one, writes 7 over 1 after a long sleep. Memory and kernels are there before
    the stream is held: getting them takes longer than the sleep, or waits."""
    tensor = torch.full((SIZE,), 1, dtype=torch.uint8, device="cuda")
    torch.cuda._sleep(1)
    stream.synchronize()
    torch.cuda._sleep(LONG)
    tensor.fill_(7)
    return tensor
