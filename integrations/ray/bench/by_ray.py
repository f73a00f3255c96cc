# SPDX-License-Identifier: Apache-2.0
"""Hand-overs between two actors on one GPU, by Ray itself. Prints a line of JSON for each way.

    by_ray.py [--turns N] [--bytes N] [--seconds S]        as many turns as fit, of each kind of actors

The ways that wait for nothing are measured as between two processes: the destination's task has returned from Ray, and its
stream waits, when the source's work ends. In the others the message begins when the work has ended. Ray's own CUDA IPC transport
needs PyTorch.
"""
import argparse
import importlib
import sys
import time
import traceback

import ray
from board import LIMIT, Board
from lateness import Measured
from local import start, stop

WAYS = {"ray_stages": ("gpustream", "ray_device", "ray_host"), "ipc_stages": ("cuda_ipc",)}


def get(reference, limit=2 * LIMIT):
    return ray.get(reference, timeout=limit)


class _Pair:
    def __init__(self, module, size):
        self.board = Board.new()
        self.sender, self.receiver = module.Sender.remote(self.board.path, size), module.Receiver.remote(self.board.path)
        get([self.sender.begin.remote(), self.receiver.begin.remote()], 5 * LIMIT)  # imports PyTorch

    def turn(self, turn, measured):
        before = get([self.sender.synchronizes.remote(), self.receiver.synchronizes.remote()])
        taken = self.receiver.take.remote(turn, getattr(self.sender, measured.way).remote(turn))
        self.board.wait("armed" if measured.is_held() else "submitted", turn)
        measured.release(self.board, turn)
        there, wrong = get(taken)
        here = get(self.sender.synchronizes.remote())
        get(self.sender.finish.remote())
        measured.add(self.board, here - before[0], there - before[1], wrong)

    def end(self, turn):
        self.board["go"] = turn  # what is held goes on
        for actor in self.sender, self.receiver:
            ray.kill(actor)
        self.board.remove()


def measure(name, ways, turns, size, seconds):
    found = [Measured("by Ray", way, size) for way in ways]
    turn, pair = 0, None
    try:
        pair = _Pair(importlib.import_module(name), size)
        end = time.monotonic() + seconds
        for _ in range(turns):
            if time.monotonic() > end:
                break
            for measured in found:
                turn += 1
                pair.turn(turn, measured)
    except Exception as error:  # of Ray, PyTorch or the driver: the other ways go on
        traceback.print_exc()
        for measured in found:
            measured.error = f"turn {turn}: {type(error).__name__}: {str(error).strip().splitlines()[-1]}"
    if pair is not None:
        pair.end(turn)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--bytes", type=int, default=4096)
    parser.add_argument("--seconds", type=float, default=30)
    arguments = parser.parse_args()
    start()
    wrong = False
    for name, ways in WAYS.items():
        for measured in measure(name, ways, arguments.turns, arguments.bytes, arguments.seconds):
            print(measured.line(), flush=True)
            wrong |= bool(measured.error) and name == "ray_stages"
    stop()
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
