# SPDX-License-Identifier: Apache-2.0
"""Calls functions with objects that do not belong there: wrong_arguments.py SEED|public PROGRESS [FUNCTION...]

SEED: every parameter of the flat functions of gpustream._core gets every object while the others have values that fit, then all of
them random ones. "public": every function, class and method that users call gets every object. A call must return or raise an ordinary
exception; one that fails leaves what is current as it was, and no public one changes the number of references of its arguments.

PROGRESS is a file that holds the call in progress, for the report of a crash or a hang. Prints the number of calls and ends with 1
after wrong exceptions. Addresses are the caller's promise: only NULL is passed as one.
"""
import ast
import decimal
import gc
import itertools
import os
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import gpustream  # noqa: E402
from gpustream import _core  # noqa: E402

RANDOM_CALLS = 60
# With a number that fits, the one ends the device (test_device_guards.py has the others), and the other forbids what makes the objects.
LEFT_OUT = {"gs_device_reset", "gs_forbid_sync"}
# Public ones with an effect that is the caller's to answer for: on devices, of raw handles, of sizes, of functions that they call later; and those
# that end the object whose methods are called.
OF_THE_CALLER = {"reset_device", "set_device_limit", "StreamPool", "ExternalStream", "get_stream_from_external", "add_done_callback", "launch_host", "defer", "keep",
                 "close", "__init__", "__class__", "__del__"}


class Own(Exception):
    """What objects of the tests raise themselves. It may pass through, but nothing may swallow it and go on."""


ORDINARY = (TypeError, ValueError, OverflowError, MemoryError, BufferError, Own, gpustream.Error)


class EventWithoutInit(gpustream.Event):
    def __init__(self):
        pass


class StreamWithoutInit(gpustream.Stream):
    def __init__(self):
        pass


class FailedEvent(gpustream.Event):
    """__new__ could not use the argument: the event is still missing."""

    def __init__(self, word):
        pass


class Hostile:
    """Each question it is asked fails."""

    def __getattr__(self, name):
        raise Own(name)

    def fail(self, *arguments):
        raise Own

    __index__ = __int__ = __float__ = __len__ = __getitem__ = __iter__ = __bool__ = __eq__ = __hash__ = __fspath__ = __str__ = __repr__ = fail


class Number:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class Named:
    def __init__(self, index, type="cuda"):
        self.index, self.type = index, type


class Foreign:
    def __init__(self, value):
        self.cuda_stream = value

    def __cuda_stream__(self):
        return self.cuda_stream


class TupleOfThree(tuple):
    __slots__ = ()


def closed(thing):
    thing.close()
    return thing


def numbers():
    return [0, 1, -1, 2, 7, 65535, 65536, 2**31 - 1, 2**31, -2**31, -2**31 - 1, 2**32 - 1, 2**32, 2**63 - 1, 2**63, -2**63, -2**63 - 1,
            2**64 - 1, 2**64, 2**1000, -2**1000]


def wrong_objects():
    endless = []
    endless.append(endless)
    return [
        None, True, False, "", "cuda", "cuda:0", "cuda:99999999999", "nonsense", "a\0b", "\ud800", "0" * 300, b"", b"x", bytes(64), b"\xff" * 64,
        bytearray(64), memoryview(bytes(128))[::2], 0.0, 1.5, float("nan"), float("inf"), 1j, decimal.Decimal(3), object(), ..., NotImplemented,
        type, gpustream.Event, gpustream.Stream, len, sys, [], [1, 2, 3], endless, (), (1,), (1, 2), (0, 0, 0), (1, 2, 3), (2**70, 0, 0),
        (0, 2**40, 0), (None, None, None), ("0", 0, 0), TupleOfThree((1, 0, 2)), (1,) * 7, (-1,) * 7, (2**32,) * 7, (True,) * 7, (1.0,) * 7,
        (1,) * 8, {}, {"id": 1}, {1: 2}, set(), range(3), itertools.count(), iter(()), slice(1), Hostile(), (Hostile(),) * 3, (Hostile(),) * 7,
        Number(3), Number(-1), Number(2**70), Number("x"), Named(0), Named(None), Named("x"), Named(2**70), Named(-2**70), Named(0, "none"),
        Named(0, None), Foreign(0), Foreign(2), Foreign(-1), Foreign(2**64), Foreign((0, 1)), Foreign((0, -1)), Foreign("x"), Foreign(None),
        EventWithoutInit(), StreamWithoutInit(), FailedEvent("x"), closed(gpustream.Event()), closed(gpustream.Stream()),
        closed(gpustream.generic.Event()), closed(gpustream.generic.Stream()), gpustream.Event(), gpustream.Stream(), gpustream.generic.Event(),
        gpustream.generic.Stream(), gpustream.Event(enable_timing=True), gpustream.Event(interprocess=True),
        gpustream.Event(enable_timing=True, interprocess=True), gpustream.default_stream(), _core.borrow_stream(0), _core.borrow_event(0),
        _core.borrow_stream(12345), _core.borrow_event(2**64 - 1), gpustream.Device(0), gpustream.Device("cuda"), Path("/dev/null"),
        Path("/nonexistent"),
    ]


def is_address(parameter):
    return parameter.arg == "native" or (isinstance(parameter.annotation, ast.BinOp) and ast.unparse(parameter.annotation) == "SupportsIndex | None")


def functions():
    """{name: parameters} as the extension's stub has them."""
    stub = Path(gpustream.__file__).parent / "_core/functions.pyi"
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    return {node.name: node.args.posonlyargs for node in tree.body if isinstance(node, ast.FunctionDef)}


