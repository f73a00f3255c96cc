# SPDX-License-Identifier: Apache-2.0
"""Where the tests of a GPU run: on a real one, or on the fake driver, which has neither PyTorch nor CuPy."""
import importlib.util
import os

import gpustream
import pytest


# A machine with a GPU need not have the fake driver. Without the ordering checker: the fake driver's memory is of the heap, which gives
# an address to other code without a word to it.
FAKE = {"GPUSTREAM_BACKEND": "cuda", "GPUSTREAM_LIBCUDA": os.environ.get("GPUSTREAM_TEST_FAKE_CUDA", "no fake driver was built"),
        "GPUSTREAM_CHECK": ""}


def is_real():
    return os.environ["GPUSTREAM_BACKEND"] == "cuda" and "GPUSTREAM_LIBCUDA" not in os.environ and gpustream.is_available()


def environment():
    """Of the actors."""
    return {} if is_real() else FAKE


def need(library):
    if library == "buffer":
        return
    if not is_real():
        pytest.skip(f"no GPU, or GPUSTREAM_BACKEND is not cuda: {library} runs no kernels on the fake driver")
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"no {library} here")


def memory_in_use():
    """Bytes of the real GPU, by all processes."""
    free, total = gpustream.mem_get_info()
    return total - free
