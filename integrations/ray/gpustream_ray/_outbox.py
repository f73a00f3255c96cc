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

from gpustream_ray import _cuda
from gpustream_ray._files import Folder
from gpustream_ray._layout import PAGE, address_of, users_of, write_device, write_header

def limit() -> int:
    """The most bytes of slots that a process has on the host, and on each GPU, free ones included: GPUSTREAM_RAY_BYTES, else 1 GiB."""
    text = os.environ.get("GPUSTREAM_RAY_BYTES") or str(1 << 30)
    if not text.isdecimal():
        raise fail(Status.INVALID_ARGUMENT, f"GPUSTREAM_RAY_BYTES={text!r} is no number of bytes")
    return int(text)


class Slot:
    """Memory for one object at a time, and the token of the point behind the copies into it."""

    SMALLEST = 64 * 1024
    address: int

    def __init__(self, folder: Folder, number: int, capacity: int) -> None:
        self.name = str(number)
        self.capacity = capacity
        self.generation = 0
        self._token: gpustream.Token | None = None
        self.path = folder.path / self.name
        self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            self._allocate()
        except BaseException:
            self.remove()
            raise

    def _allocate(self) -> None:
        self._map(PAGE + self.capacity)
        self.address = address_of(self._memory)

    def _map(self, size: int) -> None:
        os.posix_fallocate(self._fd, 0, size)  # a full /dev/shm fails here instead of at the first write
        self._memory = mmap.mmap(self._fd, size)

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

    def retire(self) -> bool:
        """Of a free slot, which is not used again: whether it can be removed now."""
        return True

    def remove(self) -> None:
        """Memory that is mapped stays until it is unmapped."""
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()
        os.close(self._fd)


class DeviceSlot(Slot):
    """Memory of a GPU, which processes open by the driver. It is freed only when none has it open, as the driver demands."""

    SMALLEST = _cuda.BLOCK

    def __init__(self, folder: Folder, number: int, capacity: int, device: int) -> None:
        self._device = device
        self.address = 0
        self._users = -1
        super().__init__(folder, number, capacity)

    def _allocate(self) -> None:
        self._map(PAGE)
        self._users = os.open(users_of(self.path), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        self.address, handle = _cuda.allocate(self._device, self.capacity)
        write_device(self._memory, _cuda.name_of(self._device), handle)

    def retire(self) -> bool:
        write_header(self._memory, 0)  # who has it open closes it at its next hand-over
        try:
            fcntl.flock(self._users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def remove(self) -> None:
        super().remove()
        with contextlib.suppress(FileNotFoundError):
            users_of(self.path).unlink()
        if self._users >= 0:
            os.close(self._users)
        if self.address:
            _cuda.free(self._device, self.address)


class Outbox:
    """All slots of the process in one memory: the host's, or a GPU's."""

    def __init__(self, device: int | None = None) -> None:
        self._device = device
        self._smallest = Slot.SMALLEST if device is None else DeviceSlot.SMALLEST
        self._retired: list[Slot] = []
        self._lock = threading.Lock()
        self._folder: Folder | None = None
        self._returned: list[Slot] = []
        self._bytes = 0
        self._used = 0
        self._made = 0

    def take(self, size: int) -> Slot:
        """A slot with room for size bytes.

        Raises gpustream.OutOfMemoryError: slots that are still written or read fill the limit, or /dev/shm is full.
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
            return {"slots": self._used + len(self._returned) + len(self._retired), "bytes": self._bytes, "used": self._used}

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
            if size <= slot.capacity <= max(self._smallest, 4 * size) and slot.is_free():
                return self._returned.pop(index)
        return None

    def _make(self, size: int) -> Slot:
        capacity = max(self._smallest, 1 << (size - 1).bit_length())
        if self._bytes + capacity > limit():
            self._remove_free()
        if self._bytes + capacity > limit():
            raise fail(Status.OUT_OF_MEMORY, f"{self._used} objects of {self._bytes} bytes in {self.folder or 'no folder'} are alive, still written "
                       f"or still read; with {capacity} bytes more they would be above the limit of {limit()} (GPUSTREAM_RAY_BYTES)")
        if self._folder is None:
            self._folder = Folder()
        self._made += 1
        try:
            slot = self._new_slot(self._folder, capacity)
        except gpustream.OutOfMemoryError:
            self._remove_free()
            slot = self._new_slot(self._folder, capacity)
        self._bytes += capacity
        slot.is_free()
        return slot

    def _new_slot(self, folder: Folder, capacity: int) -> Slot:
        try:
            if self._device is None:
                return Slot(folder, self._made, capacity)
            return DeviceSlot(folder, self._made, capacity, self._device)
        except OSError as error:
            raise fail(Status.OUT_OF_MEMORY, f"no slot of {capacity} bytes in {self.folder}: {error.strerror}") from error

    def _remove_free(self) -> None:
        for slot in [slot for slot in self._returned if slot.is_free()]:
            self._returned.remove(slot)
            self._retired.append(slot)
        for slot in [slot for slot in self._retired if slot.retire()]:
            self._retired.remove(slot)
            self._bytes -= slot.capacity
            slot.remove()
