# SPDX-License-Identifier: Apache-2.0
"""The extension, compiled with this Python's PyTorch, or the file that TORCH_STABLE_FILE names; tensors of the CPU unless there is a GPU."""
import gc
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import gpustream
import pytest
import torch

HERE = Path(__file__).parent
ON_GPU = torch.cuda.is_available()


@pytest.fixture(scope="session")
def operators(tmp_path_factory):
    file = os.environ.get("TORCH_STABLE_FILE")
    if not file:
        file = tmp_path_factory.mktemp("built") / "beside.so"
        subprocess.run([HERE / "build", sys.executable, gpustream.get_include(), file], check=True)
    torch.ops.load_library(file)
    return torch.ops.gpustream_example


def wait_until(holds):
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


@pytest.mark.skipif(ON_GPU, reason="the work that is waited for is a function of the host")
def test_the_copy_comes_between(operators):
    """Behind what the current stream has, ahead of what it gets next; and the call waits for neither."""
    go, source, seen = threading.Event(), torch.zeros(1000), []
    ours = gpustream.Stream()
    with ours:
        ours.launch_host(lambda: (go.wait(60), source.fill_(3)))
        target = operators.copy_beside(source)
        ours.launch_host(lambda: seen.append(target.sum().item()))
    assert not ours.query() and operators.held() == 2
    go.set()
    ours.synchronize()
    assert seen == [3000] and target.eq(3).all()
    wait_until(lambda: operators.held() == 0)


@pytest.mark.skipif(ON_GPU, reason="the work that is waited for is a function of the host")
def test_the_source_lives_until_the_copy_is_done(operators):
    go, ours, source = threading.Event(), gpustream.Stream(), torch.full((1 << 20,), 5.0)
    with ours:
        ours.launch_host(lambda: go.wait(60))
        target = operators.copy_beside(source)
    del source
    gc.collect()
    others = [torch.zeros(1 << 20) for _ in range(8)]  # which would get the memory of a source that is freed
    go.set()
    ours.synchronize()
    assert target.eq(5).all() and not any(other.any() for other in others)
    wait_until(lambda: operators.held() == 0)


@pytest.mark.skipif(not ON_GPU, reason="no GPU")
def test_on_a_gpu(operators):
    side = torch.cuda.Stream()
    operators.copy_beside(torch.arange(1 << 20, device="cuda"))  # loads kernels and the library
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(2_000_000_000)  # a second
        source = torch.arange(1 << 20, device="cuda")
        target = operators.copy_beside(source)
        assert not side.query()
        doubled = target * 2
    side.synchronize()
    assert doubled.eq(torch.arange(1 << 20, device="cuda") * 2).all()
    wait_until(lambda: operators.held() == 0)


def test_failures_are_exceptions(operators):
    with pytest.raises(RuntimeError, match="takes contiguous tensors"):
        operators.copy_beside(torch.zeros(4, 4).t()[1:])
    assert operators.held() == 0


def test_one_library_serves_python_and_the_extension(operators):
    operators.copy_beside(torch.zeros(1, device="cuda" if ON_GPU else "cpu"))
    files = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "libgpustream.so" in line}
    assert len(files) == 1
