# SPDX-License-Identifier: Apache-2.0
"""Messages per second of a pipeline of two actors on one GPU. Prints a line of JSON for each way and length of the work.

    pipeline.py [--messages N] [--items N] [--flight N] [--rounds N] [--ms MS...]

Both stages work for MS on each message, and at most --flight messages are on their way. The second stage adds up what came,
and the sum is checked. The ways of a length take turns. With "synchronised" each stage waits for the device before it returns.
"""
import argparse
import collections
import importlib
import json
import sys
import time
import traceback

import ray
from board import LIMIT
from local import start, stop

# name: module of the actors, methods, whether each stage waits for the device
WAYS = {
    "gpustream": ("pipeline_stages", "make", "use", False),
    "gpustream, synchronised": ("pipeline_stages", "make", "use", True),
    "ray_host": ("pipeline_stages", "make_on_host", "use_of_host", True),
    "cuda_ipc": ("pipeline_of_ray", "make", "use", False),
    "cuda_ipc, synchronised": ("pipeline_of_ray", "make", "use", True),
}


def get(reference):
    return ray.get(reference, timeout=5 * LIMIT)


class _Pipeline:
    def __init__(self, module, arguments):
        actors = importlib.import_module(module)
        self.arguments = arguments
        self.stages = [kind.remote(arguments.items, arguments.flight) for kind in (actors.First, actors.Second)]
        get([stage.begin.remote(module == "pipeline_stages") for stage in self.stages])

    def set_work(self, ms):
        """One after the other: each is alone on the GPU."""
        return [get(stage.last.remote(ms)) for stage in self.stages]

    def run(self, make, use, synchronise, messages):
        """Seconds, until the work of the last message is done."""
        first, second = self.stages
        make, use = getattr(first, make), getattr(second, use)
        pending = collections.deque()
        begin = time.monotonic()
        for index in range(messages):
            pending.append(use.remote(make.remote(index, synchronise), synchronise))
            if len(pending) > self.arguments.flight:
                get(pending.popleft())
        get(list(pending))
        get(second.finish.remote())
        seconds = time.monotonic() - begin
        get(first.finish.remote())
        return seconds

    def is_wrong(self, messages):
        return get(self.stages[1].end.remote()) != messages * (messages - 1) / 2

    def synchronizes(self):
        return get([stage.synchronizes.remote() for stage in self.stages])

    def end(self):
        for stage in self.stages:
            ray.kill(stage)


def measure(module, ways, arguments):
    """Yields what is found, way by way; or the error that ended this module's."""
    pipeline = None
    try:
        pipeline = _Pipeline(module, arguments)
        for ms in arguments.ms:
            took = pipeline.set_work(ms)
            rates, wrong, waits = collections.defaultdict(list), collections.Counter(), {}
            for _ in range(arguments.rounds):
                for way in ways:
                    _, make, use, synchronise = WAYS[way]
                    pipeline.run(make, use, synchronise, 3 * arguments.flight)
                    pipeline.is_wrong(3 * arguments.flight)
                    before = pipeline.synchronizes()
                    rates[way].append(arguments.messages / pipeline.run(make, use, synchronise, arguments.messages))
                    waits[way] = [after - start for after, start in zip(pipeline.synchronizes(), before, strict=True)]
                    wrong[way] += pipeline.is_wrong(arguments.messages)
            for way in ways:
                yield {"way": way, "ms": ms, "took": took, "rates": sorted(rates[way]), "wrong": wrong[way],
                       "synchronizes": waits[way], "error": ""}
    except Exception as error:  # of Ray, PyTorch or the driver: the other ways go on
        traceback.print_exc()
        for way in ways:
            yield {"way": way, "ms": 0, "rates": [], "wrong": 0, "error": f"{type(error).__name__}: {str(error).strip().splitlines()[-1]}"}
    if pipeline is not None:
        pipeline.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=200)
    parser.add_argument("--items", type=int, default=1 << 18)
    parser.add_argument("--flight", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ms", type=float, nargs="+", default=[0.2, 0.5, 1, 2])
    arguments = parser.parse_args()
    start()
    failed = False
    for module in sorted({module for module, *_ in WAYS.values()}, reverse=True):
        for found in measure(module, [way for way in WAYS if WAYS[way][0] == module], arguments):
            settings = {"part": "pipeline", "items": arguments.items, "messages": arguments.messages, "flight": arguments.flight}
            print(json.dumps(settings | found), flush=True)
            failed |= bool(found["error"]) and module == "pipeline_stages"
    stop()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
