# SPDX-License-Identifier: Apache-2.0
"""Hand-overs between two processes without Ray's calls: the message goes by a pipe. Prints a line of JSON for each way.

    handover.py [--turns N] [--bytes N] [--seconds S]        as many turns as fit
"""
import argparse
import multiprocessing
import sys
import time
import traceback

import gpustream
from board import LIMIT, Board, Failed
from gpustream_ray import HostTransport, _buffers
from lateness import WAYS, Measured
from stages import Destination, Source, is_wrong, synchronizes


def _item(buffer):
    return _buffers.to_bytes_of_gpu(buffer) if _buffers.is_of_gpu(buffer) else _buffers.to_array(buffer)


class _Sender:
    """The source's process."""

    def __init__(self, board, size):
        self.source = Source(board, size)
        self.transport = HostTransport()
        self.event = gpustream.Event(interprocess=True)
        self.sent = None
        gpustream.set_stream(self.source.stream)

    def opened(self):
        self.event.record(self.source.stream)
        return self.event.ipc_handle()

    def turn(self, turn, way):
        before = synchronizes()
        self.source.submit(turn)
        message = getattr(self, "_" + way)(str(turn))
        return message, synchronizes() - before

    def finish(self):
        self.source.finish()
        if self.sent is not None:
            self.transport.garbage_collect(self.sent, None, [])
            self.sent = None

    def _event(self, name):
        self.event.record(self.source.stream)

    def _gpustream(self, name):
        self.sent = name
        return self.transport.extract_tensor_transport_metadata(name, [_item(self.source.buffer)])

    def _device(self, name):
        gpustream.synchronize()
        return self._gpustream(name)

    def _host(self, name):
        return self.source.buffer.to_bytes()


class _Receiver:
    """The destination's process."""

    def __init__(self, board, handle):
        self.destination = Destination(board)
        self.transport = HostTransport()
        self.event = gpustream.Event.from_ipc_handle(0, handle)
        gpustream.set_stream(self.destination.stream)

    def turn(self, turn, way, message):
        """Returns the synchronises, and whether the contents are wrong."""
        before = synchronizes()
        arrived = getattr(self, "_" + way)(str(turn), message)
        count = synchronizes() - before
        self.destination.go_on(turn)
        return count, arrived is not None and is_wrong(self._bytes(arrived), turn)

    def _event(self, name, message):
        self.destination.stream.wait_event(self.event)

    def _gpustream(self, name, message):
        return self.transport.recv_multiple_tensors(name, message, None)[0]

    _device = _gpustream

    def _host(self, name, message):
        return gpustream.Buffer.from_bytes(message)

    def _bytes(self, arrived):
        self.destination.stream.synchronize()
        return arrived.to_bytes() if isinstance(arrived, gpustream.Buffer) else arrived.tobytes()


def _serve(connection, kind, *arguments):
    stage = kind(*arguments)
    while True:
        try:
            method, given = connection.recv()
        except EOFError:
            return
        try:
            connection.send((True, getattr(stage, method)(*given)))
        except Exception as error:
            traceback.print_exc()
            connection.send((False, f"{type(error).__name__}: {error}"))


class _Stage:
    """A process with a stage."""

    def __init__(self, kind, *arguments):
        context = multiprocessing.get_context("spawn")
        self._here, there = context.Pipe()
        self.process = context.Process(target=_serve, args=(there, kind, *arguments), daemon=True)
        self.process.start()
        there.close()

    def start(self, method, *arguments):
        self._here.send((method, arguments))

    def result(self):
        if not self._here.poll(2 * LIMIT):
            raise Failed("no answer")
        right, value = self._here.recv()
        if not right:
            raise Failed(value)
        return value

    def ask(self, method, *arguments):
        self.start(method, *arguments)
        return self.result()


def measure(ways, turns, size, seconds):
    board = Board.new()
    sender = _Stage(_Sender, board.path, size)
    receiver = _Stage(_Receiver, board.path, sender.ask("opened"))
    found = {way: Measured("handover", way, size) for way in ways}
    turn, end = 0, time.monotonic() + seconds
    for _ in range(turns):
        if time.monotonic() > end:
            break
        for way, measured in found.items():  # in turn, so that all see the same machine
            if measured.error:
                continue
            turn += 1
            try:
                _turn(board, sender, receiver, turn, measured)
            except (Failed, EOFError, OSError) as error:
                measured.error = str(error) or type(error).__name__
                board["go"] = turn
                for stage in sender, receiver:
                    stage.process.kill()
                sender = _Stage(_Sender, board.path, size)
                receiver = _Stage(_Receiver, board.path, sender.ask("opened"))
    board.remove()
    return list(found.values())


def _turn(board, sender, receiver, turn, measured):
    sender.start("turn", turn, measured.way)
    if not measured.is_held():
        board.wait("submitted", turn)
        measured.release(board, turn)
    message, there = sender.result()
    receiver.start("turn", turn, measured.way, message)
    if measured.is_held():
        board.wait("armed", turn)
        measured.release(board, turn)
    here, wrong = receiver.result()
    sender.ask("finish")
    measured.add(board, there, here, wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--bytes", type=int, default=4096)
    parser.add_argument("--seconds", type=float, default=60)
    arguments = parser.parse_args()
    found = measure(WAYS, arguments.turns, arguments.bytes, arguments.seconds)
    for measured in found:
        print(measured.line(), flush=True)
    return int(any(measured.error for measured in found))


if __name__ == "__main__":
    sys.exit(main())
