# SPDX-License-Identifier: Apache-2.0
"""The exceptions. All derive from Error; each also derives from the class that torch.cuda raises in its place, so that
code written for torch.cuda catches what it caught.

One class belongs to each status of gpustream.h; the header says when a call returns it.
"""
from __future__ import annotations

from gpustream import _later
from gpustream._backend_names import BACKENDS
from gpustream._error_objects import ErrorObjects
from gpustream._load import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from gpustream._enums import Reason as Reason, Status as Status
else:

    def __getattr__(name: str) -> Any:
        """The enums are made when one is asked for: the module that makes them takes longer to import than this package."""
        if name not in ("Reason", "Status"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals().update(Reason=_enum("Reason"), Status=_enum("Status"))
        return globals()[name]

    def __dir__() -> list[str]:
        return sorted({*globals(), "Reason", "Status"})


__all__ = [
    "AbortedError", "BadForkError", "CancelledError", "CapturingError", "ContextLostError", "CudaError", "DeadlockError",
    "DeferredCudaCallError", "DeviceMismatchError",
    "DriverError", "Error", "FullError", "InternalError", "InvalidArgumentError", "InvalidDeviceError", "InvalidHandleError",
    "NotPermittedError", "NotReadyError", "NotRecordedError", "NotSupportedError", "OutOfMemoryError", "PeerLostError",
    "Reason", "ScopeError", "ShutdownError", "Status", "StickyError", "SyncForbiddenError", "SystemCallError",
    "TimeLimitError", "TimingDisabledError", "UnavailableError", "check_error",
]


class _Member:
    """A class attribute that is a member of an enum. Instances have attributes of their own."""

    def __init__(self, enum: str, value: int) -> None:
        self.enum = enum
        self.value = value

    def __get__(self, instance: object, owner: object) -> object:
        return _enum(self.enum)(self.value)


def _enum(name: str) -> Any:
    return getattr(_later.load("_enums"), name)


class Error(ErrorObjects, RuntimeError):
    """Root of all failures of gpustream.

    Attributes:
        status (Status): what kind of failure it is; a plain int if the library is newer than this package.
        reason (Reason): beside UNAVAILABLE, why; else NONE.
        native_code (int): the driver's code (a CUresult), errno beside SYSTEM; 0 if none.
        function (str): the gs_* function that failed; "" if none did.
        native_function (str): the driver's or system's function that failed; "" if none did.
        backend (str): "cuda" or "host"; "" if none was involved.
        sticky (bool): whether the failure left the device unusable in this process.
        origin (str): where a sticky failure was first seen; "" for others.
        stream, event, device, stream_handle, event_handle: what the failed call was given; see _error_objects.py.
    """

    if TYPE_CHECKING:
        status: Status | int
        reason: Reason | int
    else:
        status = _Member("Status", _core.GS_ERROR_INTERNAL)
        reason = _Member("Reason", _core.GS_REASON_NONE)
    native_code: int = 0
    function: str = ""
    native_function: str = ""
    backend: str = ""
    sticky: bool = False
    origin: str = ""


class InvalidArgumentError(Error, ValueError):
    """INVALID_ARGUMENT: an argument is out of its range, malformed, or contradicts another."""


class InvalidHandleError(Error):
    """INVALID_HANDLE: the stream or event was closed, or a raw handle is none."""


class InvalidDeviceError(Error, AssertionError):
    """INVALID_DEVICE: there is no such device."""


class DeviceMismatchError(Error):
    """DEVICE_MISMATCH: the objects belong to different devices and the operation needs one."""


class ScopeError(Error):
    """SCOPE: a with block of a stream ended on another thread than it began on, or a range ends that is not open."""


class NotReadyError(Error):
    """NOT_READY: elapsed_time() was called before the work was done."""


class NotRecordedError(Error, ValueError):
    """NOT_RECORDED: the event was never recorded."""


class TimingDisabledError(Error, ValueError):
    """TIMING_DISABLED: the event was created without enable_timing=True."""


class NotPermittedError(Error):
    """NOT_PERMITTED: the call is not permitted in this place, for instance a synchronize in a callback."""


class CapturingError(Error):
    """CAPTURING: a graph capture forbids the call. Calls about a stream that is being captured are refused before they can
    harm the capture; asking for or waiting for an event recorded in a capture breaks that capture on CUDA."""


class TimeLimitError(Error, TimeoutError):
    """TIMEOUT: a time limit passed. The work goes on, and the call may be repeated."""


class CancelledError(Error):
    """CANCELLED: the entry of a queue was cancelled; its work is not affected."""


class DeadlockError(Error):
    """DEADLOCK: a circle of streams would wait for each other. Nothing was submitted."""


class AbortedError(Error):
    """ABORTED: the timeline was aborted."""


class UnavailableError(Error):
    """UNAVAILABLE: the backend cannot be used on this machine; reason says why."""


class BadForkError(Error):
    """BAD_FORK: the process was forked after the library had been initialised."""


class ContextLostError(Error):
    """CONTEXT_LOST: another library reset the device; objects made before are dead."""


class NotSupportedError(Error, NotImplementedError):
    """NOT_SUPPORTED: backend, driver or device do not offer this."""


class ShutdownError(Error):
    """SHUTDOWN: the driver has shut down because the process exits."""


class PeerLostError(Error):
    """PEER_LOST: the other process of an interprocess event is gone."""


class OutOfMemoryError(Error):
    """OUT_OF_MEMORY: host or device memory is exhausted."""


class FullError(Error):
    """FULL: the queue has as many entries as it may have, or as many ranges are open. Nothing was added."""


class SystemCallError(Error):
    """SYSTEM: a system call failed; native_code is its errno."""


class DriverError(Error):
    """DRIVER: a driver call failed; native_code is its CUresult."""


class StickyError(Error):
    """STICKY: an earlier error left the device unusable in this process."""


class SyncForbiddenError(Error):
    """SYNC_FORBIDDEN: a synchronizing call in sync debug mode "error". Nothing was waited for."""


class InternalError(Error):
    """INTERNAL: a defect of gpustream."""


class DeferredCudaCallError(Error):
    """A call queued by _lazy_call() failed when the library was initialised. Its own failure is __cause__."""


class CudaError(Error):
    """A CUDA runtime code that is no success, from check_error(). native_code has it; the text is the runtime's."""

    def __init__(self, code: SupportsIndex) -> None:
        number = _later.load("_devices").ordinal(code, "code")
        super().__init__(f"{_later.load('_runtime_texts').text_of(number)} ({number})")
        self.status = _enum("Status").DRIVER
        self.native_code = number

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are copied from their args, here the text; this class is made from the code.
        return type(self), (self.native_code,), self.__dict__


_CLASSES: dict[int, type[Error]] = {
    _core.GS_NOT_READY: NotReadyError, _core.GS_ERROR_INVALID_ARGUMENT: InvalidArgumentError, _core.GS_ERROR_INVALID_HANDLE: InvalidHandleError,
    _core.GS_ERROR_INVALID_DEVICE: InvalidDeviceError, _core.GS_ERROR_DEVICE_MISMATCH: DeviceMismatchError, _core.GS_ERROR_SCOPE: ScopeError,
    _core.GS_ERROR_NOT_RECORDED: NotRecordedError, _core.GS_ERROR_TIMING_DISABLED: TimingDisabledError,
    _core.GS_ERROR_NOT_PERMITTED: NotPermittedError, _core.GS_ERROR_CAPTURING: CapturingError, _core.GS_ERROR_TIMEOUT: TimeLimitError,
    _core.GS_ERROR_DEADLOCK: DeadlockError, _core.GS_ERROR_ABORTED: AbortedError, _core.GS_ERROR_CANCELLED: CancelledError, _core.GS_ERROR_FULL: FullError,
    _core.GS_ERROR_UNAVAILABLE: UnavailableError, _core.GS_ERROR_BAD_FORK: BadForkError, _core.GS_ERROR_CONTEXT_LOST: ContextLostError,
    _core.GS_ERROR_NOT_SUPPORTED: NotSupportedError, _core.GS_ERROR_SHUTDOWN: ShutdownError, _core.GS_ERROR_PEER_LOST: PeerLostError,
    _core.GS_ERROR_OUT_OF_MEMORY: OutOfMemoryError, _core.GS_ERROR_SYSTEM: SystemCallError, _core.GS_ERROR_DRIVER: DriverError,
    _core.GS_ERROR_STICKY: StickyError, _core.GS_ERROR_SYNC_FORBIDDEN: SyncForbiddenError, _core.GS_ERROR_INTERNAL: InternalError,
}

def make(
    status: int, reason: int, backend: int, native_code: int, function: str, native_function: str, message: str, sticky: int = 0,
    origin: str = "", stream: int = 0, event: int = 0, device: int = _core.GS_DEVICE_NONE
) -> Error:
    """The exception for a failed call, from what gs_last_error() says about it."""
    text: str = _later.load("_error_texts").of(status, function, message)
    error = _CLASSES.get(status, Error)(text)
    error.status = _enum("Status")(status) if status in _CLASSES else status
    reasons = _enum("Reason")
    error.reason = reasons(reason) if reason in reasons._value2member_map_ else reason
    error.native_code = native_code
    error.function = function
    error.native_function = native_function
    error.backend = BACKENDS.get(backend, "")
    error.sticky = bool(sticky) or status == _core.GS_ERROR_STICKY
    error.origin = origin
    error._given(stream, event, device)
    return error


def fail(status: int, text: str) -> Error:
    """The exception for a failure that this package finds itself."""
    return make(status, 0, 0, 0, "", "", text)


def check_error(res: SupportsIndex) -> None:
    """Raise CudaError unless res, a CUDA runtime code (int or cudaError), is success (0).

    Raises TypeError: res is no int.
    """
    code = _later.load("_devices").ordinal(res, "res")
    if code != 0:
        raise CudaError(code)
