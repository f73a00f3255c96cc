# SPDX-License-Identifier: Apache-2.0
"""Loads the extension, so that all languages of a process share one copy of libgpustream.so.0.

The extension names the library as needed, and carries a copy beside it. A copy that is in the process already serves
instead, since the loader goes by the name. GPUSTREAM_LIBRARY names another file, for people who build the library
themselves; it is loaded first and so becomes the one.
"""
import ctypes
import os


def _preload():
    path = os.environ.get("GPUSTREAM_LIBRARY")
    if not path:
        return
    try:
        ctypes.CDLL("libgpustream.so.0", mode=os.RTLD_NOLOAD | os.RTLD_LOCAL)
    except OSError:
        try:
            ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
        except OSError as error:
            raise ImportError(f"GPUSTREAM_LIBRARY={path}: {error}") from error


_preload()

from gpustream import _core  # noqa: E402

__all__ = ["_core"]