def fitting(parameter):
    if is_address(parameter):
        return 0
    words = {"stream": None, "other": None, "event": gpustream.Event(), "start": gpustream.Event(), "end": gpustream.Event(), "device": None,
             "peer": None, "triple": (0, 0, 1), "handle": bytes(64), "image": b"x", "config": {"grid_x": 1, "block_x": 1}, "copies": (),
             "candidates": "a", "uuids": "a",
             "value": "0", "name": "name", "after": (), "nodes": (), "events": (), "streams": (), "counts": (),
             "token": bytes(128), "ops": ()}
    annotation = ast.unparse(parameter.annotation)
    return "0" if "str" in annotation else 0 if annotation == "SupportsIndex" and parameter.arg not in words else words[parameter.arg]


def fits(parameter, value, all_parameters):
    """False for calls whose effect is the caller's to answer for: memory at an address, hours of sleep, memory by the terabyte."""
    number = isinstance(value, (int, Number)) and not isinstance(value, bool)
    if is_address(parameter):
        return not number
    if parameter.arg == "cycles" or (parameter.arg == "bytes" and any(is_address(one) for one in all_parameters)):
        return not number or (isinstance(value, int) and value <= 0)
    return parameter.arg != "bytes" or not number or isinstance(value, int) and not 2**20 < value < 2**62


def clean_up():
    _core.gs_set_option(_core.GS_OPTION_SYNC_DEBUG_MODE, 0)
    _core.gs_set_option(_core.GS_OPTION_SYNC_DEBUG_SCOPE, 0)
    try:
        while True:
            _core.gs_pop_current_stream(0)
    except gpustream.ScopeError:
        pass
    gpustream.set_device(0)
    gpustream.set_stream(gpustream.default_stream())


def show(value):
    try:
        return ascii(value)[:80]
    except Exception:
        return f"<{type(value).__name__}>"


def current():
    """What is current on this thread: a call that fails leaves it as it was."""
    return _core.gs_current_device(), *(gpustream.current_stream(index).handle for index in range(2))


class Run:
    def __init__(self, progress):
        self.progress = os.open(progress, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        self.calls, self.failures = 0, []
        sys.unraisablehook = lambda seen: self.failures.append(f"unraisable: {seen.exc_type.__name__}: {ascii(str(seen.exc_value))[:200]}")

    def call(self, name, function, arguments):
        text = f"{name}({', '.join(show(one) for one in arguments)})"
        os.pwrite(self.progress, text.encode().ljust(2000)[:2000], 0)
        self.calls += 1
        before = current()
        try:
            function(*arguments)
        except BaseException as error:
            # RuntimeError itself is torch's class for names of devices, and its own subclasses are errors of the interpreter.
            if not isinstance(error, ORDINARY) and type(error) is not RuntimeError:
                self.failures.append(f"{text}: {type(error).__name__}: {ascii(str(error))[:200]}")
            elif current() != before:
                self.failures.append(f"{text} fails and changes what is current: {before} to {current()}")
        clean_up()


def flat(run, chosen, names):
    for name, parameters in functions().items():
        if name in LEFT_OUT or names and name not in names:
            continue
        function = getattr(_core, name)
        for place, parameter in enumerate(parameters):
            for wrong in numbers() + wrong_objects():
                arguments = [fitting(one) for one in parameters]
                arguments[place] = wrong
                if fits(parameter, wrong, parameters):
                    run.call(name, function, arguments)
        pool = numbers() + wrong_objects()
        for _ in range(RANDOM_CALLS if parameters else 0):
            run.call(name, function, [chosen.choice([one for one in pool if fits(parameter, one, parameters)]) for parameter in parameters])
        for count in {len(parameters) - 1, len(parameters) + 1} - {-1}:
            run.call(name, function, [None] * count)


def public():
    """{name: callable} of what users call: functions, classes, and the methods and operators of objects."""
    found = {name: getattr(gpustream, name) for name in gpustream.__all__ if callable(getattr(gpustream, name)) and name not in OF_THE_CALLER}
    stream, event = gpustream.Stream(), gpustream.Event(enable_timing=True)
    event.record(stream)
    for thing in (stream, event, gpustream.ExternalStream(stream.cuda_stream), gpustream.generic.Stream(), gpustream.stream(stream),
                  gpustream.device(1), gpustream.Device(1), gpustream.Buffer(8)):
        own = {name for kind in type(thing).__mro__[:-1] for name in vars(kind)} - {"__init_subclass__", "__slots__", "__weakref__", "__dict__"}
        found |= {f"{type(thing).__name__}.{name}": getattr(thing, name) for name in sorted(own - OF_THE_CALLER)
                  if callable(getattr(type(thing), name, None))}
    return found


def main():
    which, progress, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    run = Run(progress)
    if which != "public":
        flat(run, random.Random(int(which)), names)
    for name, function in public().items() if which == "public" else ():
        kept = gpustream.Stream(), gpustream.Event(), gpustream.Device(0)
        before = [sys.getrefcount(thing) for thing in kept]
        for wrong in [*(one for one in numbers() if one < 2**20), *wrong_objects(), *kept]:
            for arguments in ([wrong], [0, wrong], [wrong] * 3):
                run.call(name, function, arguments)
        arguments = wrong = None
        gc.collect()
        if before != [sys.getrefcount(thing) for thing in kept]:
            run.failures.append(f"{name} changes numbers of references")
    print(run.calls, "calls")
    print("\n".join(run.failures[:40]))
    return 1 if run.failures else 0


if __name__ == "__main__":
    sys.exit(main())
