# SPDX-License-Identifier: Apache-2.0
"""Memory that devices and tests both read and write."""
import ctypes

import gpustream


class Pinned:
    def __init__(self, size=64):
        self.size = size
        self.address = gpustream._malloc_host(size)
        ctypes.memset(self.address, 0, size)

    def __bytes__(self):
        return ctypes.string_at(self.address, self.size)

    def __getitem__(self, index):
        return bytes(self)[index]

    def set(self, value):
        ctypes.memset(self.address, value, self.size)

    def set_word(self, value, index=0):
        ctypes.c_uint32.from_address(self.address + 4 * index).value = value

    def free(self):
        gpustream._free_host(self.address)
