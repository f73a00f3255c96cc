# SPDX-License-Identifier: Apache-2.0
"""For those who build extensions that use the C library."""
from __future__ import annotations

import os

from gpustream._load import _core


def get_include() -> str:
    """The folder (str) with gpustream.h, gpustream_python.h (the package's C API) and gpustream.pxd (Cython)."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "include")


def get_library() -> str:
    """The file (str) of libgpustream that serves this process, to link with: give its path to the linker.

    An extension that is linked with it needs no path to it at run time if it imports gpustream first: the library is then in
    the process, and the loader goes by its name.
    """
    return os.path.abspath(_core.library_file())
