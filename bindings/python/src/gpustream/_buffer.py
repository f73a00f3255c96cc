# SPDX-License-Identifier: Apache-2.0
"""gpustream.Buffer: what it has beyond the extension's class, which allocates and frees."""
from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from gpustream import _later
from gpustream._extend import Owner, extend
from gpustream._load import _core
from gpustream.interop import to_cuda_array_interface

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from typing_extensions import Self

    from gpustream._types import DeviceLike, StreamLike


def _dtype_name(dtype: Any) -> str:
    """The name of an element type, which NumPy and others have as an attribute of a type or of its class."""
    if isinstance(dtype, str):
        return dtype
    if not getattr(dtype, "isnative", True):
        raise ValueError(f"argument 'dtype': elements of {dtype} have another byte order than the device's")
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None)
    if not isinstance(name, str):
        raise TypeError(f"argument 'dtype' must be str, not {type(dtype).__name__}")
    return name


@extend
class Buffer(_core.Buffer, Owner):
    """Buffer(nbytes, *, stream=None, device=None, pinned=False, pool=None)

    Bytes on a device, or in page-locked memory of the host, allocated and freed in stream order.

    The memory has no defined contents. The methods work in the current stream of the buffer's device unless they are given
    one. The first use in another stream than that of the allocation waits for what the latter has then; between uses in
    different streams nothing waits. Dropping the object frees the memory after the work that all streams of such uses have
    then; record_stream() is for work that goes by the address.

    Args:
        nbytes: size; of 0 bytes nothing is allocated, and the address is 0.
        stream: a stream, also another library's; None: the current one of the device.
        device: where; None: the stream's device, or the current one.
        pinned: memory of the host that devices copy from and to without detours.
        pool: a MemPool, or the number of a gs_pool_t (int); None: the thread's current one, or for pinned memory one that the
            package makes for each device.

    Raises:
        gpustream.InvalidArgumentError: nbytes is not from 0 to 2**63 - 1, or pinned contradicts the pool.
        gpustream.OutOfMemoryError: there is not so much memory, or the pool's limit would be exceeded.
        gpustream.DeviceMismatchError: the stream, or the pool, belongs to another device.
        gpustream.InvalidHandleError: the stream or the pool was closed.
        gpustream.NotSupportedError: the device cannot allocate in stream order, or has no pools of pinned memory.
        TypeError: an argument is of another type.

    In a stream that is being captured, the memory is the graph's: it is freed where the buffer is dropped during the
    capture, and dropping it later does nothing. Memory from before a capture that is dropped during it is kept by the graph.

    A part of a buffer, made by a slice or view(), keeps it alive. Any thread; does not block, but for the first use of a
    device. See gs_malloc_async() in gpustream.h.
    """

    __slots__ = ()
    _what = "memory belongs to this process's driver"
    _way_out = "to_bytes() copies its contents"

    @classmethod
    def empty(cls, nbytes: SupportsIndex, *, stream: StreamLike | None = None, device: DeviceLike = None, pinned: bool = False,
              pool: Any = None) -> Self:
        """Buffer(), under the name that array libraries have for it."""
        return cls(nbytes, stream=stream, device=device, pinned=pinned, pool=pool)

    @classmethod
    def zeros(cls, nbytes: SupportsIndex, *, stream: StreamLike | None = None, device: DeviceLike = None, pinned: bool = False,
              pool: Any = None) -> Self:
        """A buffer that is filled with zeros in the stream of its allocation. Arguments and errors as Buffer()."""
        made = cls(nbytes, stream=stream, device=device, pinned=pinned, pool=pool)
        return made.fill_(0, stream=made.stream)

    @classmethod
    def from_bytes(cls, data: Any, *, stream: StreamLike | None = None, device: DeviceLike = None, pinned: bool = False,
                   pool: Any = None) -> Self:
        """A buffer with a copy of data, any object with the buffer protocol; arguments and errors as Buffer() and copy_().

        The copy is made in the stream of the allocation. data must not change until it is done; it is kept as long.
        """
        with memoryview(data) as seen:
            size = seen.nbytes
        made = cls(size, stream=stream, device=device, pinned=pinned, pool=pool)
        return made.copy_(data, stream=made.stream)

    def copy_(self, src: Any, *, stream: StreamLike | None = None) -> Self:
        """Copy as many bytes as the buffer has from src in stream order, and return the buffer.

        Args:
            src: a Buffer; an object with the buffer protocol; or one with __dlpack__() or __cuda_array_interface__, whose
                stream is waited for as the protocol has it. It is kept until the copy is done, and must not change until
                then.
            stream: where the copy is made; None: the current stream of the buffer's device.

        Raises:
            ValueError: src has another size, overlaps the buffer, or has gaps.
            TypeError: src is no memory or has Python objects, or the buffer is read-only.
            BufferError: src is not available by DLPack.
            gpustream.InvalidHandleError: one of both, or the stream, was closed.

        Does not block, but for host memory that is not page-locked, and in a capture for the allocation. See gs_memcpy_async() in gpustream.h.
        """
        self._check_writable()
        _later.load("_buffer_copy").copy(self, src, stream)
        return self

    def fill_(self, value: SupportsIndex = 0, *, stream: StreamLike | None = None) -> Self:
        """Set every byte to value, 0 to 255, in stream order, and return the buffer. stream: as of copy_().

        Raises:
            gpustream.InvalidArgumentError: value is not from 0 to 255.
            TypeError: value is no int, or the buffer is read-only.
            gpustream.InvalidHandleError: the buffer or the stream was closed.

        Does not block, but in a capture for the allocation. See gs_memset_async() in gpustream.h.
        """
        self._check_writable()
        _later.load("_buffer_copy").fill(self, value, stream)
        return self

    def set_name(self, name: str | None) -> None:
        """Set the name that GPUSTREAM_LEAKS shows if the memory is left at exit; the first 63 bytes count. None removes the name.

        Raises:
            gpustream.InvalidArgumentError: no allocation begins here: it is a part, another library's memory or a graph's.
            gpustream.InvalidHandleError: the buffer was closed.
            TypeError: name is no str.

        Does not block. See gs_memory_set_name() in gpustream.h.
        """
        _core.gs_memory_set_name(self.ptr, name)

    def _check_writable(self) -> None:
        if self.readonly:
            raise TypeError("the buffer is read-only")

    def to_bytes(self, *, stream: StreamLike | None = None) -> bytes:
        """The contents after the work that the stream has now. stream: as of copy_().

        Blocks until that is done. Raises what Stream.synchronize() raises, gpustream.InvalidHandleError if the buffer was
        closed, and gpustream.CapturingError if the stream is being captured.
        """
        return self._to_bytes(self._use(stream))

    def free_after(self, *streams: StreamLike) -> None:
        """Free the memory once these streams, too, have done what they have now: record_stream() of each, and close().

        Raises what these raise. If a stream is none, nothing is freed. Does not block. See gs_free_after() in gpustream.h.
        """
        for stream in streams:
            self.record_stream(stream)
        self.close()

    def view(self, dtype: Any = None, shape: SupportsIndex | tuple[SupportsIndex, ...] | None = None) -> Buffer:
        """The same memory as elements of another type or in another shape, without gaps; it keeps the buffer alive.

        Args:
            dtype: a name as NumPy has it: bool, int8 to int64, uint8 to uint64, float16 to float64, bfloat16, complex64,
                complex128; or an object with such a name. None: as it is.
            shape: extents, of which one may be -1, which means what is left; None: one axis.

        Raises:
            ValueError: there is no such type, its elements would be misaligned, or the sizes do not fit.
            TypeError: an argument is of another type.
            gpustream.InvalidHandleError: the buffer was closed.
        """
        name = self.dtype if dtype is None else _dtype_name(dtype)
        if shape is None:
            return self._part(0, self.nbytes, name, None)
        extents = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
        if extents.count(-1) == 1:
            one = self._part(0, 0, name, None).itemsize * prod(int(extent) for extent in extents if extent != -1)
            if one == 0 or self.nbytes % one:
                raise ValueError(f"{self.nbytes} bytes have no shape {extents} of {name}")
            extents = tuple(self.nbytes // one if extent == -1 else extent for extent in extents)
        return self._part(0, self.nbytes, name, extents)

    def __getitem__(self, index: slice) -> Buffer:
        """A part along the first axis, in the same memory; it keeps the buffer alive.

        Raises TypeError: index is no slice. ValueError: its step is not 1. gpustream.InvalidHandleError: the buffer was closed.
        """
        if not isinstance(index, slice):
            raise TypeError(f"buffers are indexed by slices, not by {type(index).__name__}; memoryview() and to_bytes() have elements")
        start, stop, step = index.indices(len(self))
        if step != 1:
            raise ValueError(f"a part of a buffer has no gaps: the step is 1, not {step}")
        count, row = max(0, stop - start), self.itemsize * prod(self.shape[1:])
        return self._part(min(start * row, self.nbytes), count * row, self.dtype, (count, *self.shape[1:]))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """What NumPy asks for where the buffer protocol has refused: raises what that raised."""
        import numpy
        whole: Any = self
        array = numpy.asarray(memoryview(whole), dtype=dtype)
        return array.copy() if copy else array

    def __len__(self) -> int:
        """Elements along the first axis."""
        if not self.shape:
            raise TypeError("the buffer has no axis")
        return self.shape[0]

    def __bool__(self) -> bool:
        return True

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Version 3 of the interface, with the current stream, which waits for the others that have used the memory. Only
        memory of CUDA devices has it."""
        dlpack = _later.load("_buffer_dlpack")
        if not dlpack.is_cuda(self):
            raise AttributeError("memory of the host has no __cuda_array_interface__; the buffer protocol and DLPack show it")
        if self._typestr is None:
            raise AttributeError(f"__cuda_array_interface__ has no {self.dtype}; DLPack has")
        return {"shape": self.shape, "typestr": self._typestr, "data": (self.ptr if self.nbytes else 0, self.readonly), "version": 3,
                "strides": None, "stream": to_cuda_array_interface(dlpack.order_behind_all(self, self._use(None)))}

    def __dlpack_device__(self) -> tuple[int, int]:
        """(type, number) of the device, by DLPack's numbers: 2 CUDA, 3 page-locked, 1 host."""
        device: tuple[int, int] = _later.load("_buffer_dlpack").device_of(self)
        return device

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> object:
        """A DLPack capsule for from_dlpack() of another library. The buffer cannot be closed while a consumer has it.

        Args:
            stream: the number of the consumer's stream, which is made to wait for those that have used the buffer; None:
                the default stream, and for memory of the host the caller, who is blocked until they are done; -1: nothing
                waits.
            max_version: what the consumer understands; None or below (1, 0): a capsule as before DLPack 1.0.
            dl_device: where the consumer wants it: where it is, or (1, 0), the host, which takes a copy of device memory.
            copy: True: a copy, made in the current stream; False: never one.

        Raises:
            BufferError: it is not available without a copy, or on that device; it is read-only and max_version is below (1, 0).
            ValueError: stream is no number that DLPack has for the device.
            TypeError: an argument is of another type.
            gpustream.InvalidHandleError: the buffer was closed.
        """
        return _later.load("_buffer_dlpack").to_capsule(self, stream, max_version, dl_device, copy)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return f"<gpustream.{type(self).__name__} closed>"
        where = f"{self.device}{' pinned' if self.pinned else ''}"
        kind = "" if self.dtype == "uint8" and len(self.shape) == 1 else f" dtype={self.dtype} shape={self.shape}"
        return f"<gpustream.{type(self).__name__} nbytes={self.nbytes}{kind} device={where} ptr={self.ptr:#x}>"
