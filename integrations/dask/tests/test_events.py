# SPDX-License-Identifier: Apache-2.0
"""Interprocess events as messages of Dask."""
import gpustream
import gpustream_dask  # noqa: F401  registers the messages
import pytest
import work
from distributed import wait
from distributed.protocol import deserialize, serialize

LIMIT = 90


def test_an_event_orders_streams_of_two_workers(client):
    one, other = sorted(client.scheduler_info(n_workers=-1)["workers"])
    event = client.submit(work.share, "shared", workers=one, pure=False)
    array = client.submit(work.after, event, 9, workers=other, pure=False)
    wait(array, timeout=LIMIT)  # so the event is there, and its gate closed
    assert not client.run(work.complete, [array.key], workers=[other])[other]
    client.run(work.open_gate, "shared")
    assert (array.result(timeout=LIMIT) == 9).all()


def test_an_event_that_comes_back_is_the_one_that_was_sent():
    event = gpustream.Event(interprocess=True)
    assert deserialize(*serialize(event)) is event


def test_only_interprocess_events_are_sent():
    from gpustream_dask import _serialize

    with pytest.raises(gpustream.InvalidArgumentError):
        _serialize.dump(gpustream.Event())


@pytest.mark.parametrize(("header", "frames"), [({"version": 2, "device": 0}, [b""]), ({}, [b""]), ({"version": 1, "device": 0}, [])])
def test_other_messages_are_refused(header, frames):
    from gpustream_dask import _serialize

    with pytest.raises(gpustream.InvalidArgumentError, match="reads version 1"):
        _serialize.load(header, frames)


def test_an_event_of_a_process_that_is_gone():
    import subprocess
    import sys

    from gpustream_dask import _serialize

    script = "import gpustream, sys; sys.stdout.buffer.write(gpustream.Event(interprocess=True).ipc_handle())"
    handle = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True).stdout
    with pytest.raises(gpustream.PeerLostError):
        _serialize.load({"version": 1, "device": 0}, [handle])


def test_rubbish_is_refused():
    from gpustream_dask import _serialize

    with pytest.raises(gpustream.InvalidArgumentError):
        _serialize.load({"version": 1, "device": 0}, [bytes(64)])
