# SPDX-License-Identifier: Apache-2.0
"""One event in two processes: the child makes its stream wait for work of the parent's."""
import multiprocessing
from multiprocessing.connection import Connection

import gpustream


def child(connection: Connection) -> None:
    event = gpustream.Event.from_ipc_handle(0, connection.recv_bytes())
    stream = gpustream.Stream()
    stream.wait_event(event)  # neither process waits here, the device does
    connection.send(event.query())
    stream.synchronize()
    connection.send(event.query())
    connection.recv_bytes()  # the parent keeps its event until now


def main() -> None:
    spawn = multiprocessing.get_context("spawn")  # a forked child could not use the device
    here, there = spawn.Pipe()
    process = spawn.Process(target=child, args=(there,))
    process.start()

    event = gpustream.Event(interprocess=True)
    stream = gpustream.Stream(0)
    with stream:
        gpustream._sleep(100_000_000)
    event.record(stream)
    here.send_bytes(event.ipc_handle())

    print("the child saw it done before it waited:", here.recv())
    after = here.recv()
    print("and after:", after)
    here.send_bytes(b"end")
    process.join()
    assert after and process.exitcode == 0


if __name__ == "__main__":
    main()
