# SPDX-License-Identifier: Apache-2.0
"""Killed workers, lost and repeated messages, unfetched results: the right result or a typed error, and nothing left."""
import os
import signal

import buffer_work
import gpustream
import pytest
import work
from distributed import Client, LocalCluster, wait
from distributed.protocol import deserialize, serialize
from distributed.worker import get_data_from_worker
from gpustream_dask import StreamPlugin
from shared import LIMIT, names, result


def shared_files():
    return {name for name in os.listdir(os.environ["GPUSTREAM_SHM_DIR"]) if name.startswith("gpustream")}


def kill(client, address):
    os.kill(client.run(os.getpid, workers=[address])[address], signal.SIGKILL)


def test_killed_sources(client, rounds):
    """Buffers are computed again; what the processes shared by events and tokens goes with them."""
    most = 0
    for number in range(rounds):
        client.wait_for_workers(2, timeout=LIMIT)
        victim, other = sorted(client.scheduler_info(n_workers=-1)["workers"])
        name = next(names)
        held = client.submit(buffer_work.share_and_hold, name, number, workers=victim, pure=False)
        made = [client.submit(buffer_work.buffer, value, workers=[victim, other], pure=False) for value in range(8)]
        wait([held, *made], timeout=LIMIT)
        event = client.submit(work.share, name, workers=victim, pure=False)
        # In the stream of the thread, the buffers that are computed again there before the loss is known would fail with it.
        waiting = client.submit(buffer_work.buffer_after, event, 1, workers=other, pure=False)
        wait(waiting, timeout=LIMIT)  # a stream of the other worker waits for the victim's event
        kill(client, victim)
        with pytest.raises(gpustream.PeerLostError):
            result(waiting)
        assert [set(result(client.submit(buffer_work.add_buffers, each, each, pure=False)).to_bytes()) for each in made] == [
            {2 * value} for value in range(8)]
        for future in [held, waiting, *made]:
            future.cancel()
        most = max(most, len(shared_files()))
    client.wait_for_workers(2, timeout=LIMIT)
    assert most <= 12, "files of killed workers are not removed"


def test_killed_destinations(client, rounds):
    """In the middle of a hand-over, while the source's work is pending. The result comes, and the source does not keep its answer."""
    source = sorted(client.scheduler_info(n_workers=-1)["workers"])[0]
    _, before = client.run(buffer_work.sending, workers=[source])[source]
    for number in range(rounds):
        client.wait_for_workers(2, timeout=LIMIT)
        (victim,) = set(client.scheduler_info(n_workers=-1)["workers"]) - {source}
        name = next(names)
        held = client.submit(buffer_work.buffer, number, name, workers=source, pure=False)
        there = client.submit(buffer_work.add_buffers, held, held, workers=victim, allow_other_workers=True, pure=False)
        wait(held, timeout=LIMIT)
        work.eventually(lambda: client.run(buffer_work.is_fetching, held.key, workers=[victim])[victim], True)  # noqa: B023
        kill(client, victim)
        client.run(work.open_gate, name, workers=[source])
        assert set(result(there).to_bytes()) == {2 * number}
        held.release()
        there.release()
        work.eventually(lambda: client.run(buffer_work.sending, workers=[source])[source] <= (0, before), True)
    client.wait_for_workers(2, timeout=LIMIT)


def test_ten_thousand_with_memory_used_again(client, addresses):
    """Of each list that has been handed over the next ones take the memory, and write to it at once."""
    source, destination = addresses
    _, before = client.run(buffer_work.sending, workers=[source])[source]
    synchronizes = client.run(work.synchronizes)
    wrong = []
    for first in range(0, 10_000, 250):
        made = client.submit(buffer_work.numbered, first, 250, workers=source, pure=False)
        wrong.append(client.submit(buffer_work.count_wrong, made, first, workers=destination, pure=False))
        del made  # so it goes as soon as it has been read
        if len(wrong) > 4:
            wait(wrong[-4], timeout=LIMIT)
    assert sum(client.gather(wrong)) == 0
    assert client.run(work.synchronizes) == synchronizes  # no thread waited for a stream or a device
    assert client.run(buffer_work.used, workers=[source])[source] <= 5000, "memory is not used again"
    work.eventually(lambda: client.run(buffer_work.sending, workers=[source])[source] <= (0, before), True)


