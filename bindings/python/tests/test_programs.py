# SPDX-License-Identifier: Apache-2.0
"""Random programs: what Python reports is what C reports on the same objects, and order is what a model says.

Each program runs on a few streams and events. A model keeps, for every stream and event, which pieces of work must be
done once it is. Gates hold some of the work, so the model knows for certain what cannot be done yet.
"""
import ctypes
import os
import random

import gpustream
import pytest
from support.native import Gate, helpers, launch_host, library
from support.refusals import raises

PROGRAMS = 3000 if os.environ.get("GPUSTREAM_TEST_FULL") == "1" else 600


class Oracle:
    """Asks the library itself, through ctypes."""

    def __init__(self):
        self.library = library()
        for name in ("gs_stream_query", "gs_event_query", "gs_event_device", "gs_event_id", "gs_stream_id", "gs_current_stream"):
            getattr(self.library, name).argtypes = [ctypes.c_int32 if name == "gs_current_stream" else ctypes.c_void_p, ctypes.c_void_p]

    def ask(self, name, subject, kind=ctypes.c_int32):
        out = kind()
        status = getattr(self.library, name)(subject, ctypes.addressof(out))
        assert status == 0, (name, status)
        return out.value


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.oracle = Oracle()
        self.streams = [gpustream.Stream(self.random.randrange(2)) for _ in range(4)]
        self.events = [gpustream.Event(self.random.random() < 0.3) for _ in range(4)]
        self.behind = {stream: set() for stream in self.streams}   # gates that work in the stream is behind
        self.covers = {event: set() for event in self.events}      # gates that the event's record is behind
        self.bound = {event: None for event in self.events}
        self.gates, self.open = [], set()
        self.work, self.counter = 0, helpers().parity_counter_new()

    def stream(self):
        return self.random.choice(self.streams)

    def event(self):
        return self.random.choice(self.events)

    # ---- operations
    def op_hold(self):
        if len(self.gates) > len(self.open):
            return  # a shut gate takes one of the host backend's workers, of which there may be two
        stream, gate = self.stream(), Gate()
        gate.hold(stream)
        self.gates.append(gate)
        self.behind[stream].add(gate)

    def op_open(self):
        shut = [gate for gate in self.gates if gate not in self.open]
        if shut:
            gate = self.random.choice(shut)
            gate.open()
            self.open.add(gate)

    def op_work(self):
        launch_host(self.stream(), "parity_count", self.counter)
        self.work += 1

    def op_record(self):
        stream, event = self.stream(), self.event()
        form = self.random.randrange(4)
        device = stream.device
        try:
            if form == 0:
                event.record(stream)
            elif form == 1:
                event.record(stream=stream)
            elif form == 2:
                stream.record_event(event)
            else:
                with stream:
                    event.record()
        except gpustream.DeviceMismatchError:
            assert self.bound[event] not in (None, device)
            return
        assert self.bound[event] in (None, device)
        self.bound[event] = device
        self.covers[event] = set(self.behind[stream])

    def op_wait(self):
        stream, event = self.stream(), self.event()
        if self.random.random() < 0.5:
            stream.wait_event(event)
        else:
            with stream:
                event.wait()
        self.behind[stream] |= self.covers[event]

    def op_wait_stream(self):
        stream, other = self.stream(), self.stream()
        stream.wait_stream(other)
        self.behind[stream] |= self.behind[other]

    def op_renew_event(self):
        index = self.random.randrange(len(self.events))
        old = self.events[index]
        self.events[index] = gpustream.Event(self.random.random() < 0.3)
        del self.covers[old], self.bound[old]
        self.covers[self.events[index]], self.bound[self.events[index]] = set(), None

    def op_current(self):
        stream = self.stream()
        with stream:
            handle = self.oracle.ask("gs_current_stream", stream.device_index, ctypes.c_uint64)
            assert handle == stream.handle and gpustream.current_stream() == stream

    def op_synchronize(self):
        ready = [s for s in self.streams if self.behind[s] <= self.open]
        if ready:
            stream = self.random.choice(ready)
            stream.synchronize()
            assert stream.query() is True

    # ---- judgement
    def check(self):
        for event in self.events:
            shut = self.covers[event] - self.open
            done = event.query()
            if shut:
                assert done is False, "done although a gate in front of its record is shut"
            later = self.oracle.ask("gs_event_query", event.handle)
            assert later >= done, "Python said done, C says not"
            device = self.oracle.ask("gs_event_device", event.handle)
            assert event.device == (None if device == -2 else gpustream.Device(device)) == self.bound[event]
            assert event.event_id == self.oracle.ask("gs_event_id", event.handle, ctypes.c_uint64)
        for stream in self.streams:
            if self.behind[stream] - self.open:
                assert stream.query() is False
            assert stream.stream_id == self.oracle.ask("gs_stream_id", stream.handle, ctypes.c_int64)

    def run(self, length):
        operations = [getattr(self, name) for name in dir(self) if name.startswith("op_")]
        try:
            for _ in range(length):
                self.random.choice(operations)()
                self.check()
        finally:
            for gate in self.gates:
                gate.open()
        self.open = set(self.gates)
        for index in range(2):
            gpustream.synchronize(index)
        assert all(stream.query() for stream in self.streams) and all(event.query() for event in self.events)
        assert helpers().parity_counter_get(self.counter) == self.work


@pytest.mark.parametrize("block", range(10))
def test_random_programs(block):
    for seed in range(block * PROGRAMS // 10, (block + 1) * PROGRAMS // 10):
        try:
            Program(seed).run(40)
        except AssertionError as error:
            raise AssertionError(f"program {seed}: {error}") from error


def test_the_model_finds_a_missing_wait():
    """The model must see a wait that is not made."""
    program = Program(1)
    program.op_hold()
    held = next(stream for stream in program.streams if program.behind[stream])
    other = next(stream for stream in program.streams if not program.behind[stream])
    program.behind[other] |= program.behind[held]  # the model believes in a wait_stream that did not happen
    try:
        raises(AssertionError, program.check)
    finally:
        program.gates[0].open()
