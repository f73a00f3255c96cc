# SPDX-License-Identifier: Apache-2.0
"""Wrong callables, to show that the fuzzer finds what it looks for."""
import gpustream

from . import targets

kept = []


def wrong_exception(value=None):
    """A converter that reports an unexpected type as the interpreter's fault."""
    if isinstance(value, (float, bytes, dict)):
        raise SystemError("planted")


def leak(value=None):
    """The error path of a conversion that forgets to release."""
    if isinstance(value, gpustream.Stream):
        kept.append(value)
        raise TypeError("planted")


def changes_state(value=None):
    """A call that fails after it has changed the current device."""
    if isinstance(value, str):
        gpustream.set_device(1 - gpustream.current_device())
        raise ValueError("planted")


class Loud:
    def __del__(self):
        raise KeyError("planted")


def unraisable(value=None):
    """A deallocator that fails."""
    if value is None:
        Loud()


ALL = [wrong_exception, leak, changes_state, unraisable]


def target(name, pool):
    function = next(one for one in ALL if one.__name__ == name)
    return targets.function(f"planted {name}", function)
