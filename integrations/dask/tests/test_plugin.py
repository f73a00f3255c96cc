# SPDX-License-Identifier: Apache-2.0
"""The plugin on real workers: processes of their own with four task threads each."""
import random
import time

import distributed
import gpustream
import pytest
import work
from distributed import wait
from gpustream_dask import StreamPlugin
from shared import LIMIT, names, result


def test_without_the_plugin_a_result_leaves_too_early(plain_client):
    """What the other tests would see if the plugin did nothing."""
    name = next(names)
    try:
        value = result(plain_client.submit(work.fill, 7, name, pure=False))
        assert not value.any()
    finally:
        plain_client.run(work.open_gate, name)


def test_each_task_thread_has_a_stream_of_its_own(client, addresses):
    name = next(names)
    met = client.gather([client.submit(work.meet, name, 4, LIMIT, workers=addresses[0], pure=False) for _ in range(4)])
    assert len({thread for thread, _, _ in met}) == 4
    assert len({stream for _, stream, _ in met}) == 4
    assert not any(is_default for _, _, is_default in met)


def eventually(ask, wanted):
    end = time.monotonic() + LIMIT
    while (found := ask()) != wanted and time.monotonic() < end:
        time.sleep(0.01)
    assert found == wanted


def test_a_task_waits_only_for_what_it_depends_on(client, addresses, gate):
    held = client.submit(work.fill, 1, gate, workers=addresses[0], pure=False)
    wait(held, timeout=LIMIT)  # its function has returned, its work has not begun
    futures = [client.submit(work.meet, (gate, "others"), 4, LIMIT, workers=addresses[0], pure=False) for _ in range(4)]
    wait(futures, timeout=LIMIT)
    keys = [future.key for future in futures]
    # One of them was on the thread of the held task.
    eventually(lambda: client.run(work.complete, keys, workers=[addresses[0]])[addresses[0]], 3)
    client.run(work.open_gate, gate)
    eventually(lambda: client.run(work.complete, keys, workers=[addresses[0]])[addresses[0]], 4)


def test_dependents_on_another_thread_start_after_the_work(client, addresses, gate):
    held = client.submit(work.fill, 5, gate, workers=addresses[0], pure=False)
    sums = [client.submit(work.add, held, held, workers=addresses[0], pure=False) for _ in range(8)]
    wait(sums, timeout=LIMIT)  # submitted while the gate is closed
    client.run(work.open_gate, gate)
    assert all((value == 10).all() for value in client.gather(sums))


def test_a_result_leaves_its_worker_when_it_is_complete(client, addresses, gate):
    held = client.submit(work.fill, 3, gate, workers=addresses[0], pure=False)
    there = client.submit(work.add, held, workers=addresses[1], pure=False)
    with pytest.raises(distributed.TimeoutError):
        there.result(timeout=0.2)
    client.run(work.open_gate, gate)
    assert (result(there) == 3).all()


def test_a_coroutine_sees_complete_results(client, addresses, gate):
    held = client.submit(work.fill, 4, gate, workers=addresses[0], pure=False)
    total = client.submit(work.add_in_loop, held, held, workers=addresses[0], pure=False)
    client.run(work.open_gate, gate)
    assert (result(total) == 8).all()


def test_graphs_of_tasks_on_threads_and_workers(client):
    before = client.run(work.synchronizes)
    chance = random.Random(24)
    expected, futures = [], []
    for number in range(120):
        chosen = chance.sample(range(number), min(number, chance.randrange(4)))
        if chosen:
            expected.append(sum(expected[index] for index in chosen) % 1e9)
            futures.append(client.submit(work.add, *(futures[index] for index in chosen), pure=False))
        else:
            expected.append(float(number))
            futures.append(client.submit(work.fill, number, pure=False))
    values = client.gather(futures)
    for want, value in zip(expected, values, strict=True):
        assert (value == want).all()
    assert client.run(work.synchronizes) == before  # neither a stream nor a device was waited for by a thread


def test_events_go_with_their_results(client):
    futures = [client.submit(work.fill, number, pure=False) for number in range(16)]
    wait(futures, timeout=LIMIT)
    assert sum(client.run(work.events).values()) >= 16
    del futures
    eventually(lambda: sum(client.run(work.events).values()), 0)


def test_work_that_fails_fails_its_result(client, addresses):
    future = client.submit(work.lost_work, workers=addresses[0], pure=False)
    with pytest.raises(gpustream.PeerLostError):
        result(future)
    # The thread whose stream has failed has another one.
    again = [client.submit(work.fill, number, workers=addresses[0], pure=False) for number in range(16)]
    assert [value[0] for value in client.gather(again)] == list(range(16))


def test_a_task_that_raises_leaves_its_work_ordered(client, addresses, gate):
    failed = client.submit(work.fail_after_submitting, gate, workers=addresses[0], pure=False)
    with pytest.raises(ValueError, match="as the test wants it"):
        result(failed)
    client.run(work.open_gate, gate)
    assert (result(client.submit(work.fill, 2, workers=addresses[0], pure=False)) == 2).all()


def test_a_killed_worker_costs_no_result(client, addresses):
    """Its results are computed again, and the plugin is on the worker that takes its place."""
    values = [client.submit(work.fill, number, pure=False) for number in range(8)]
    wait(values, timeout=LIMIT)
    victim = client.submit(work.die, values[0], workers=addresses[0], pure=False, allow_other_workers=False, retries=0)
    sums = [client.submit(work.add, value, values[0], pure=False) for value in values]
    assert [total[0] for total in client.gather(sums)] == list(range(8))
    victim.cancel()
    client.wait_for_workers(2, timeout=LIMIT)


def test_libraries_that_are_led_have_the_tasks_streams(plain_client):
    plain_client.run(work.load_neighbour)
    assert not any(plain_client.gather(plain_client.map(work.neighbours_stream, range(8), pure=False)))
    plain_client.register_plugin(StreamPlugin(libraries=("neighbour",)))
    assert all(plain_client.gather(plain_client.map(work.neighbours_stream, range(8), pure=False)))


def test_a_library_that_is_not_there_is_reported(plain_client):
    with pytest.raises(gpustream.Error):
        plain_client.register_plugin(StreamPlugin(libraries=("torch",)))


def test_an_old_distributed_is_refused(monkeypatch):
    monkeypatch.setattr(distributed, "__version__", "2024.1.0")
    with pytest.raises(RuntimeError, match=r"needs distributed .* not 2024\.1\.0"):
        StreamPlugin().setup(worker=None)
