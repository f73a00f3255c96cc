# SPDX-License-Identifier: Apache-2.0
"""The source's side: slots with memory and a token, used again when no process reads them any more.

A slot's file is locked by its readers, shared, from the message's arrival to the end of their copies. The kernel takes the
lock of a process that is killed away. The source takes the lock for itself alone before it uses a slot again.
"""
from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import threading

import gpustream
from gpustream.errors import Status, fail

from gpustream_ray._files import Folder
from gpustream_ray._layout import PAGE, address_of, write_header

_SMALLEST = 64 * 1024


def limit() -> int:
    """The most bytes of slots that a process has, free ones included: GPUSTREAM_RAY_BYTES, else 1 GiB."""
    return int(os.environ.get("GPUSTREAM_RAY_BYTES") or 1 << 30)


class Slot:
    """Memory for one object at a time, and the token of the point behind the copies into it."""

    def __init__(self, folder: Folder, number: int, capacity: int) -> None:
        self.name = str(number)
        self.capacity = capacity
        self.generation = 0
        self._token: gpustream.Token | None = None
        self.path = folder.path / self.name
        self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.posix_fallocate(self._fd, 0, PAGE + capacity)  # a full /dev/shm fails here instead of at the first write
            self._memory = mmap.mmap(self._fd, PAGE + capacity)
        except BaseException:
            self.remove()
            raise
        self.address = address_of(self._memory)

    def lease(self, stream: gpustream.Stream) -> bytes:
        """The token of the stream's present end, for the message."""
        self._token = gpustream.Token(stream)
        return bytes(self._token)

    def is_free(self) -> bool:
        """Whether neither the source's copies nor a reader need it. Then it has a new generation, for which no message exists."""
        try:
            if self._token is not None and self._token.status is Status.NOT_READY:
                return False
        except gpustream.Error:
            pass  # the token was given up, so its point was reached; or the copies were dropped
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        self._token = None
        self.generation += 1
        write_header(self._memory, self.generation)
        fcntl.flock(self._fd, fcntl.LOCK_UN)
        return True

    def remove(self) -> None:
        """Memory that is mapped stays until it is unmapped."""
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()
        os.close(self._fd)


class Outbox:
    """All slots of the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._folder: Folder | None = None
        self._returned: list[Slot] = []
        self._bytes = 0
        self._used = 0
        self._made = 0

    def take(self, size: int) -> Slot:
        """A slot with room for size bytes.

        Raises gpustream.OutOfMemoryError: slots that are still read fill the limit, or /dev/shm is full.
        """
        with self._lock:
            slot = self._find(size) or self._make(size)
            self._used += 1
            return slot

    def give_back(self, slot: Slot) -> None:
        """The object is gone. The slot is used again when its readers are done."""
        with self._lock:
            self._returned.append(slot)
            self._used -= 1

    def stats(self) -> dict[str, int]:
        with self._lock:
            return {"slots": self._used + len(self._returned), "bytes": self._bytes, "used": self._used}

    @property
    def folder(self) -> str:
        """Empty before the first slot."""
        return str(self._folder.path) if self._folder else ""

    def close(self) -> None:
        with self._lock:
            if self._folder:
                self._folder.close()
                self._folder = None

    def _find(self, size: int) -> Slot | None:
        # The oldest first: its readers are the most likely to be done.
        for index, slot in enumerate(self._returned):
            if size <= slot.capacity <= max(_SMALLEST, 4 * size) and slot.is_free():
                return self._returned.pop(index)
        return None

    def _make(self, size: int) -> Slot:
        capacity = max(_SMALLEST, 1 << (size - 1).bit_length())
        if self._bytes + capacity > limit():
            self._remove_free()
        if self._bytes + capacity > limit():
            raise fail(Status.OUT_OF_MEMORY, f"{self._used} objects of {self._bytes} bytes in {self.folder or 'no folder'} are alive or still "
                       f"read; with {capacity} bytes more they would be above the limit of {limit()} (GPUSTREAM_RAY_BYTES)")
        if self._folder is None:
            self._folder = Folder()
        self._made += 1
        try:
            slot = Slot(self._folder, self._made, capacity)
        except OSError as error:
            raise fail(Status.OUT_OF_MEMORY, f"no slot of {capacity} bytes in {self.folder}: {error.strerror}") from error
        self._bytes += capacity
        slot.is_free()
        return slot

    def _remove_free(self) -> None:
        for slot in [slot for slot in self._returned if slot.is_free()]:
            self._returned.remove(slot)
            self._bytes -= slot.capacity
            slot.remove()
