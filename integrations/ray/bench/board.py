# SPDX-License-Identifier: Apache-2.0
"""What the processes of a measurement tell each other: a page of numbers in a file, each written by one process."""
import mmap
import os
import tempfile
import time

LIMIT = 30.0  # seconds, of what ends by itself
_FIELDS = ("submitted", "armed", "go", "seen", "source_ns", "destination_ns")


class Failed(RuntimeError):
    """A process did not come as far as it should."""


class Board:
    """submitted, armed, go and seen have the turn for which that was reached; the others a time of the monotonic clock."""

    def __init__(self, path):
        self.path = path
        with open(path, "r+b") as file:
            self._page = mmap.mmap(file.fileno(), mmap.PAGESIZE)
        self._numbers = memoryview(self._page).cast("q")

    @classmethod
    def new(cls):
        fd, path = tempfile.mkstemp(prefix="gpustream-board-")
        os.truncate(fd, mmap.PAGESIZE)
        os.close(fd)
        return cls(path)

    def __getitem__(self, name):
        return self._numbers[_FIELDS.index(name)]

    def __setitem__(self, name, value):
        self._numbers[_FIELDS.index(name)] = value

    def wait(self, name, turn, limit=LIMIT):
        """Sleeps, so that the process's other threads run."""
        end = time.monotonic() + limit
        while self[name] < turn:
            if time.monotonic() > end:
                raise Failed(f"turn {turn}: not {name} after {limit:g} s")
            time.sleep(20e-6)

    def remove(self):
        os.unlink(self.path)
