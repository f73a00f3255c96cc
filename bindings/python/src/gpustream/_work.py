# SPDX-License-Identifier: Apache-2.0
"""Memory and kernels: enough to keep a stream busy. Addresses are ints."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpustream import _captures, _later, _owned
from gpustream._extend import Owner
from gpustream._host_memory import free_host, malloc_host
from gpustream._load import _core
from gpustream._out_of_memory import malloc
from gpustream.errors import NotPermittedError
from gpustream.interop import _optional

if TYPE_CHECKING:
    from typing_extensions import Self, TypedDict, Unpack

    from gpustream import generic
    from gpustream._types import DeviceLike, StreamLike

    Image = bytes | bytearray | memoryview | str | os.PathLike[str]

    class LaunchAttributes(TypedDict, total=False):
        cluster: Sequence[int]
        cooperative: bool
        programmatic: bool
        remote_domain: bool
        priority: int | None
        programmatic_event: generic.Event | None


def _malloc_async(bytes: int, stream: StreamLike | None = None) -> int:
    """Allocate device memory in stream order; returns its address (int). See gs_malloc_async() in gpustream.h."""
    _core.start()
    return malloc(bytes, _optional(stream))


def _free_async(pointer: int, stream: StreamLike | None = None) -> None:
    """Free device memory in stream order."""
    _core.gs_free_async(pointer, _optional(stream))


def _malloc_host(bytes: int) -> int:
    """Allocate host memory that devices copy from and to asynchronously; returns its address (int). May block."""
    _core.start()
    return malloc_host(bytes)


def _free_host(pointer: int) -> None:
    """Free memory of _malloc_host(). May block."""
    free_host(pointer)


def _memcpy_async(dst: int, src: int, bytes: int, stream: StreamLike | None = None) -> None:
    """Copy memory in stream order, host or device on either side. May block for pageable host memory."""
    _core.gs_memcpy_async(dst, src, bytes, _optional(stream))


def _memset_async(dst: int, value: int, bytes: int, stream: StreamLike | None = None) -> None:
    """Fill device memory with a byte in stream order."""
    _core.gs_memset_async(dst, value, bytes, _optional(stream))


class _LaunchValues:
    """A launch's geometry and arguments as the library wants them; keeps the memory that it points to."""

    __slots__ = ("_arguments", "_pointers", "address", "config")

    def __init__(self, config: dict[str, Any], arguments: Sequence[ctypes._SimpleCData[Any]]) -> None:
        self._arguments = tuple(arguments)
        self._pointers = (ctypes.c_void_p * max(1, len(arguments)))(*(ctypes.addressof(value) for value in arguments))
        self.address = ctypes.addressof(self._pointers)
        self.config = config


def _attributes(*, cluster: Sequence[int] = (0, 0, 0), cooperative: bool = False, programmatic: bool = False,
                remote_domain: bool = False, priority: int | None = None,
                programmatic_event: generic.Event | None = None) -> dict[str, Any]:
    """What a launch has beside its geometry: as gs_launch_config_t in gpustream.h, with a priority if one is given."""
    flags = (_core.GS_LAUNCH_COOPERATIVE * bool(cooperative) | _core.GS_LAUNCH_PROGRAMMATIC * bool(programmatic)
             | _core.GS_LAUNCH_REMOTE_DOMAIN * bool(remote_domain) | _core.GS_LAUNCH_PRIORITY * (priority is not None))
    x, y, z = (*cluster, 1, 1)[:3]
    return {"flags": flags, "cluster_x": x, "cluster_y": y, "cluster_z": z, "priority": priority or 0,
            "programmatic_event": programmatic_event}


def launch_values(grid: Sequence[int], block: Sequence[int], arguments: Sequence[ctypes._SimpleCData[Any]], shared: int,
                  attributes: LaunchAttributes) -> _LaunchValues:
    (grid_x, grid_y, grid_z), (block_x, block_y, block_z) = (*grid, 1, 1)[:3], (*block, 1, 1)[:3]
    config = {"grid_x": grid_x, "grid_y": grid_y, "grid_z": grid_z, "block_x": block_x, "block_y": block_y, "block_z": block_z,
              "shared_memory_bytes": shared}
    return _LaunchValues({**config, **_attributes(**attributes)} if attributes else config, arguments)


class _Module(Owner):
    """Kernels loaded onto a device.

    image: bytes of PTX, cubin, fatbin (CUDA) or a shared object (host); a str or path names a file that holds one.
    """

    __slots__ = ("_handle",)

    _handle: int

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """What __del__ needs, however __init__ ends."""
        self = super().__new__(cls)
        self._handle = 0
        return self

    def __init__(self, image: Image, device: DeviceLike = None) -> None:
        self.close()
        _core.start()
        self._handle = _core.gs_module_load(device, image if isinstance(image, (bytes, bytearray, memoryview)) else os.fspath(image))

    def kernel(self, name: str) -> _Kernel:
        """Find a kernel by its symbol (_Kernel)."""
        return _Kernel(self, _core.gs_module_get_kernel(self._handle, name))

    def close(self) -> None:
        """Unload. On CUDA no launch of its kernels may be pending. May block; a second call does nothing."""
        handle = _owned.take(self, "_handle", 0) if self._handle else 0
        if handle:
            try:
                _core.gs_module_destroy(handle)
            except NotPermittedError:
                self._handle = handle
                raise

    def __del__(self) -> None:
        if _owned is not None:  # None: the interpreter has taken its modules apart
            try:
                self.close()
            except NotPermittedError:  # in a function that holds a stream
                _later.load("_callbacks").unclosed.append(self)


class _Kernel(Owner):
    """One kernel; keeps its module."""

    __slots__ = ("_handle", "_module")

    def __init__(self, module: _Module, handle: int) -> None:
        self._module = module
        self._handle = handle

    def launch(self, grid: Sequence[int], block: Sequence[int], arguments: Sequence[ctypes._SimpleCData[Any]] = (),
               stream: StreamLike | None = None, shared: int = 0, **attributes: Unpack[LaunchAttributes]) -> None:
        """Submit the kernel to a stream.

        Args:
            grid, block: (x, y, z); shorter tuples are filled with 1.
            arguments: ctypes values (c_void_p, c_uint32, ...). On host they must stay alive until the kernel has run,
                unless its shared object says how large they are (gs_kernel_launch() in gpustream.h).
            stream: None: the current one.
            shared: dynamic shared memory per block, bytes.
            attributes: cluster (blocks of one along x, y, z), cooperative, programmatic (it may start before the kernel
                ahead has ended), remote_domain (bool), priority (int), programmatic_event (an Event that the launch
                records, perhaps before the kernel has ended). See gs_kernel_launch() in gpustream.h.
        """
        values = launch_values(grid, block, arguments, shared, attributes)
        target = _optional(stream)
        _core.gs_kernel_launch(self._handle, values.config, values.address, target)
        _captures.keep_for_capture(target, (self, values))
