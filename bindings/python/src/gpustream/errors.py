# SPDX-License-Identifier: Apache-2.0
"""The exceptions. All derive from Error; each also derives from the class that torch.cuda raises in its place, so that
code written for torch.cuda catches what it caught.

One class belongs to each status of gpustream.h; the header says when a call returns it.
"""
from __future__ import annotations

from typing import Any, SupportsIndex

from gpustream._enums import Reason, Status
from gpustream._load import _core
from gpustream._runtime_texts import code_of, text_of

__all__ = [
    "BadForkError", "CapturingError", "ContextLostError", "CudaError", "DeferredCudaCallError", "DeviceMismatchError",
    "DriverError", "Error", "InternalError", "InvalidArgumentError", "InvalidDeviceError", "InvalidHandleError",
    "NotPermittedError", "NotReadyError", "NotRecordedError", "NotSupportedError", "OutOfMemoryError", "PeerLostError",
    "Reason", "ScopeError", "ShutdownError", "Status", "StickyError", "SyncForbiddenError", "SystemCallError",
    "TimeLimitError", "TimingDisabledError", "UnavailableError", "check_error",
]


class Error(RuntimeError):
    """Root of all failures of gpustream.

    Attributes:
        status (Status): what kind of failure it is; a plain int if the library is newer than this package.
        reason (Reason): beside UNAVAILABLE, why; else NONE.
        native_code (int): the driver's code (a CUresult), errno beside SYSTEM; 0 if none.
        function (str): the gs_* function that failed; "" if none did.
        native_function (str): the driver's or system's function that failed; "" if none did.
    """

    status: Status | int = Status.INTERNAL
    reason: Reason | int = Reason.NONE
    native_code: int = 0
    function: str = ""
    native_function: str = ""


class InvalidArgumentError(Error, ValueError):
    """INVALID_ARGUMENT: an argument is out of its range, malformed, or contradicts another."""


class InvalidHandleError(Error):
    """INVALID_HANDLE: the stream or event was closed, or a raw handle is none."""


class InvalidDeviceError(Error, AssertionError):
    """INVALID_DEVICE: there is no such device."""


class DeviceMismatchError(Error):
    """DEVICE_MISMATCH: the objects belong to different devices and the operation needs one."""


class ScopeError(Error):
    """SCOPE: a with block of a stream ended on another thread than it began on."""


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
    """TIMEOUT: a time limit passed. No call of this version raises it."""


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
        number = code_of(code, "code")
        super().__init__(f"{text_of(number)} ({number})")
        self.status = Status.DRIVER
        self.native_code = number

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are copied from their args, here the text; this class is made from the code.
        return type(self), (self.native_code,), self.__dict__


_CLASSES: dict[int, type[Error]] = {
    Status.NOT_READY: NotReadyError, Status.INVALID_ARGUMENT: InvalidArgumentError, Status.INVALID_HANDLE: InvalidHandleError,
    Status.INVALID_DEVICE: InvalidDeviceError, Status.DEVICE_MISMATCH: DeviceMismatchError, Status.SCOPE: ScopeError,
    Status.NOT_RECORDED: NotRecordedError, Status.TIMING_DISABLED: TimingDisabledError,
    Status.NOT_PERMITTED: NotPermittedError, Status.CAPTURING: CapturingError, Status.TIMEOUT: TimeLimitError,
    Status.UNAVAILABLE: UnavailableError, Status.BAD_FORK: BadForkError, Status.CONTEXT_LOST: ContextLostError,
    Status.NOT_SUPPORTED: NotSupportedError, Status.SHUTDOWN: ShutdownError, Status.PEER_LOST: PeerLostError,
    Status.OUT_OF_MEMORY: OutOfMemoryError, Status.SYSTEM: SystemCallError, Status.DRIVER: DriverError,
    Status.STICKY: StickyError, Status.SYNC_FORBIDDEN: SyncForbiddenError, Status.INTERNAL: InternalError,
}

# What torch says, where people match on it. The library's own text says the same in the words of C.
_TEXTS: dict[int, str] = {
    Status.NOT_READY: "Both events must be completed before calculating elapsed time.",
    Status.NOT_RECORDED: "Both events must be recorded before calculating elapsed time.",
    Status.TIMING_DISABLED: "Both events must be created with argument 'enable_timing=True'.",
    Status.SYNC_FORBIDDEN: "called a synchronizing CUDA operation",
    Status.BAD_FORK: "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the "
                     "'spawn' start method",
}

# The library names flags as C does.
_FLAGS: dict[str, str] = {
    "GS_EVENT_TIMING": "enable_timing=True", "GS_EVENT_BLOCKING": "blocking=True",
    "GS_EVENT_INTERPROCESS": "interprocess=True", "GS_EVENT_EXTERNAL": "external=True",
}


def make(
    status: int, reason: int, backend: int, native_code: int, function: str, native_function: str, message: str
) -> Error:
    """The exception for a failed call, from what gs_last_error() says about it. backend is part of message."""
    del backend
    text: str = _TEXTS.get(status) or message.removeprefix(f"{function}: ") or _core.gs_status_message(status)
    if status == Status.INVALID_DEVICE and not text.startswith("Invalid"):
        text = f"Invalid device id: {text}"
    for name, keyword in _FLAGS.items():
        text = text.replace(name, keyword)
    error = _CLASSES.get(status, Error)(text)
    error.status = Status(status) if status in _CLASSES else status
    error.reason = Reason(reason) if reason in Reason._value2member_map_ else reason
    error.native_code = native_code
    error.function = function
    error.native_function = native_function
    return error


def fail(status: int, text: str) -> Error:
    """The exception for a failure that this package finds itself."""
    return make(status, 0, 0, 0, "", "", text)


def check_error(res: SupportsIndex) -> None:
    """Raise CudaError unless res, a CUDA runtime code (int or cudaError), is success (0).

    Raises TypeError: res is no int.
    """
    code = code_of(res, "res")
    if code != 0:
        raise CudaError(code)
