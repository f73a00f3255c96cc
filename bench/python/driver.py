# SPDX-License-Identifier: Apache-2.0
"""The driver's own times, through driver_calls.c."""
import ctypes
import os
import subprocess
import tempfile
from pathlib import Path

NUMBERS = {"record": 0, "wait, pending event": 1, "wait, complete event": 1, "wait, same stream": 1, "query, complete event": 2,
           "query, idle stream": 3, "elapsed": 4, "event create + drop": 5, "stream create + drop": 6, "graph replay": 7, "graph launch": 7,
           "graph update": 8}


class Driver:
    """Uses the driver's objects behind gpustream's, whose raw handles are exported for that."""

    name, label, colour = "driver", "CUDA driver (C)", "#7a7f87"
    missing = None

    def __init__(self, names):
        self.names = names
        self.path = os.environ.get("GPUSTREAM_LIBCUDA", "libcuda.so.1").encode()
        self.folder = tempfile.TemporaryDirectory()
        target = Path(self.folder.name) / "driver_calls.so"
        try:
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", str(Path(__file__).with_name("driver_calls.c")), "-o", str(target)], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            self.missing = f"driver_calls.c was not compiled: {error}"
            return
        import gpustream
        self.function = ctypes.CDLL(str(target)).driver_ns
        self.function.restype = ctypes.c_double
        self.function.argtypes = [ctypes.c_char_p, ctypes.c_int] + [ctypes.c_void_p] * 3 + [ctypes.c_long]
        # Objects of its own: gpustream elides nothing on an event whose raw handle was exported.
        self.stream, self.other = gpustream.Stream(), gpustream.Stream()
        self.event, self.start, self.end = gpustream.Event(), gpustream.Event(True), gpustream.Event(True)
        gpustream.set_device(0)  # its context is there now: creating events and streams needs it
        for one in (self.event, self.start, self.end):
            one.record(self.stream)
        self.stream.synchronize()

    def time(self, call, number):
        event, stream, second = self.event, self.stream, None
        if call == "elapsed":
            event, second = self.start, self.end
        elif call == "wait, pending event":
            event, stream = self.names["pending"], self.other
        elif call == "wait, complete event":
            stream = self.other
        number_of_first = event.native_handle
        if call.startswith("graph"):
            number_of_first, second = self.names["executable"].native_handle, self.names["second"]
        taken = self.function(self.path, NUMBERS[call], number_of_first, stream.native_handle, second and second.native_handle, number)
        if taken < 0:
            raise RuntimeError(f"{-taken:.0f} calls of the driver failed")
        return taken

    def reset(self):
        self.stream.synchronize()
        self.other.synchronize()
