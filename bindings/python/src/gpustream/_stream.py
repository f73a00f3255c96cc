# SPDX-License-Identifier: Apache-2.0
"""Streams: everything but the hot calls, which are in the extension."""
import ctypes

from gpustream import _callbacks
from gpustream._devices import BACKENDS, number_or_negative, of_number
from gpustream._extend import extend, never_raises, refuse_copy
from gpustream._load import _core


@extend(_core.generic.Stream, "Stream", "gpustream.generic")
class Generic:
    """Stream(device=None, *, priority=0)
    Stream(stream_id, device_index, device_type, *, priority=0)

    A stream of any backend: an ordered queue of device work.

    Args:
        device: where: an int, a name ("cuda", "cuda:1", "host:0"), an object with .index; None or any negative number:
            the current device.
        priority: lower is higher; out of range is clamped, and the attribute tells the effective value.
        stream_id, device_index, device_type: name a live stream by the attributes of the same names.

    Raises:
        gpustream.InvalidDeviceError: there is no such device.
        gpustream.InvalidHandleError: no live stream has that id.
        gpustream.UnavailableError: the backend cannot be used here.

    The stream ends with its last Python reference; work submitted is still done. Does not block, but for the first use
    of a device. See gs_stream_create() in gpustream.h.
    """

    __reduce_ex__ = refuse_copy("a stream is a queue of this process's driver",
                                "in another process, create a stream and wait for an interprocess Event")

    @property
    def device(self):
        """Device of the stream. It never changes."""
        return of_number(_core.gs_stream_device(self))

    @property
    def stream_id(self):
        """Number that identifies the stream within the process (int): 0 for default streams, 2 for per-thread ones."""
        return _core.gs_stream_id(self)

    @property
    def device_index(self):
        """Ordinal of the device within its backend (int)."""
        return _core.gs_stream_pack(self)[1]

    @property
    def device_type(self):
        """Backend of the device (int): 1 host, 2 CUDA."""
        return _core.gs_stream_pack(self)[2]

    @property
    def priority(self):
        """Effective priority (int). Lower is higher."""
        return _core.gs_stream_priority(self)

    @property
    def _flags(self):
        """GS_STREAM_* of gpustream.h, combined (int)."""
        return _core.gs_stream_flags(self)

    @property
    def native_handle(self):
        """The driver's handle (int). From then on others may use the stream; keep this object meanwhile."""
        return _core.gs_stream_native(self)

    @property
    def handle(self):
        """The gs_stream_t (int), for ctypes calls into libgpustream itself."""
        return _core.handle_of(self)

    @property
    def _as_parameter_(self):
        """The driver's handle as ctypes passes it to a function."""
        return ctypes.c_void_p(_core.gs_stream_native(self))

    def __cuda_stream__(self):
        """(0, driver's handle): the protocol by which CUDA libraries accept each other's streams."""
        return 0, _core.gs_stream_native(self)

    def is_capturing(self):
        """Tell whether the stream is being captured into a graph (bool). Never breaks the capture."""
        return _core.gs_stream_is_capturing(self)

    @staticmethod
    def priority_range(device=None):
        """(least, greatest): the numbers of the lowest and the highest priority of a device; least is 0.

        On CUDA creates the device's primary context if there is none: the driver tells the range only inside one. Raises gpustream.InvalidDeviceError.
        """
        _core.start()
        return tuple(_core.gs_device_priority_range(number_or_negative(device)))

    def launch_host_func(self, fn):
        """Call fn() after the work submitted so far is done, without holding the stream.

        It runs once, on a thread of the package that serves all callbacks: in the stream's order, in no promised order
        among streams. It may query and submit work, but not synchronize (NotPermittedError). What it raises goes to
        sys.unraisablehook. If the work fails, fn is not called, and the failure goes there.

        synchronize() of a stream, event or device returns only after the callbacks whose work was done by then have
        returned. Callbacks whose work is not done when the interpreter exits are dropped.

        Raises:
            TypeError: fn is not callable.
            gpustream.CapturingError: the stream is being captured.

        Does not block. See gs_stream_notify() in gpustream.h.
        """
        _callbacks.launch(self, fn)

    @never_raises
    def __repr__(self):
        _, index, type_ = _core.gs_stream_pack(self)
        return f"gpustream.generic.Stream device_type={BACKENDS[type_]}, device_index={index}, stream_id={self.stream_id}"


@extend(_core.Stream, "Stream", "gpustream")
class Usual:
    """Stream(device=None, priority=0, *, stream_id=, device_index=, device_type=, shared=False)

    A stream: an ordered queue of device work. `with stream:` makes it current on the thread.

    Args:
        device: where: an int, a name ("cuda", "cuda:1", "host:0"), an object with .index; None or any negative number:
            the current device.
        priority: lower is higher; out of range is clamped, and the attribute tells the effective value.
        stream_id, device_index, device_type: name a live stream by the attributes of the same names.
        shared: take one of 32 streams that others may get as well, as torch.cuda does; otherwise it is nobody else's.

    Raises:
        gpustream.InvalidDeviceError: there is no such device.
        gpustream.InvalidHandleError: no live stream has that id.
        gpustream.UnavailableError: the backend cannot be used here.

    The stream ends with its last Python reference; work submitted is still done. Does not block, but for the first use
    of a device. See gs_stream_create() in gpustream.h.
    """

    @property
    def cuda_stream(self):
        """The cudaStream_t (int); 0 for default streams. From then on others may use it; keep this object meanwhile."""
        return _core.gs_stream_native(self)

    @never_raises
    def __repr__(self):
        return f"<gpustream.{type(self).__name__} device={self.device} cuda_stream={_core.gs_stream_native(self):#x}>"


class ExternalStream(_core.ForeignStream):
    """A stream made by another library, which stays that library's.

    Args:
        stream_ptr: the cudaStream_t (int): 0 or 1 the default stream, 2 the per-thread stream.
        device: where it must be; None: wherever it is.
        owner: an object that is kept alive as long as anybody uses the stream through gpustream; None: the caller
            keeps the stream alive. It may keep this object: the garbage collector finds that cycle, but for a stream
            that has been current or gave its stream_id or handle, which is to be closed first.

    Raises:
        gpustream.InvalidHandleError: the number is no stream.
        gpustream.DeviceMismatchError: the stream belongs to another device.
        gpustream.CapturingError: the stream is being captured.

    A raw handle of a gpustream stream gives that stream. Does not block. See gs_stream_from_native() in gpustream.h.
    """

    __slots__ = ()

    def __new__(cls, stream_ptr, device=None, *, owner=None):
        return _core.from_native(cls, stream_ptr, device, owner)

    def __init__(self, stream_ptr, device=None, *, owner=None):
        """Everything is done by __new__."""


Stream = _core.Stream
