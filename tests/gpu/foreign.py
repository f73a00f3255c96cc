# SPDX-License-Identifier: Apache-2.0
"""Finds CUDA libraries installed by other packages and opens them with ctypes."""

import ctypes as c
import glob
import os
import sysconfig


def find(pattern):
    roots = [sysconfig.get_paths()["purelib"], "/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu"]
    for root in roots:
        for middle in ("", "nvidia/*/lib/", "nvidia/*/*/lib/", "torch/lib/"):
            found = sorted(glob.glob(os.path.join(root, middle, pattern)))
            if found:
                return found[0]
    return None


def load(pattern):
    """The library; None if this machine lacks it."""
    path = find(pattern)
    return c.CDLL(path, mode=c.RTLD_GLOBAL) if path else None
