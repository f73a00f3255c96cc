# SPDX-License-Identifier: Apache-2.0
"""The tests of numba-cuda for the driver, which its package contains, under `gpustream run --simulate=2 --check`: streams, events, memory of all
kinds, contexts and devices of a program that others wrote. Right programs, so the check has nothing to report.

What compiles kernels is left out: there is no libnvvm here, and kernels of the simulated driver compute nothing. scripts/test engines runs this.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

import gpustream
import pytest

COMMAND = Path(gpustream.__file__).parent / "bin/gpustream"
MODULES = {  # with the tests that need what is not there
    "array_attr": (),
    "context_stack": ("test_cudajit_in_attached_primary_context",),
    "cuda_auto_context": (),
    "cuda_memory": (),
    "cuda_ndarray": (
        "test_device_array_like_2d_f_transpose", "test_device_array_like_2d_transpose", "test_devicearray_transpose_T",
        "test_devicearray_transpose_ok", "test_recarray",
        "test_kernel_with_buffer", "test_kernel_with_strided_memory_view"),  # CuPy
    "deallocations": (),
    "detect": ("test_is_supported_version",),  # libnvrtc
    "emm_plugins": (),
    "events": (),
    "host_alloc": (),
    "init": (),
    "managed_alloc": ("test_managed_array_attach_global", "test_managed_array_attach_host"),
    "pinned": (),
    "profiler": (),
    "reset_device": (),
    "runtime": (),
    "select_device": (),
    "streams": (),
}


@pytest.mark.parametrize("module", MODULES)
def test_module(module):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GPUSTREAM_")}
    ended = subprocess.run([COMMAND, "run", "--simulate=2", "--check", "--", sys.executable, "-m", "unittest", "-v",
                            f"numba.cuda.tests.cudadrv.test_{module}"], env=environment, capture_output=True, text=True, timeout=300, check=False)
    wrong = re.findall(r"^(?:ERROR|FAIL): (\w+)", ended.stderr, re.MULTILINE)
    assert sorted(wrong) == sorted(MODULES[module]), ended.stderr
    assert int(re.search(r"^Ran (\d+) tests? in", ended.stderr, re.MULTILINE).group(1)) > len(wrong)
    reports = re.findall(r"check: (\d+) race", ended.stderr)
    assert set(reports) == {"0"}, ended.stderr
