# SPDX-License-Identifier: Apache-2.0
"""What the fuzzer passes: plain values, and objects that answer in every wrong way or call back into the package.

Objects are described here and made when a program runs, so that a failing program can be printed and made smaller.
"""
import decimal
import gc
import threading
from pathlib import Path

import gpustream
from hypothesis import strategies as st
from support import wrong_arguments

METHODS = ["__index__", "__int__", "__float__", "__bool__", "__len__", "__iter__", "__getitem__", "__hash__", "__eq__", "__str__", "__repr__",
           "__fspath__", "__call__", "__enter__", "__exit__", "__cuda_stream__", "get_device", "__dlpack__", "__format__"]
PROPERTIES = ["cuda_stream", "ptr", "index", "type", "device_id", "device_index", "device", "is_cuda", "stream_id", "__cuda_stream__"]


class Made:
    """A value that is made when the program runs; `make` gets what the program has (programs.Pool)."""

    def __init__(self, name, make):
        self.name, self.make = name, make

    def __repr__(self):
        return self.name


def reenter(pool):
    """The calls that an argument's method may make itself. They leave everything as it was."""
    with pool.stream, gpustream.device(1), gpustream.stream(pool.other):
        pool.event.query()
    gpustream.current_stream().query()
    gpustream.synchronize()


def close_victims(pool):
    pool.victim_stream.close()
    pool.victim_event.close()


def on_a_thread(pool):
    thread = threading.Thread(target=reenter, args=(pool,))
    thread.start()
    thread.join()


def fail(pool):
    raise wrong_arguments.Own


ANSWERS = {
    "raises": fail, "object": lambda pool: object(), "0": lambda pool: 0, "1": lambda pool: 1, "-1": lambda pool: -1, "2**70": lambda pool: 2**70,
    "True": lambda pool: True, "None": lambda pool: None, "1.5": lambda pool: 1.5, "'cuda:1'": lambda pool: "cuda:1",
    "surrogate": lambda pool: "\ud800", "bytes": lambda pool: b"\0", "pair": lambda pool: (0, pool.raw), "pair of text": lambda pool: (0, "x"),
    "version 1": lambda pool: (1, 0), "triple": lambda pool: (0, 2, None), "stream": lambda pool: pool.stream, "event": lambda pool: pool.event,
    "raw": lambda pool: pool.raw, "generator": lambda pool: (one for one in (0, pool.raw)),
    "reenters": lambda pool: reenter(pool) or 0, "closes": lambda pool: close_victims(pool) or 0, "collects": lambda pool: gc.collect() * 0,
    "runs a thread": lambda pool: on_a_thread(pool) or 0,
}


def hashed(answer):
    """CPython (3.11 at least) loses a reference to what __hash__ returns in place of an int: objects that tests count are replaced."""
    return object() if isinstance(answer, (gpustream.Stream, gpustream.Event)) else answer


def odd(methods, answer):
    """An object with some special methods and attributes, all with the same answer."""

    def make(pool):
        def method(self, *arguments):
            return ANSWERS[answer](pool)

        members = {name.removeprefix("."): property(method) if name.startswith(".") else method for name in methods}
        if "__eq__" in members:
            members.setdefault("__hash__", object.__hash__)
        if "__hash__" in methods:
            members["__hash__"] = lambda self: hashed(method(self))
        return type("Odd", (), members)()

    return Made(f"odd({', '.join(sorted(methods))}: {answer})", make)


def subclass(base, without_init, answer):
    """A subclass of a class of the package: without its parent's __init__, or with methods that answer oddly."""

    def make(pool):
        members = {"__slots__": ()}
        if without_init:
            members["__init__"] = lambda self, *arguments, **names: None
        else:
            members["__eq__"] = lambda self, other: ANSWERS[answer](pool)
            members["__hash__"] = lambda self: hashed(ANSWERS[answer](pool))
        kind = type("Derived", (getattr(gpustream, base),), members)
        return kind(pool.raw) if base == "ExternalStream" else kind()

    return Made(f"subclass({base}, {'no __init__' if without_init else answer})", make)


def constant(name):
    return Made(name, lambda pool: getattr(pool, name))


POOL = ["stream", "other", "far", "event", "timed", "shared", "contradicting", "any_stream", "any_event", "default", "external", "closed_stream",
        "closed_event", "borrowed_garbage", "context", "guard", "device", "device_class", "stream_class", "event_class", "victim_stream",
        "victim_event", "raw", "endless"]

plain = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 5), st.integers(), st.sampled_from([2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64,
                                                                                  -2**31 - 1, -2**63 - 1, 65535, 65536]),
    st.floats(), st.complex_numbers(), st.text(st.characters(), max_size=6), st.binary(max_size=70),
    st.sampled_from(["cuda", "cuda:0", "cuda:1", "cuda:7", "host", "host:1", "cuda:", "cuda:01", "cu\0da", "\ud800", "default", "GPU-1", "x" * 400]),
    st.sampled_from([bytes(64), bytearray(64), memoryview(bytes(64)), decimal.Decimal(3), ..., NotImplemented, Path("/dev/null"), range(3)]))
odd_objects = st.builds(odd, st.frozensets(st.sampled_from(METHODS + [f".{name}" for name in PROPERTIES]), min_size=1, max_size=4),
                        st.sampled_from(sorted(ANSWERS)))
subclasses = st.builds(subclass, st.sampled_from(["Stream", "Event", "ExternalStream"]), st.booleans(), st.sampled_from(sorted(ANSWERS)))
pool_objects = st.sampled_from(POOL).map(constant)
leaves = st.one_of(pool_objects, pool_objects, plain, odd_objects, subclasses)


def containers(inner):
    return st.one_of(st.lists(inner, max_size=4), st.lists(inner, max_size=8).map(tuple), st.dictionaries(st.text(max_size=3), inner, max_size=2))


values = st.one_of(leaves, leaves, leaves, containers(leaves))


def build(value, pool):
    if isinstance(value, Made):
        return value.make(pool)
    if type(value) in (list, tuple):
        return type(value)(build(one, pool) for one in value)
    if type(value) is dict:
        return {name: build(one, pool) for name, one in value.items()}
    return value
