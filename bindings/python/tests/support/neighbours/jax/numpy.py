# SPDX-License-Identifier: Apache-2.0
import foreign


class _Array:
    def __init__(self):
        self._stream, self._ready = foreign.new_stream(), foreign.new_event()
        foreign.record(self._ready, self._stream)

    def __dlpack__(self, *, stream):
        assert isinstance(stream, int) and stream > 2
        foreign.call("cuStreamWaitEvent", *map(foreign.ctypes.c_void_p, (stream, self._ready)), 0)
        return object()


def arange(count):
    assert count
    return _Array()
