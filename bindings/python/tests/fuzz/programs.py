# SPDX-License-Identifier: Apache-2.0
"""Runs one program of calls and checks what must hold in and after it."""
import gc
import os
import sys

import gpustream
from support import wrong_arguments

from . import values

core = gpustream._core
ORDINARY = (*wrong_arguments.ORDINARY, AttributeError, NotImplementedError)
# Raised as such by the names below, for torch.cuda raises it there.
PLAIN_RUNTIME_ERRORS = ("Invalid device string", "invalid value of debug_mode", "this thread has not entered it", "has not entered",
                        "At least one of num_sms or sm_partition must be specified", "GreenContext has been destroyed",
                        "is not in [-0x8000_0000_0000_0000, 0xffff_ffff_ffff_ffff]", "RNG state is wrong size")


class Pool:
    """Objects that live as long as the process, and two of each program's own that anything may be done to."""

    def __init__(self):
        self.stream, self.other, self.far = gpustream.Stream(), gpustream.Stream(priority=-1), gpustream.Stream(1)
        self.event, self.timed, self.shared = gpustream.Event(), gpustream.Event(enable_timing=True), gpustream.Event(interprocess=True)
        self.contradicting = gpustream.Event(enable_timing=True, interprocess=True)
        self.any_stream, self.any_event = gpustream.generic.Stream(), gpustream.generic.Event()
        self.default = gpustream.default_stream()
        self.owner = gpustream.Stream()
        self.raw = self.owner.cuda_stream
        self.external = gpustream.ExternalStream(self.raw)
        self.closed_stream, self.closed_event = gpustream.Stream(), gpustream.Event()
        self.closed_stream.close()
        self.closed_event.close()
        self.borrowed_garbage = core.borrow_stream(12345)
        self.context, self.guard, self.device = gpustream.stream(self.stream), gpustream.device(1), gpustream.Device(1)
        self.device_class, self.stream_class, self.event_class = gpustream.Device, gpustream.Stream, gpustream.Event
        self.endless = []
        self.endless.append(self.endless)
        self.timed.record(self.stream)
        self.fresh()

    def fresh(self):
        self.victim_stream, self.victim_event = gpustream.Stream(), gpustream.Event()

    def lasting(self):
        return {name: getattr(self, name) for name in values.POOL
                if not name.startswith("victim") and not name.endswith("_class") and not isinstance(getattr(self, name), int)}


def current():
    """What is current on this thread."""
    return core.gs_current_device(), *(core.handle_of(gpustream.current_stream(index)) for index in range(2))


class Runner:
    def __init__(self, pool, progress):
        self.pool, self.progress = pool, progress
        self.calls = self.returned = 0
        self.reached, self.unraisable = set(), []
        sys.unraisablehook = self.unraisable.append
        self.clean_up()

    def clean_up(self):
        wrong_arguments.clean_up()
        for index in (1, 0):
            gpustream.set_stream(gpustream.default_stream(index))
            gpustream.synchronize(index)
        gpustream.set_device(0)
        for thing in (self.pool.guard, self.pool.context):
            try:
                while True:
                    thing.__exit__(None, None, None)
            except RuntimeError:
                pass
        gpustream.set_device(0)
        assert core.gs_current_device() == 0

    def run(self, program):
        os.pwrite(self.progress, ascii(program).encode().ljust(4000)[:4000], 0)
        self.pool.fresh()
        gc.collect(0)
        before = {name: sys.getrefcount(thing) for name, thing in self.pool.lasting().items()}
        for target, given, words in program:
            self.one(target, given, words)
        self.clean_up()
        self.pool.fresh()
        self.check_references(before, any(word in target.name for target, *_ in program for word in ("keep", "defer", "host_func")))
        self.check_unraisable(program)

    def one(self, target, given, words):
        arguments, names = [], {}
        try:
            arguments = [values.build(one, self.pool) for one in given]
            names = {name: values.build(one, self.pool) for name, one in words.items()}
        except ORDINARY:
            return  # the constructor of a subclass, which is a target of its own
        if not target.suits([*arguments, *names.values()]):
            return
        self.calls += 1
        state = current()
        try:
            target.call(self.pool, arguments, names)
        except ORDINARY:
            assert current() == state, f"{target} fails and changes what is current: {state} to {current()}"
        except RuntimeError as error:
            expected = type(error) is RuntimeError and any(text in str(error) for text in PLAIN_RUNTIME_ERRORS)
            assert expected or isinstance(error, RecursionError), f"{target}: {type(error).__name__}: {error}"
            assert current() == state, f"{target} fails and changes what is current"
        except (RecursionError, StopIteration, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            raise AssertionError(f"{target} raised {type(error).__name__}: {ascii(str(error))}") from error
        else:
            self.returned += 1
            self.reached.add(target.name)
            assert target.name != "with" or current() == state, "a with block changes what is current"

    def check_references(self, before, deferred):
        """deferred: what streams keep goes when the library's thread has seen the end of their work."""
        for attempt in range(2000 if deferred else 2):
            if attempt == 1:
                gc.collect()
            if deferred:
                core.gs_trim()
                gpustream.Stream().add_done_callback(int)
                gpustream.synchronize()
                core.graph_release_ended()
            grown = {name: (count, sys.getrefcount(thing)) for name, thing in self.pool.lasting().items()
                     if (count := before[name]) != sys.getrefcount(thing)}
            if not grown:
                return
        raise AssertionError(f"references before and after: {grown}")

    def check_unraisable(self, program):
        seen, self.unraisable[:] = self.unraisable[:], []
        callbacks = any(word in target.name for target, *_ in program for word in ("launch_host", "add_done_callback", "defer"))
        wrong = [f"{one.exc_type.__name__}: {one.exc_value}" for one in seen if not callbacks and one.exc_type is not wrong_arguments.Own]
        seen.clear()
        assert not wrong, f"unraisable: {wrong}"
