# SPDX-License-Identifier: Apache-2.0
"""Tensors that are resized or get another storage, and memory that several threads use."""
import threading

import pytest
import torch
from gpustream_torch import _C

DEVICE = "gpustream"
LONG = 200_000_000  # ns


def bytes_of(tensor):
    return tensor.untyped_storage().nbytes()


def test_resizing_counts_the_offset():
    tensor = torch.arange(10, device=DEVICE)[5:]
    tensor.resize_(10)
    assert bytes_of(tensor) >= 15 * 8 and tensor.storage_offset() == 5
    tensor[5:] = 7
    assert tensor.tolist() == [5, 6, 7, 8, 9, 7, 7, 7, 7, 7]


@pytest.mark.parametrize("size", [(3, 2), (2, 3), (6,), (0,), (4, 4), ()])
def test_resizing_is_as_on_the_cpu(size):
    there, here = (torch.arange(6, device=device).view(2, 3).t() for device in (DEVICE, "cpu"))
    there.resize_(size)
    here.resize_(size)
    assert there.shape == here.shape and there.stride() == here.stride()
    if here.numel() <= 6:
        assert torch.equal(there.cpu(), here)


def test_resizing_with_a_format():
    tensor = torch.empty(1, device=DEVICE).resize_((2, 3, 4, 4), memory_format=torch.channels_last)
    assert tensor.is_contiguous(memory_format=torch.channels_last) and bytes_of(tensor) >= 2 * 3 * 16 * 4


def test_resizing_on_another_stream_keeps_the_old_memory_until_then():
    owner, other = torch.Stream(DEVICE), torch.Stream(DEVICE)
    with owner:
        tensor = torch.full((1000,), 3, dtype=torch.uint8, device=DEVICE)
        owner.synchronize()
        with other:
            torch.gpustream._sleep(LONG)
            tensor.resize_(5000)
        new = [torch.full((1000,), 9, dtype=torch.uint8, device=DEVICE) for _ in range(4)]
    other.synchronize()
    with other:
        assert set(tensor[:1000].tolist()) == {3}
    del new


def test_setting_a_storage_makes_it_large_enough():
    source = torch.arange(4, device=DEVICE)
    tensor = torch.empty(0, dtype=torch.int64, device=DEVICE)
    tensor.set_(source.untyped_storage(), 2, (8,), (1,))
    assert bytes_of(tensor) >= 10 * 8 and tensor.data_ptr() == source.data_ptr() + 16
    tensor[2:] = 1
    assert tensor.tolist() == [2, 3, 1, 1, 1, 1, 1, 1] and source.tolist() == [0, 1, 2, 3]
    tensor.set_(source.untyped_storage(), 0, (2, 3), (4, 1))
    assert bytes_of(tensor) == 10 * 8 and tensor[0].tolist() == [0, 1, 2]
    tensor.set_(source.untyped_storage(), 1, (2, 2))  # without strides
    assert tensor.stride() == (2, 1) and tensor[0].tolist() == [1, 2]


def test_setting_a_storage_refuses_what_the_cpu_refuses():
    tensor = torch.arange(4, device=DEVICE)
    for wrong in ((tensor.untyped_storage(), -1, (2,), (1,)), (tensor.untyped_storage(), 0, (2, 2), (1,)),
                  (torch.arange(4).untyped_storage(), 0, (4,), (1,)), (tensor.untyped_storage(), 9, (4,), (1,))):
        with pytest.raises(RuntimeError):
            tensor.set_(*wrong)


def test_streams_that_threads_record_at_once():
    """Each of them is waited for once when the memory goes."""
    streams, owner = [torch.Stream(DEVICE) for _ in range(31)], torch.Stream(DEVICE)  # the whole pool
    with owner:
        tensors = [torch.ones(16, dtype=torch.uint8, device=DEVICE) for _ in range(100)]
    torch.accelerator.synchronize()
    begin = threading.Barrier(4)

    def record():
        for tensor in tensors:
            begin.wait()
            for stream in streams:
                tensor.record_stream(stream)

    threads = [threading.Thread(target=record) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    while tensors:
        before = _C.stats()["waits"]
        tensors.pop()
        assert _C.stats()["waits"] - before == 31
