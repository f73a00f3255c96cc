# SPDX-License-Identifier: Apache-2.0
"""The folder that a process shares with those it hands arrays to, and what processes that were killed have left.

A process keeps a lock on a file of its folder as long as it lives. A folder whose lock is free belongs to no process.
"""
from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PREFIX = "gpustream-ray-"
_NEW = ".gpustream-ray-new-"  # until the lock is held
_ABANDONED_S = 3600.0
_OWNER = "owner"


def parent() -> Path:
    """Where the folders are: memory that all processes of the machine can map."""
    return Path(os.environ.get("GPUSTREAM_SHM_DIR") or "/dev/shm")


def machine() -> str:
    """Names the machine, as long as it runs, and the folder: a container may have a /dev/shm of its own."""
    folder = parent().stat()
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot}:{folder.st_dev:x}:{folder.st_ino:x}"


class Folder:
    """This process's own one. It goes with close(), at exit, or when another process finds that this one was killed."""

    def __init__(self) -> None:
        sweep()
        made = Path(tempfile.mkdtemp(prefix=_NEW, dir=parent()))
        self._fd = os.open(made / _OWNER, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        self.path = made.with_name(PREFIX + made.name.removeprefix(_NEW))
        made.rename(self.path)

    def close(self) -> None:
        if self._fd >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._fd)
            self._fd = -1


def has_owner(folder: Path) -> bool:
    """Whether the process that made a folder lives."""
    with _owner_lock(folder) as owned:
        return owned


def sweep() -> int:
    """Removes the folders of processes that are gone; returns how many."""
    removed = 0
    for folder in parent().glob(PREFIX + "*"):
        with _owner_lock(folder) as owned:
            if not owned:
                shutil.rmtree(folder, ignore_errors=True)
                removed += 1
    for folder in parent().glob(_NEW + "*"):  # killed between the first two lines of a life
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > _ABANDONED_S:
                shutil.rmtree(folder, ignore_errors=True)
    return removed


@contextlib.contextmanager
def _owner_lock(folder: Path) -> Iterator[bool]:
    """True: another process holds the lock, or the folder is not ours to look at. False: this block holds it."""
    try:
        fd = os.open(folder / _OWNER, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        yield folder.exists()
        return
    except OSError:
        yield True
        return
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield True
    else:
        yield False
    finally:
        os.close(fd)
