# SPDX-License-Identifier: Apache-2.0
"""Traces of allocations: what a program allocated and freed, in its order, in which streams.

A file is gzip of text. The first line is JSON: what the program was, and what its own allocator said. Each other line is

    + BYTES STREAM      an allocation, as the program asked for it; they are numbered from 0
    - NUMBER            its free, at the moment from which the stream may reuse the memory

STREAM 0 is the default stream; the others are numbered in the order in which the trace names them.
"""
import gzip
import json
from pathlib import Path

FORMAT = "gpustream allocations 1"
BLOCK = 512  # both allocators round sizes up to multiples of it
NOT_ALLOCATIONS = {"free_requested", "segment_alloc", "segment_free", "segment_map", "segment_unmap", "snapshot", "user_defined"}


class TraceError(Exception):
    """A trace that is incomplete or cannot be read."""


class Trace:
    """events: (bytes, stream) for an allocation, a number for a free."""

    def __init__(self, about, events):
        self.about = about
        self.events = events

    def allocations(self):
        return sum(isinstance(event, tuple) for event in self.events)

    def streams(self):
        return 1 + max((event[1] for event in self.events if isinstance(event, tuple)), default=0)

    def peak(self, unit=1):
        """The most bytes that are allocated at one time, if each size is rounded up to a multiple of unit."""
        sizes, now, most = [], 0, 0
        for event in self.events:
            if isinstance(event, tuple):
                sizes.append(-(-event[0] // unit) * unit)
                now += sizes[-1]
                most = max(most, now)
            else:
                now -= sizes[event]
        return most


class Recorder:
    """Makes a trace of what an allocator reports. A key names an allocation until its free."""

    def __init__(self):
        self.events = []
        self._live = {}
        self._streams = {0: 0}
        self._count = 0
        self.problems = []  # of hooks, which must not raise

    def allocated(self, key, size, stream):
        if key in self._live:
            raise TraceError(f"{key:#x} is allocated twice: a free was not recorded")
        self._live[key] = self._count
        self._count += 1
        self.events.append((size, self._streams.setdefault(stream, len(self._streams))))

    def freed(self, key):
        if key not in self._live:
            raise TraceError(f"{key:#x} is freed but was not allocated: the recording began too late")
        self.events.append(self._live.pop(key))


def of_torch(entries, room):
    """The events of one list of torch.cuda.memory._snapshot()["device_traces"]. room: the entries that torch keeps at most."""
    if len(entries) >= room:
        raise TraceError(f"torch kept {len(entries)} entries, and may have dropped the oldest ones")
    recorder = Recorder()
    for entry in entries:
        action = entry["action"]
        if action == "alloc":
            recorder.allocated(entry["addr"], entry["size"], entry["stream"])
        elif action == "free_completed":
            recorder.freed(entry["addr"])
        elif action not in NOT_ALLOCATIONS:
            raise TraceError(f"torch reports the action {action!r}, with which the trace would not be complete")
    return recorder.events


def cupy_hook(cupy, recorder):
    """A hook that reports to the recorder what this thread gets from CuPy's pools."""

    def note(call, *arguments):
        try:
            call(*arguments)
        except TraceError as error:
            recorder.problems.append(str(error))

    class Hook(cupy.cuda.MemoryHook):
        name = "gpustream's recorder of allocations"

        def malloc_postprocess(self, **event):
            if event["mem_ptr"]:  # else it failed
                note(recorder.allocated, event["pmem_id"], event["size"], cupy.cuda.get_current_stream().ptr)

        def free_postprocess(self, **event):
            note(recorder.freed, event["pmem_id"])

    return Hook()


def write(path, trace):
    lines = [json.dumps({"format": FORMAT, **trace.about}, sort_keys=True)]
    lines += [f"+ {event[0]} {event[1]}" if isinstance(event, tuple) else f"- {event}" for event in trace.events]
    # Without the time, so that the same trace is the same file.
    Path(path).write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))


def read(path):
    try:
        first, *lines = gzip.decompress(Path(path).read_bytes()).decode().splitlines()
        about = json.loads(first)
        known = isinstance(about, dict) and about.pop("format", "") == FORMAT
        events = _events(lines) if known else []
    except (OSError, EOFError, ValueError) as error:
        raise TraceError(f"{path}: {error}") from error
    if not known:
        raise TraceError(f"{path}: not a file of the format {FORMAT!r}")
    return Trace(about, events)


def _events(lines):
    events, count, live = [], 0, set()
    for number, line in enumerate(lines, 2):
        word, *values = line.split()
        values = [int(value) for value in values]
        if word == "+" and len(values) == 2 and values[0] > 0 and values[1] >= 0:
            events.append((values[0], values[1]))
            live.add(count)
            count += 1
        elif word == "-" and len(values) == 1 and values[0] in live:
            events.append(values[0])
            live.discard(values[0])
        else:
            raise ValueError(f"line {number}: {line!r}")
    return events
