# SPDX-License-Identifier: Apache-2.0
"""The destination's side: slots of other processes, opened once each, and leases on them."""
from __future__ import annotations

import errno
import fcntl
import mmap
import os
import threading
from pathlib import Path

import gpustream
from gpustream.errors import Status, fail

from gpustream_ray import _cuda, _files
from gpustream_ray._errors import StaleHandoverError, UnreachableError
from gpustream_ray._layout import address_of, read_device, read_generation, users_of

_KEPT = 256  # slots that stay open without a lease


class Opened:
    """A slot of another process."""

    device: int | None = None  # of the host's memory

    def __init__(self, path: Path) -> None:
        self.leases = 0
        self._fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            self._memory = mmap.mmap(self._fd, 0)
        except BaseException:
            os.close(self._fd)
            raise
        self.address = address_of(self._memory)

    def lock(self) -> bool:
        """False: the source has taken the slot for its next object."""
        if self.leases == 0:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        self.leases += 1
        return True

    def unlock(self) -> None:
        self.leases -= 1
        if self.leases == 0:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def generation(self) -> int:
        return read_generation(self._memory)

    def close(self) -> None:
        os.close(self._fd)


class OpenedDevice(Opened):
    """A slot in memory of a GPU. The source does not free the memory while it is open here."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            self._users = os.open(users_of(path), os.O_RDWR | os.O_CLOEXEC)
        except BaseException:
            super().close()
            raise
        try:
            self._open_memory()
        except BaseException:
            os.close(self._users)
            super().close()
            raise

    def _open_memory(self) -> None:
        try:
            fcntl.flock(self._users, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FileNotFoundError from None  # it is being removed
        if self.generation() == 0:
            raise FileNotFoundError
        name, handle = read_device(self._memory)
        device = _cuda.device_named(name)
        if device is None:
            raise UnreachableError(f"the source is on the GPU {name}, which this process does not see: place both on one GPU, or take "
                                   "the contents by to_bytes()")
        self.device = self._device = device
        self.address = _cuda.open_handle(device, handle)

    def close(self) -> None:
        try:
            _cuda.close_handle(self._device, self.address)
        finally:
            os.close(self._users)
            super().close()


class Lease:
    """Keeps a slot as the message described it. release() may be called by any thread, and more than once."""

    def __init__(self, inbox: Inbox, opened: Opened, token: gpustream.Token) -> None:
        self._inbox = inbox
        self._opened: Opened | None = opened
        self._token = token
        self.address = opened.address
        self.device = opened.device
        self.memory = opened  # keeps it mapped

    def order(self, stream: gpustream.Stream) -> None:
        """Later work of the stream comes after the source's copies. Does not block.

        Raises:
            gpustream.PeerLostError: the source's process has ended before they were done.
            What else Token.wait() raises.
        """
        try:
            self._token.wait(stream)
        except gpustream.InvalidHandleError:
            if not self._token_is_over():  # it is the stream
                raise

    def _token_is_over(self) -> bool:
        """Another destination has waited, or it was made long ago. A token is given up only after its point is reached, and the
        slot still has the generation for which it was made: so the copies are done."""
        try:
            self._token.status  # noqa: B018
        except gpustream.InvalidHandleError:
            return True
        return False

    def release(self) -> None:
        self._inbox.release(self)

    def __del__(self) -> None:
        self.release()


class Inbox:
    """The opened slots of the process."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a lease may end inside a call, by the garbage collector
        self._opened: dict[tuple[str, str], Opened] = {}  # the least recently used first

    def lease(self, folder: str, slot: str, generation: int, token: bytes, on_gpu: bool = False) -> Lease:
        """Opens a slot, or finds it.

        Raises:
            gpustream.PeerLostError: the source's process is gone.
            StaleHandoverError: the source has freed the object.
            UnreachableError: the source's files cannot be opened here, or its GPU is not there.
            gpustream.DriverError: the driver does not open the memory.
        """
        key = (folder, slot)
        with self._lock:
            opened = self._opened.get(key)
            if opened is None:
                opened = self._open(Path(folder), slot, on_gpu)
            else:
                # Here: an error of the wait, which comes later, is a RaySystemError to Ray's callers.
                self._refuse_lost(Path(folder))
                del self._opened[key]
            self._opened[key] = opened
            if not opened.lock():
                raise StaleHandoverError(f"slot {slot} of {folder} is being used again")
            lease = Lease(self, opened, gpustream.Token.from_bytes(token))
            self._close_some()
        if (found := opened.generation()) != generation:
            lease.release()
            raise StaleHandoverError(f"slot {slot} of {folder} has generation {found}; the message names {generation}")
        return lease

    def release(self, lease: Lease) -> None:
        with self._lock:
            opened, lease._opened = lease._opened, None
            if opened is not None:
                opened.unlock()

    def stats(self) -> dict[str, int]:
        with self._lock:
            return {"opened": len(self._opened), "leases": sum(opened.leases for opened in self._opened.values())}

    def _open(self, folder: Path, slot: str, on_gpu: bool) -> Opened:
        if all(key[0] != str(folder) for key in self._opened):
            self._close_lost()  # a new process: maybe in the place of another one
        self._refuse_lost(folder)
        try:
            return (OpenedDevice if on_gpu else Opened)(folder / slot)
        except FileNotFoundError:
            self._refuse_lost(folder)
            raise StaleHandoverError(f"slot {slot} of {folder} is gone") from None
        except OSError as error:
            raise UnreachableError(f"slot {slot} of {folder} cannot be opened here: {errno.errorcode.get(error.errno or 0)}") from error

    def _refuse_lost(self, folder: Path) -> None:
        if not _files.has_owner(folder):
            _files.sweep()
            raise fail(Status.PEER_LOST, f"the process of {folder} is gone")

    def _close_lost(self) -> None:
        """Closes what is open of processes that are gone."""
        lost = {folder for folder, _ in self._opened if not _files.has_owner(Path(folder))}
        for key in [key for key, opened in self._opened.items() if key[0] in lost and not opened.leases]:
            self._opened.pop(key).close()

    def _close_some(self) -> None:
        retired = [key for key, opened in self._opened.items() if opened.device is not None and not opened.leases and opened.generation() == 0]
        for key in retired:
            self._opened.pop(key).close()
        if len(self._opened) > _KEPT:
            for key in [key for key, opened in self._opened.items() if not opened.leases][:len(self._opened) - _KEPT]:
                self._opened.pop(key).close()
