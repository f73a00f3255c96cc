# SPDX-License-Identifier: Apache-2.0
"""Memory and kernels: enough to give a stream something to do. Addresses are plain ints."""
import ctypes
import os

from gpustream._load import _core
from gpustream.interop import as_stream


def _target(stream):
    return None if stream is None else as_stream(stream)


def _malloc_async(bytes, stream=None):
    """Allocate device memory in stream order; gives its address (int). See gs_malloc_async() in gpustream.h."""
    _core.start()
    return _core.gs_malloc_async(bytes, _target(stream))


def _free_async(pointer, stream=None):
    """Free device memory in stream order."""
    _core.gs_free_async(pointer, _target(stream))


def _malloc_host(bytes):
    """Allocate host memory that devices copy from and to asynchronously; gives its address (int). May block."""
    _core.start()
    return _core.gs_malloc_host(bytes)


def _free_host(pointer):
    """Free memory of _malloc_host(). May block."""
    _core.gs_free_host(pointer)


def _memcpy_async(dst, src, bytes, stream=None):
    """Copy memory in stream order, host or device on either side. May block for pageable host memory."""
    _core.gs_memcpy_async(dst, src, bytes, _target(stream))


def _memset_async(dst, value, bytes, stream=None):
    """Fill device memory with a byte in stream order."""
    _core.gs_memset_async(dst, value, bytes, _target(stream))


class _Module:
    """Kernels loaded onto a device.

    image: bytes of PTX, cubin, fatbin (CUDA) or a shared object (host); a str or path names a file that holds one.
    """

    __slots__ = ("_handle",)

    def __init__(self, image, device=None):
        self._handle = 0
        _core.start()
        self._handle = _core.gs_module_load(device, image if isinstance(image, (bytes, bytearray, memoryview)) else os.fspath(image))

    def kernel(self, name):
        """Find a kernel by its symbol (_Kernel)."""
        return _Kernel(self, _core.gs_module_get_kernel(self._handle, name))

    def close(self):
        """Unload. On CUDA no launch of its kernels may be pending. May block; a second call does nothing."""
        handle, self._handle = self._handle, 0
        if handle:
            _core.gs_module_destroy(handle)

    def __del__(self):
        self.close()


class _Kernel:
    """One kernel; keeps its module."""

    __slots__ = ("_handle", "_module")

    def __init__(self, module, handle):
        self._module = module
        self._handle = handle

    def launch(self, grid, block, arguments=(), stream=None, shared=0):
        """Submit the kernel to a stream.

        Args:
            grid, block: (x, y, z); shorter tuples are filled with 1.
            arguments: ctypes values (c_void_p, c_uint32, ...). On host they must stay alive until the kernel has run,
                unless its shared object says how large they are (gs_kernel_launch() in gpustream.h).
            stream: None: the current one.
            shared: dynamic shared memory per block, bytes.
        """
        pointers = (ctypes.c_void_p * max(1, len(arguments)))(*(ctypes.addressof(value) for value in arguments))
        config = (*(*grid, 1, 1)[:3], *(*block, 1, 1)[:3], shared)
        _core.gs_kernel_launch(self._handle, config, ctypes.addressof(pointers), _target(stream))
