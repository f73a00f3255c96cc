# SPDX-License-Identifier: Apache-2.0
"""gpustream.Stream and gpustream.ExternalStream: what they have beyond a generic stream."""
from __future__ import annotations

from gpustream import generic
from gpustream._extend import extend, never_raises
from gpustream._load import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import SupportsIndex

    from typing_extensions import Self

    from gpustream._types import DeviceLike


@extend
class Stream(_core.Stream, generic.Stream):
    """Stream(device=None, priority=0, *, stream_id=, device_index=, device_type=, shared=False, blocking=False, dedicated=False)

    A stream: an ordered queue of device work. `with stream:` makes it current on the thread.

    Args:
        device: where: an int, a name ("cuda", "cuda:1", "host:0"), an object with .index; None or any negative number:
            the current device.
        priority: "high", "normal", "low", or a number: lower is higher. Out of range is clamped; the attribute of this name has the
            effective number.
        stream_id, device_index, device_type: name a live stream by the attributes of the same names.
        shared: take one of 32 streams that other callers may get as well, as torch.cuda does; otherwise it is not shared.
        blocking: work of the default stream waits for this stream's, and the other way round, as in CUDA without
            cudaStreamNonBlocking.
        dedicated: a driver stream of its own, which is destroyed with the object instead of being used again.

    Raises:
        gpustream.InvalidDeviceError: there is no such device.
        gpustream.InvalidHandleError: no live stream has that id.
        gpustream.InvalidArgumentError: both shared and dedicated.
        gpustream.UnavailableError: the backend cannot be used here.

    The stream ends with its last Python reference; work submitted is still done. Does not block, but for the first use
    of a device. See gs_stream_create() in gpustream.h.
    """

    __slots__ = ()

    @never_raises
    def __repr__(self) -> str:
        return f"<gpustream.{type(self).__name__} device={self.device} cuda_stream={_core.gs_stream_native(self):#x}>"


class ExternalStream(_core.ForeignStream, Stream):
    """A stream made by another library, which stays that library's.

    Args:
        stream_ptr: the cudaStream_t (int): 0 or 1 the default stream, 2 the per-thread stream.
        device: where it must be; None: wherever it is.
        owner: an object that is kept alive as long as gpustream uses the stream; None: the caller
            keeps the stream alive. It may keep this object: the garbage collector finds that cycle, but for a stream
            that has been current or whose stream_id or handle was read, which is to be closed first.

    Raises:
        gpustream.InvalidHandleError: the number is not a stream.
        gpustream.DeviceMismatchError: the stream belongs to another device.
        gpustream.CapturingError: the stream is being captured.

    A raw handle of a gpustream stream means that stream. Does not block. See gs_stream_from_native() in gpustream.h.
    """

    __slots__ = ()

    def __new__(cls, stream_ptr: SupportsIndex, device: DeviceLike = None, *, owner: object = None) -> Self:
        return _core.from_native(cls, stream_ptr, device, owner)

    def __init__(self, stream_ptr: SupportsIndex, device: DeviceLike = None, *, owner: object = None) -> None:
        """Everything is done by __new__."""
