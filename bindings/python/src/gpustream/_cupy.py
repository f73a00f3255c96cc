# SPDX-License-Identifier: Apache-2.0
"""CuPy's current stream, through its Python interface.

CuPy's blocks restore the stream object that was current before, and a program may hold its current stream by nothing but being
current. So a stream of CuPy that is replaced is kept, and put back as the same object.
"""
from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from typing import Any

from gpustream._load import _core
from gpustream.errors import fail

_MOST = 64  # streams that a thread keeps


class CupyBridge:
    name = "cupy"

    def __init__(self) -> None:
        module = sys.modules.get("cupy")
        if module is None:
            raise fail(_core.GS_ERROR_UNAVAILABLE, "cupy is not imported, and the bridge does not import it")
        self._cuda: Any = module.cuda
        self._threads = threading.local()

    def _seen(self) -> OrderedDict[tuple[int, int], Any]:
        if not hasattr(self._threads, "seen"):
            self._threads.seen = OrderedDict()
        found: OrderedDict[tuple[int, int], Any] = self._threads.seen
        return found

    def get(self, device_index: int) -> int:
        stream = self._cuda.get_current_stream(device_index)
        seen = self._seen()
        seen[device_index, stream.ptr] = stream
        seen.move_to_end((device_index, stream.ptr))
        while len(seen) > _MOST:
            seen.popitem(last=False)
        return int(stream.ptr)

    def set(self, device_index: int, native: int) -> None:
        stream = self._seen().get((device_index, native))
        if stream is None:
            stream = self._cuda.Stream.null if native == 0 else self._cuda.ExternalStream(native, device_index)
        with self._cuda.Device(device_index):  # CuPy takes a stream for the current device only
            stream.use()
