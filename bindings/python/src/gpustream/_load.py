# SPDX-License-Identifier: Apache-2.0
"""Loads the extension, so that all languages of a process share one copy of libgpustream.so.0.

The extension names the library as needed, and carries a copy beside it. A copy that is in the process already serves
instead, since the loader goes by the name. GPUSTREAM_LIBRARY names another file, for those who build the library
themselves: it is loaded first and so is the one that serves.

GPUSTREAM_GIL=release makes every call that reaches the driver release the GIL (native/gil.h in the source tree).
"""
from __future__ import annotations

import os


def _preload() -> None:
    path = os.environ.get("GPUSTREAM_LIBRARY")
    if not path:
        return
    import ctypes  # here, as few need it and it makes the import slow

    try:
        ctypes.CDLL("libgpustream.so.0", mode=os.RTLD_NOLOAD | os.RTLD_LOCAL)
    except OSError:
        try:
            library = ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
        except OSError as error:
            raise ImportError(f"GPUSTREAM_LIBRARY={path}: {error}") from error
        if not hasattr(library, "gs_abi_version"):
            raise ImportError(f"GPUSTREAM_LIBRARY={path} is not libgpustream: it has no function gs_abi_version")


def _check_gil_setting() -> None:
    word = os.environ.get("GPUSTREAM_GIL", "")
    if word not in ("", "keep", "release"):
        import warnings

        warnings.warn(f"gpustream: GPUSTREAM_GIL={word} is ignored: it is keep or release", RuntimeWarning, stacklevel=4)


_check_gil_setting()
_preload()

try:
    from gpustream import _core  # noqa: E402
except ImportError as failure:
    from gpustream._load_hints import hint

    advice = hint(str(failure), os.path.dirname(os.path.abspath(__file__)))
    if not advice:
        raise
    raise ImportError(f"{failure}; {advice}", name=failure.name, path=failure.path) from failure

__all__ = ["_core"]
