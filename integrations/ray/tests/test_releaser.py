# SPDX-License-Identifier: Apache-2.0
"""The thread that gives leases back, without Ray."""
import itertools
import sys

import gpustream
from gpustream_ray import _arrivals
from peers import eventually


def interrupted(call, number):
    """Makes a call, with KeyboardInterrupt when the number-th function of C has returned. Whether it came to that, and to Queue.add()."""
    added, places = False, 0

    def profile(frame, event, argument):
        nonlocal added, places
        if event == "call" and frame.f_code is gpustream.Queue.add.__code__:
            added = True
        if event == "c_return":
            places += 1
            if places == number:
                raise KeyboardInterrupt

    sys.setprofile(profile)
    try:
        call()
        return False, added
    except KeyboardInterrupt:
        return True, added
    finally:
        sys.setprofile(None)


def test_interrupted_additions_are_released_once_and_after_the_work():
    releaser = _arrivals.Releaser()
    released = []
    releaser.add(gpustream.Stream(), lambda: released.append("first"))
    eventually(lambda: released, ["first"])
    for number in itertools.count(1):
        stream, gate = gpustream.Stream(), gpustream.Timeline()
        gate.wait(1, stream)
        came, added = interrupted(lambda: releaser.add(stream, lambda: released.append(number)), number)  # noqa: B023
        assert number not in released
        gate.set(1)
        stream.synchronize()
        releaser.add(gpustream.Stream(), lambda: released.append(-number))  # noqa: B023
        eventually(lambda: -number in released and (number in released or not added), True)  # noqa: B023
        if not came:
            break
    assert number > 3
    assert len(released) == len(set(released)) and not releaser._pending
