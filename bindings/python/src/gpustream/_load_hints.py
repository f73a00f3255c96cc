# SPDX-License-Identifier: Apache-2.0
"""What to do about a failure to load the extension or the library. Imported only after one."""
from __future__ import annotations

import os
import platform

_LIBRARY = "libgpustream.so.0"


def hint(text: str, folder: str) -> str:
    """The loader's text says what is wrong; this says what helps. Empty: nothing more is known."""
    own = os.path.join(folder, _LIBRARY)
    machine = platform.machine()
    if "GLIBC_" in text:
        libc = " ".join(platform.libc_ver()) or "another C library"
        return f"this build needs a newer glibc than this system's ({libc}): install the wheel from PyPI, which needs 2.17, or build from source"
    if "failed to map segment" in text or "Operation not permitted" in text:
        return f"{folder} seems to be on a file system that is mounted noexec: install gpustream elsewhere, or remount it"
    if "libc.so: " in text or "libc.musl-" in text:
        return "this build is for musl, and this Python uses another C library: reinstall with pip of this Python"
    if "wrong ELF class" in text or "ELF file data encoding" in text or "e_machine" in text or _is_foreign(folder):
        return f"the installed files are for another processor than this Python's ({machine}): reinstall with pip of this Python"
    if _LIBRARY in text and not os.path.exists(own):
        return f"{own} is missing: reinstall gpustream, or name the library's file by GPUSTREAM_LIBRARY"
    if ": gs_" in text or "version `GPUSTREAM_" in text:  # a symbol that is not there, as glibc and musl word it
        return ("the libgpustream.so.0 that was loaded is older than this package: another program or GPUSTREAM_LIBRARY chose it; "
                "update it, or import gpustream first")
    # musl words every failure so, also those above.
    if "Error relocating" in text or "Error loading shared library" in text or "ld-linux-" in text:
        return "this wheel is for glibc, and this Python uses another C library (musl?): install the wheel for musl, or build gpustream from source"
    return ""


def _is_foreign(folder: str) -> bool:
    """Whether a library beside this file has another machine in its ELF header than the interpreter."""
    import glob
    import sys

    try:
        wanted = _machine(os.path.realpath(sys.executable))
        files = [os.path.join(folder, _LIBRARY), *glob.glob(os.path.join(folder, "_core*.so")), *glob.glob(os.path.join(folder, "_core", "*.so"))]
        return any(_machine(each) not in (wanted, None) for each in files if os.path.exists(each))
    except OSError:
        return False


def _machine(path: str) -> int | None:
    with open(path, "rb") as file:
        head = file.read(20)
    return int.from_bytes(head[18:20], "little") if head[:4] == b"\x7fELF" else None
