# SPDX-License-Identifier: Apache-2.0
"""Words of page-locked memory, which streams wait for and write, and threads watch."""
import ctypes
import time

import gpustream
from board import LIMIT, Failed

_core = gpustream._core


class Word:
    """Never freed: a stream may still wait for it."""

    def __init__(self):
        self._address = gpustream._malloc_host(64)
        self._word = ctypes.c_uint64.from_address(self._address)
        self._word.value = 0

    def hold(self, stream, value):
        """Later work of the stream comes after set(value)."""
        _core.gs_stream_wait_value(stream, self._address, value, _core.GS_VALUE_GEQ)

    def write(self, stream, value):
        _core.gs_stream_write_value(stream, self._address, value, 0)

    def set(self, value):
        self._word.value = value

    def time_of(self, value):
        """Spins until the word has the value: when that was."""
        word, clock = self._word, time.monotonic_ns
        end = clock() + int(LIMIT * 1e9)
        while True:
            now = clock()
            if word.value == value:
                return now
            if now > end:
                raise Failed(f"the stream did not write {value} in {LIMIT:g} s")
