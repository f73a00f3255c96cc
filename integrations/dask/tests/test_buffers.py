# SPDX-License-Identifier: Apache-2.0
"""Buffers as arguments and results of tasks, on workers of their own with four threads each."""
import buffer_work
import distributed
import gpustream
import pytest
import work
from distributed import wait
from shared import LIMIT, result


def test_a_buffer_leaves_its_worker_when_it_is_complete(client, addresses, gate):
    before = client.run(work.synchronizes)
    held = client.submit(buffer_work.buffer, 3, gate, workers=addresses[0], pure=False)
    there = client.submit(buffer_work.add_buffers, held, workers=addresses[1], pure=False)
    with pytest.raises(distributed.TimeoutError):
        there.result(timeout=0.2)
    client.run(work.open_gate, gate)
    found = result(there)
    assert (found.dtype, found.shape, found.readonly, set(found.to_bytes())) == ("uint8", (64, 64), False, {3})
    assert client.run(work.synchronizes) == before  # no thread waited for a stream or a device


def test_a_buffer_leaves_although_its_threads_stream_has_other_work(client, addresses, gate):
    """Only the event of its task is waited for."""
    ready = client.submit(buffer_work.buffer, 5, workers=addresses[0], pure=False)
    assert set(result(ready).to_bytes()) == {5}
    others = [client.submit(buffer_work.hold_and_meet, gate, 4, LIMIT, workers=addresses[0], pure=False) for _ in range(4)]
    wait(others, timeout=LIMIT)  # on each thread of the worker, its stream is held
    assert set(result(client.submit(buffer_work.add_buffers, ready, workers=addresses[1], pure=False)).to_bytes()) == {5}


def test_work_in_another_stream_of_the_buffers_own(client, addresses, gate):
    held = client.submit(buffer_work.buffer_of_own_stream, 7, gate, workers=addresses[0], pure=False)
    sums = [client.submit(buffer_work.add_buffers, held, held, workers=address, pure=False) for address in addresses]
    with pytest.raises(distributed.TimeoutError):
        held.result(timeout=0.2)
    client.run(work.open_gate, gate)
    assert [set(result(each).to_bytes()) for each in [held, *sums]] == [{7}, {14}, {14}]


def test_tasks_get_buffers_of_their_own_stream(client, addresses):
    made = [client.submit(buffer_work.buffer, number, pure=False) for number in range(8)]
    found = [client.submit(buffer_work.belongs_to_task, {"one": made, "two": (made[0], 1)}, workers=address, pure=False)
             for address in addresses for _ in range(4)]
    assert all(client.gather(found))


def test_memory_stays_until_its_readers_are_done(client, addresses, gate):
    """The result is released while another thread's stream still has to read it."""
    made = client.submit(buffer_work.buffer, 9, workers=addresses[0], pure=False)
    wait(made, timeout=LIMIT)
    readers = [client.submit(buffer_work.copy_behind, made, gate, workers=addresses[0], pure=False) for _ in range(8)]
    wait(readers, timeout=LIMIT)
    key = made.key
    del made
    work.eventually(lambda: client.run(buffer_work.has, key, workers=[addresses[0]])[addresses[0]], False)
    wait([client.submit(buffer_work.buffer, 1, workers=addresses[0], pure=False) for _ in range(16)], timeout=LIMIT)  # may take its memory
    client.run(work.open_gate, gate)
    assert [set(each.to_bytes()) for each in client.gather(readers)] == [{9}] * 8


def test_graphs_of_buffers_on_threads_and_workers(client):
    before = client.run(work.synchronizes)
    expected, futures = [], []
    for number in range(80):
        chosen = sorted({number * 7 % 11, number * 5 % 13, number * 3 % 17} & set(range(number)))
        expected.append(sum(expected[index] for index in chosen) % 256 if chosen else number)
        futures.append(client.submit(buffer_work.add_buffers, *(futures[index] for index in chosen), pure=False) if chosen
                       else client.submit(buffer_work.buffer, number, pure=False))
    assert [set(each.to_bytes()) for each in client.gather(futures)] == [{value} for value in expected]
    assert client.run(work.synchronizes) == before


def test_buffers_of_the_client(client):
    """Sent as arguments and scattered: their stream's work is done before."""
    stream = gpustream.Stream()
    with stream:
        gpustream._sleep(20_000_000)
        mine = gpustream.Buffer(4096).fill_(6).view("uint8", (64, 64))
    there = client.scatter(mine, broadcast=True)
    assert set(result(client.submit(buffer_work.add_buffers, there, mine, pure=False)).to_bytes()) == {12}
    assert result(client.submit(buffer_work.belongs_to_task, there, pure=False)) is True


def test_buffers_in_objects_of_other_classes(client, addresses):
    made = client.submit(buffer_work.boxed, 4, workers=addresses[0], pure=False)
    there = client.submit(buffer_work.unbox, made, workers=addresses[1], pure=False)
    assert set(result(there).to_bytes()) == {4}


def test_a_coroutine_returns_a_buffer(client, addresses, gate):
    held = client.submit(buffer_work.buffer_in_loop, 8, gate, workers=addresses[0], pure=False)
    there = client.submit(buffer_work.add_buffers, held, workers=addresses[1], pure=False)
    client.run(work.open_gate, gate)
    assert set(result(there).to_bytes()) == {8}


def test_a_buffer_that_a_task_puts_in_the_workers_memory(client, addresses, gate):
    """It has no task whose event could be awaited."""
    key = result(client.submit(buffer_work.put, 6, gate, workers=addresses[0], pure=False))
    there = client.submit(buffer_work.add_buffers, distributed.Future(key, client), workers=addresses[1], pure=False)
    with pytest.raises(distributed.TimeoutError):
        there.result(timeout=0.2)
    client.run(work.open_gate, gate)
    assert set(result(there).to_bytes()) == {6}


def test_a_buffer_whose_work_fails(client, addresses):
    lost = client.submit(buffer_work.lost_buffer, workers=addresses[0], pure=False)
    with pytest.raises(gpustream.PeerLostError):
        result(lost)
    with pytest.raises(gpustream.PeerLostError):
        result(client.submit(buffer_work.add_buffers, lost, workers=addresses[1], pure=False))


def test_a_closed_buffer_is_refused(client, addresses):
    closed = client.submit(buffer_work.closed_buffer, workers=addresses[0], pure=False)
    with pytest.raises(gpustream.InvalidHandleError, match="was closed cannot be sent"):
        result(closed)
    with pytest.raises(gpustream.InvalidHandleError, match="was closed cannot be sent"):
        result(client.submit(buffer_work.add_buffers, closed, workers=addresses[1], pure=False))


def test_buffers_on_disk_are_complete(client, addresses):
    made = client.submit(buffer_work.buffer, 2, workers=addresses[0], pure=False)
    wait(made, timeout=LIMIT)
    assert client.run(buffer_work.evict, made.key, workers=[addresses[0]])[addresses[0]] is True
    assert set(result(client.submit(buffer_work.add_buffers, made, workers=addresses[1], pure=False)).to_bytes()) == {2}


def test_without_the_plugin_the_sender_waits(plain_client):
    """A thread of the worker, since nothing else would."""
    before = sum(plain_client.run(work.synchronizes).values())
    assert set(result(plain_client.submit(buffer_work.buffer_after_sleep, 7, pure=False)).to_bytes()) == {7}
    assert sum(plain_client.run(work.synchronizes).values()) > before
