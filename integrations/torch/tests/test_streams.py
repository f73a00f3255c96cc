# SPDX-License-Identifier: Apache-2.0
"""torch.Stream, torch.Event and torch.accelerator on gpustream's host backend."""
import threading

import pytest
import torch

DEVICE = "gpustream"
LONG = 200_000_000  # ns


@pytest.fixture(autouse=True)
def as_found():
    yield
    for index in range(torch.accelerator.device_count()):
        torch.accelerator.set_device_index(index)
        torch.accelerator.set_stream(torch.Stream(stream_id=0, device_index=index, device_type=20))
    torch.accelerator.set_device_index(0)
    torch.accelerator.synchronize()


def test_the_accelerator_is_ours():
    assert torch.accelerator.is_available() and torch.accelerator.current_accelerator().type == DEVICE
    assert torch.accelerator.device_count() == 2


def test_streams_are_distinct_and_compare():
    streams = [torch.Stream(DEVICE) for _ in range(8)]
    assert len({stream.stream_id for stream in streams}) == 8
    one = streams[0]
    same = torch.Stream(stream_id=one.stream_id, device_index=one.device_index, device_type=one.device_type)
    assert one == same and hash(one) == hash(same) and one != streams[1]
    assert torch.Stream(f"{DEVICE}:1").device.index == 1


def test_queries_see_pending_work():
    stream = torch.Stream(DEVICE)
    with stream:
        torch.gpustream._sleep(LONG)
        event = stream.record_event()
        assert stream.query() is False and event.query() is False
    event.synchronize()
    assert stream.query() is True and event.query() is True


def test_waits_order_streams():
    producer, consumer = torch.Stream(DEVICE), torch.Stream(DEVICE)
    with producer:
        torch.gpustream._sleep(LONG)
    consumer.wait_stream(producer)
    assert consumer.query() is False
    consumer.synchronize()
    assert producer.query() is True
    event = torch.Event(DEVICE)
    with producer:
        torch.gpustream._sleep(LONG)
        event.record()
    event.wait(consumer)
    assert consumer.query() is False
    torch.accelerator.synchronize()


def test_copies_are_in_stream_order():
    """The control shows that without the wait the old value would be read."""
    for waits, expected in ((False, 1), (True, 7)):
        producer, consumer = torch.Stream(DEVICE), torch.Stream(DEVICE)
        source = torch.full((1024,), 7, dtype=torch.uint8).pin_memory()
        result = torch.zeros(1024, dtype=torch.uint8).pin_memory()
        data = torch.ones(1024, dtype=torch.uint8, device=DEVICE)
        torch.accelerator.synchronize()
        with producer:
            torch.gpustream._sleep(LONG)
            data.copy_(source, non_blocking=True)
        if waits:
            consumer.wait_stream(producer)
        with consumer:
            result.copy_(data, non_blocking=True)
        consumer.synchronize()
        assert set(result.tolist()) == {expected}
        torch.accelerator.synchronize()


def test_current_streams_and_devices():
    before = torch.accelerator.current_stream()
    far = torch.Stream(f"{DEVICE}:1")
    with far:
        assert torch.accelerator.current_stream() == far and torch.accelerator.current_device_index() == 1
        assert torch.accelerator.current_stream(0) == before
    assert torch.accelerator.current_stream() == before and torch.accelerator.current_device_index() == 0
    seen = []
    stream = torch.Stream(DEVICE)
    with stream:
        thread = threading.Thread(target=lambda: seen.append(torch.accelerator.current_stream() == stream))
        thread.start()
        thread.join()
    assert seen == [False], "of each thread its own"


def test_elapsed_time():
    start, end, untimed = torch.Event(DEVICE, enable_timing=True), torch.Event(DEVICE, enable_timing=True), torch.Event(DEVICE)
    stream = torch.Stream(DEVICE)
    with pytest.raises(ValueError, match="recorded"):
        start.elapsed_time(end)
    with stream:
        start.record()
        torch.gpustream._sleep(20_000_000)
        end.record()
    end.synchronize()
    assert start.elapsed_time(end) >= 20
    with pytest.raises(ValueError, match="enable_timing"):
        untimed.elapsed_time(end)


def test_an_event_stays_on_its_device():
    event = torch.Event(DEVICE)
    event.record(torch.Stream(f"{DEVICE}:0"))
    with pytest.raises(RuntimeError, match="does not match"):
        event.record(torch.Stream(f"{DEVICE}:1"))
    torch.Stream(f"{DEVICE}:1").wait_event(event)


def test_memory_waits_for_streams_that_use_it():
    owner, user = torch.Stream(DEVICE), torch.Stream(DEVICE)
    with owner:
        data = torch.ones(1024, dtype=torch.uint8, device=DEVICE)
    user.wait_stream(owner)
    result = torch.zeros(1024, dtype=torch.uint8).pin_memory()
    with user:
        torch.gpustream._sleep(LONG)
        result.copy_(data, non_blocking=True)
    data.record_stream(user)
    del data
    assert owner.query() is False, "its memory is freed after the other stream's work"
    user.synchronize()
    assert set(result.tolist()) == {1}


def test_tensors_compute():
    a, b = torch.randn(100), torch.randn(100)
    assert torch.equal((a.to(DEVICE) + b.to(DEVICE)).cpu(), a + b)
    assert torch.equal(a.to(DEVICE).view(10, 10).t().contiguous().cpu(), a.view(10, 10).t())
    assert a.to(DEVICE).to(f"{DEVICE}:1").device.index == 1
    assert a.to(DEVICE).sum().item() == pytest.approx(a.sum().item())


def test_wrong_devices():
    with pytest.raises(RuntimeError):
        torch.Stream(f"{DEVICE}:9")
    with pytest.raises(RuntimeError):
        torch.accelerator.set_device_index(9)
