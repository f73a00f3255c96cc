# SPDX-License-Identifier: Apache-2.0
"""Memory of another library."""


class CudaArray:
    """An array of float32 at an address."""

    def __init__(self, address, shape, strides=None):
        self.__cuda_array_interface__ = {"data": (address, False), "shape": shape, "strides": strides, "typestr": "<f4", "version": 3}
