# SPDX-License-Identifier: Apache-2.0
"""PyTorch, CuPy and tvm-ffi on a real GPU: all see the stream that is current in gpustream, and the reverse when it follows.

    GPUSTREAM_BACKEND=cuda python -m pytest -rs tests/test_gpu_bridges.py
"""

import gpustream
import pytest
from gpustream import interop
from support.real_gpu import LONG, MARKS, SIZE, package, read, torch_writes_late

pytestmark = MARKS


@pytest.fixture
def torch():
    module = package("torch")
    module.cuda.init()
    try:
        interop.lead("torch").end()
    except gpustream.Error as error:
        pytest.skip(f"torch {module.__version__} cannot be led: {error}")
    return module


@pytest.fixture
def cupy():
    module = package("cupy")
    yield module
    try:
        interop.unregister_bridge("cupy")
    except gpustream.InvalidArgumentError:
        pass  # not asked for


def test_torch_is_led(torch):
    ours, other = gpustream.Stream(), gpustream.Stream()
    before = torch.cuda.current_stream()
    with interop.lead("torch"):
        with ours:
            assert torch.cuda.current_stream().cuda_stream == ours.cuda_stream
            with other:
                assert torch.cuda.current_stream().cuda_stream == other.cuda_stream
            assert torch.cuda.current_stream().cuda_stream == ours.cuda_stream
        assert torch.cuda.current_stream().cuda_stream == before.cuda_stream
        with pytest.raises(KeyError), ours:
            raise KeyError
        assert torch.cuda.current_stream().cuda_stream == before.cuda_stream


def test_torchs_work_runs_in_our_stream(torch):
    ours, consumer = gpustream.Stream(), gpustream.Stream()
    with interop.lead("torch"), ours:
        tensor = torch_writes_late(torch, ours)
        assert ours.query() is False
    consumer.wait_stream(ours)
    assert read(tensor.data_ptr(), consumer) == {7}


def test_torch_is_followed(torch):
    theirs = torch.cuda.Stream()
    with interop.follow("torch"):
        with torch.cuda.stream(theirs):
            assert gpustream.current_raw_stream() == gpustream.current_stream().cuda_stream == theirs.cuda_stream
            torch.cuda._sleep(LONG)
            event = gpustream.Event()
            event.record()
            assert event.query() is False
            event.synchronize()
        assert gpustream.current_raw_stream() == torch.cuda.current_stream().cuda_stream


@pytest.mark.skipif(gpustream.Device("cuda").type != "cuda" or gpustream.device_count() < 2, reason="no GPU, or only one")
def test_blocks_across_two_devices(torch):
    one, two = gpustream.Stream(0), gpustream.Stream(1)
    with interop.lead("torch"), one:
        with two:
            assert torch.cuda.current_device() == 1 and torch.cuda.current_stream().cuda_stream == two.cuda_stream
        assert torch.cuda.current_device() == 0 and torch.cuda.current_stream(0).cuda_stream == one.cuda_stream


def test_cupy_is_led_and_followed(cupy):
    ours, theirs = gpustream.Stream(), cupy.cuda.Stream(non_blocking=True)
    warm = cupy.zeros(4, dtype=cupy.uint8)
    warm += 7  # loads the kernel, which waits for the device
    with interop.lead("cupy"):
        with theirs:
            with ours:
                assert cupy.cuda.get_current_stream().ptr == ours.cuda_stream
                array = cupy.zeros(SIZE, dtype=cupy.uint8)
                gpustream._sleep(LONG)
                array += 7
                assert ours.query() is False
            assert cupy.cuda.get_current_stream() is theirs or cupy.cuda.get_current_stream().ptr == theirs.ptr
        assert cupy.cuda.get_current_stream().ptr == cupy.cuda.Stream.null.ptr
    assert read(array.data.ptr, ours) == {7}
    with interop.follow("cupy"), theirs:
        assert gpustream.current_raw_stream() == theirs.ptr


def test_all_at_once(torch, cupy):
    tvm_ffi = package("tvm_ffi")
    ours = gpustream.Stream()
    with interop.lead("torch", "cupy", "tvm_ffi"), ours:
        assert torch.cuda.current_stream().cuda_stream == cupy.cuda.get_current_stream().ptr == ours.cuda_stream
        assert tvm_ffi.core._env_get_current_stream(2, 0) == ours.cuda_stream
    assert torch.cuda.current_stream().cuda_stream == 0 and cupy.cuda.get_current_stream().ptr == 0