def test_results_that_are_never_fetched(client, addresses, gate):
    before, files = client.run(buffer_work.sending), shared_files()
    futures = [client.submit(buffer_work.buffer, number, gate, pure=False) for number in range(64)]
    futures += [client.submit(buffer_work.share_and_hold, gate, 1, pure=False) for _ in range(64)]
    wait(futures, timeout=LIMIT)
    assert sum(used for _, used in client.run(buffer_work.sending).values()) >= 128 * work.ITEMS
    del futures  # while their work is pending
    work.eventually(lambda: sum(client.run(work.events).values()), 0)
    client.run(work.open_gate, gate)
    work.eventually(lambda: client.run(buffer_work.sending), before)
    assert len(shared_files()) <= len(files) + 6, "a file of each process has room for 128 events, and one for 123 tokens"


@pytest.mark.parametrize("point", ["question", "answer"])
def test_a_message_that_is_lost(client, addresses, point):
    """Dask's connection ends, and it asks again, or has the result computed again."""
    made = client.submit(buffer_work.buffer, 6, workers=addresses[0], pure=False)
    wait(made, timeout=LIMIT)
    client.run(buffer_work.drop, point, 2, workers=[addresses[0]])
    there = client.submit(buffer_work.add_buffers, made, made, workers=addresses[1], pure=False)
    assert set(result(there).to_bytes()) == {12}
    assert set(result(made).to_bytes()) == {6}
    work.eventually(lambda: client.run(buffer_work.dropped, point, workers=[addresses[0]])[addresses[0]] < 2, True)
    client.run(buffer_work.drop, point, 0, workers=[addresses[0]])
    work.eventually(lambda: client.run(buffer_work.sending, workers=[addresses[0]])[addresses[0]][0], 0)


def test_a_request_that_comes_twice(client, addresses):
    made = client.submit(buffer_work.buffer, 6, workers=addresses[0], pure=False)
    wait(made, timeout=LIMIT)
    found = [client.sync(get_data_from_worker, client.rpc, keys=[made.key], worker=addresses[0])["data"][made.key] for _ in range(2)]
    found[0].fill_(1)
    assert [set(each.to_bytes()) for each in found] == [{1}, {6}]


def test_an_event_that_comes_twice(client, addresses, gate):
    shared = client.submit(work.share, gate, workers=addresses[0], pure=False)  # kept, as its process must keep the event
    event = result(shared)
    header, frames = serialize(event)  # this process is not the one that made it
    again = [client.submit(work.after, event, value, workers=addresses[1], pure=False) for value in (1, 2)]
    wait(again, timeout=LIMIT)
    assert not client.run(work.complete, [each.key for each in again], workers=[addresses[1]])[addresses[1]]
    client.run(work.open_gate, gate, workers=[addresses[0]])
    assert [each[0] for each in client.gather(again)] == [1, 2]
    assert deserialize(header, frames) is event  # opened once


def test_an_event_that_comes_too_late(client, addresses, gate):
    """Its process has dropped it before the work was done: a typed error instead of an order that is never kept."""
    from gpustream_dask import _serialize

    event = client.submit(work.share, gate, workers=addresses[0], pure=False)
    handle = result(client.submit(buffer_work.handle_of, event, workers=addresses[0], pure=False))
    event.release()
    work.eventually(lambda: sum(client.run(work.events).values()), 0)
    with pytest.raises(gpustream.PeerLostError):
        _serialize.load({"version": 1, "device": 0}, [handle])


