# SPDX-License-Identifier: Apache-2.0
"""Buffers of a GPU, on the fake driver: sent with their contents, and received on a GPU, or on host where there is none."""
import os
import subprocess
import sys

import buffer_work
from distributed import Client, LocalCluster
from gpustream_dask import StreamPlugin
from shared import LIMIT

# Without the ordering checker: the memory of this driver is of the heap, which gives an address to other code without a word to it.
FAKE = {"GPUSTREAM_BACKEND": "cuda", "GPUSTREAM_LIBCUDA": os.environ["GPUSTREAM_TEST_FAKE_CUDA"], "GPUSTREAM_CHECK": ""}


def on_fake_driver(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=LIMIT, env=os.environ | FAKE)
    assert done.stdout == "done\n", done.stdout + done.stderr


def test_as_messages():
    on_fake_driver("""
import gpustream, itertools, math
from distributed.protocol import deserialize, serialize
import gpustream_dask
whole = gpustream.Buffer.from_bytes(bytes(range(256)) * 16)
cases = ("float64", (8, 64)), ("uint8", (4096,)), ("int16", (0, 3))
for pinned, (dtype, shape) in itertools.product((False, True), cases):
    sent = gpustream.Buffer(4096, pinned=pinned).copy_(whole)
    sent = sent[:math.prod(shape) * gpustream.Buffer(8).view(dtype).itemsize].view(dtype, shape)
    header, frames = serialize(sent)
    with gpustream.Stream() as stream:
        found = deserialize(header, [bytes(frame) for frame in frames])
        assert found.stream == stream and found.ptr != sent.ptr
    assert (found.dtype, found.shape, found.readonly, found.device, found.pinned) == (dtype, shape, False, sent.device, pinned)
    assert found.device.type == "cuda" and found.to_bytes() == sent.to_bytes()
print("done")
""")


def test_the_sender_waits_for_the_buffers_stream():
    on_fake_driver("""
import ctypes, gpustream, time
from gpustream_dask import _buffers
with gpustream.Stream() as stream:
    buffer = gpustream.Buffer(64).fill_(1)
address = buffer.ptr
stream.launch_host(lambda: (time.sleep(0.2), ctypes.memset(address, 7, 64)))
_, (contents,) = _buffers.dump(buffer)
assert set(contents) == {7}, contents
print("done")
""")


def test_what_was_awaited_is_sent_although_its_stream_has_other_work():
    on_fake_driver("""
import gpustream, threading
from gpustream_dask import _buffers
with gpustream.Stream() as stream:
    buffer = gpustream.Buffer(64).fill_(7)
stream.synchronize()
opened = threading.Event()
stream.launch_host(opened.wait)
with _buffers.sending_complete():
    _, (contents,) = _buffers.dump(buffer)
assert not stream.query() and set(contents) == {7}
opened.set()
stream.synchronize()
print("done")
""")


def test_workers_with_gpus_and_a_client_without():
    with LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None, silence_logs=50, env=FAKE) as cluster, Client(cluster) as client:
        client.wait_for_workers(2, timeout=LIMIT)
        client.register_plugin(StreamPlugin())
        addresses = list(client.scheduler_info(n_workers=-1)["workers"])
        assert set(client.run(buffer_work.device).values()) == {"cuda"}
        made = client.submit(buffer_work.buffer, 6, workers=addresses[0], pure=False)
        sums = [client.submit(buffer_work.add_buffers, made, made, workers=address, pure=False) for address in addresses]
        found = client.submit(buffer_work.belongs_to_task, sums, workers=addresses[1], pure=False)
        assert [set(each.to_bytes()) for each in client.gather(sums)] == [{12}, {12}]
        assert sums[0].result(timeout=LIMIT).device.type == "host" and found.result(timeout=LIMIT) is True
