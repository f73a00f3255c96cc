# SPDX-License-Identifier: Apache-2.0
"""The host backend's."""
from __future__ import annotations

import gpustream._backends as backends


class Special(backends.Special):
    has_dlpack_streams = False  # DLPack's CPU devices have none
    dlpack_device, dlpack_pinned = 1, 1
    copies_arguments = False  # of kernels that do not say how large they are
    spins = False  # a waiting thread sleeps until it is woken
    title = "Host"
    device_word = "Device"
    allocator = "host"