def test_a_token_orders_streams_of_two_workers(client, addresses, gate):
    """It pickles, so Dask's own messages carry it."""
    token = client.submit(buffer_work.token_behind, gate, workers=addresses[0], pure=False)
    arrays = [client.submit(buffer_work.after_token, token, value, workers=addresses[1], pure=False) for value in (3, 4)]
    wait(arrays, timeout=LIMIT)
    assert not client.run(work.complete, [each.key for each in arrays], workers=[addresses[1]])[addresses[1]]
    client.run(work.open_gate, gate, workers=[addresses[0]])
    assert [each[0] for each in client.gather(arrays)] == [3, 4]


def test_a_message_that_a_worker_cannot_read(client, addresses):
    """Of another version of this package: the task that needs it fails, and its worker goes on."""
    client.run(buffer_work.send_version, 2, workers=[addresses[0]])
    try:
        made = client.submit(buffer_work.buffer, 6, workers=addresses[0], pure=False)
        there = client.submit(buffer_work.add_buffers, made, workers=addresses[1], pure=False)
        for future in there, made:
            with pytest.raises(gpustream.InvalidArgumentError, match="version 2 .* reads version 1"):
                result(future)
    finally:
        client.run(buffer_work.send_version, 1, workers=[addresses[0]])


def test_an_argument_that_a_worker_cannot_read(client, addresses):
    """It is a part of what the scheduler sends. The task fails, and the worker stays, with what it holds."""
    victim, other = addresses
    event = result(client.submit(work.share, next(names), workers=victim, pure=False))
    held = client.submit(buffer_work.buffer, 3, workers=other, pure=False)
    wait(held, timeout=LIMIT)
    process = client.run(os.getpid, workers=[other])[other]
    kill(client, victim)
    work.eventually(lambda: victim in client.scheduler_info(n_workers=-1)["workers"], False)
    for arguments in (event,), ([event, 1],), ({"one": (event,)},):
        with pytest.raises(gpustream.PeerLostError):
            result(client.submit(work.ignore, *arguments, workers=other, pure=False))
    with pytest.raises(gpustream.PeerLostError):
        result(client.submit(work.ignore, named=event, workers=other, pure=False))
    assert set(result(held).to_bytes()) == {3}
    assert client.run(os.getpid, workers=[other]) == {other: process}
    client.wait_for_workers(2, timeout=LIMIT)


def test_failures_in_workers_of_the_clients_process():
    """Their messages are handed over as objects, and are read all the same."""
    with LocalCluster(n_workers=2, threads_per_worker=2, processes=False, dashboard_address=None) as cluster, Client(cluster) as client:
        client.register_plugin(StreamPlugin())
        lost = client.submit(work.lost_work, pure=False)
        with pytest.raises(gpustream.PeerLostError):
            result(lost)
        for address in client.scheduler_info(n_workers=-1)["workers"]:
            with pytest.raises(gpustream.PeerLostError):
                result(client.submit(work.ignore, lost, workers=address, pure=False))


def test_failures_for_a_client_beside_a_worker_with_a_connection():
    """Both read the same messages in one process: the worker keeps a failure as a value, the client raises it."""
    with (LocalCluster(n_workers=2, threads_per_worker=2, processes=False, protocol="tcp", dashboard_address=":0") as cluster,
          Client(cluster) as client):
        client.register_plugin(StreamPlugin())
        lost = client.submit(work.lost_work, pure=False)
        for direct in None, True, False:
            with pytest.raises(gpustream.PeerLostError):
                client.gather(lost, direct=direct)
        with pytest.raises(gpustream.PeerLostError):
            result(lost)
        for address in client.scheduler_info(n_workers=-1)["workers"]:
            with pytest.raises(gpustream.PeerLostError):
                result(client.submit(work.ignore, lost, workers=address, pure=False))
        assert set(result(client.submit(buffer_work.buffer, 3, pure=False)).to_bytes()) == {3}
