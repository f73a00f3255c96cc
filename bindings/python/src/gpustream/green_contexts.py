# SPDX-License-Identifier: Apache-2.0
"""Parts of a device for streams of their own, under the names of torch.cuda.green_contexts.

    latency, batch = gpustream.green_contexts.GreenContext.split(num_sms=(16, 96))
    with gpustream.stream(batch.Stream()):
        ...    # on 96 multiprocessors, and none of the other 16

On the host backend a multiprocessor is a worker thread. See gs_partition_create() in gpustream.h.
"""
from __future__ import annotations

from collections.abc import Sequence

from gpustream._devices import number_of, ordinal
from gpustream._extend import Owner
from gpustream._load import _core
from gpustream.errors import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from gpustream._stream import Stream
    from gpustream._types import DeviceLike

__all__ = ["GreenContext", "SMPartition"]


class _Part(Owner):
    """A partition of the library, which ends with the last object that refers to it."""

    __slots__ = ("device", "handle")

    def __init__(self, handle: int, device: int) -> None:
        self.handle, self.device = handle, device

    def summary(self) -> dict[str, Any]:
        return _core.gs_partition_info(self.handle)

    def __del__(self) -> None:
        _core.gs_partition_destroy(self.handle)


def _device(device_id: DeviceLike) -> int:
    _core.start()
    return number_of(device_id, "device_id")


def _parts(device: int, counts: Sequence[int], flags: int = 0) -> list[_Part]:
    return [_Part(handle, device) for handle in _core.gs_partition_create(device, counts, flags)]


def _number(given: SupportsIndex, name: str, most: int) -> int:
    number = ordinal(given, name)
    if not 1 <= number <= most:
        raise ValueError(f"{name} must be 1 to {most}, got {number}")
    return number


def _queues(scope: str | None, limit: SupportsIndex | None) -> int:
    """Return the flags for work queues as torch's arguments describe them."""
    if scope not in (None, "device_ctx", "balanced"):
        raise ValueError(f"workqueue_scope must be 'device_ctx' or 'balanced', got {scope!r}")
    flags = _core.GS_PARTITION_QUEUES if scope == "balanced" else 0
    return flags if limit is None else flags | _number(limit, "workqueue_concurrency_limit", 32767) * _core.GS_PARTITION_CONCURRENCY


def _counts(num_sms: SupportsIndex | Sequence[SupportsIndex]) -> list[int]:
    given = list(num_sms) if isinstance(num_sms, Sequence) else [num_sms]
    if not given:
        raise ValueError("A split must contain at least one group")
    counts = [ordinal(one, "num_sms") for one in given]
    if 0 in counts:
        raise fail(_core.GS_ERROR_NOT_SUPPORTED, "num_sms of 0: gpustream does not look for the largest part, name a number")
    if any(one < 0 or one >= 1 << 32 for one in counts):
        raise ValueError(f"num_sms entries must be nonnegative integers below 2**32, got {counts!r}")
    return counts


def _refuse(**given: object) -> None:
    for name, value in given.items():
        if value:
            raise fail(_core.GS_ERROR_NOT_SUPPORTED, f"{name} is not supported: the driver decides")


class SMPartition(Owner):
    """Multiprocessors of a device: all of them (from_device()), or a part of them (split(), GreenContext.sm_partition)."""

    __slots__ = ("_device", "_part", "_sm_count", "_unit")

    def __init__(self, _part: _Part | None, _device: int, _sm_count: int, _unit: int) -> None:
        self._part, self._device, self._sm_count, self._unit = _part, _device, _sm_count, _unit

    @classmethod
    def from_device(cls, device_id: DeviceLike = None) -> SMPartition:
        """Return all multiprocessors of a device. Initialises the library.

        Args:
            device_id: a device; None or any negative number: the current one.

        Raises:
            gpustream.InvalidDeviceError: there is no such device.
            gpustream.NotSupportedError: the driver is older than CUDA 12.5, or cannot divide the device.
        """
        device = _device(device_id)
        found = _parts(device, [1], _core.GS_PARTITION_PLAN)[0].summary()
        return cls(None, device, found["device_sm_count"], found["unit_sm_count"])

    @property
    def device_id(self) -> int:
        """The number of the device (int)."""
        return self._device

    @property
    def sm_count(self) -> int:
        """How many there are (int), as the driver counts them."""
        return self._sm_count

    @property
    def coscheduled_sm_count(self) -> int:
        """What parts of the device are made of, multiprocessors (int)."""
        return self._unit

    def split(self, *, num_sms: SupportsIndex | Sequence[SupportsIndex] = 0, coscheduled_sm_count: SupportsIndex | Sequence[SupportsIndex] = 0,
              preferred_coscheduled_sm_count: SupportsIndex | Sequence[SupportsIndex] = 0,
              backfill: bool | Sequence[bool] = False) -> tuple[tuple[SMPartition, ...], SMPartition | None]:
        """Divide the device's multiprocessors into parts that have none in common.

        Args:
            num_sms: how many each part gets, an int or several; rounded up to a multiple of coscheduled_sm_count.
            coscheduled_sm_count: how many run together, one number for all parts, 2 to 255 (driver of CUDA 13.1); 0: the driver decides.
            preferred_coscheduled_sm_count, backfill: as by default; the driver decides.

        Returns:
            The parts in a tuple, and the rest; None if that is less than the device's unit, or if coscheduled_sm_count is given.

        Raises:
            gpustream.InvalidArgumentError: they do not fit.
            gpustream.NotSupportedError: a number is 0, another argument is given, or this is a part already.
            TypeError, ValueError: num_sms is no int and no sequence of ints, empty, negative, or 2**32 or more.
        """
        return self._divide(num_sms, coscheduled_sm_count, preferred_coscheduled_sm_count, backfill, 0)

    def _divide(self, num_sms: SupportsIndex | Sequence[SupportsIndex], coscheduled: SupportsIndex | Sequence[SupportsIndex],
                preferred: SupportsIndex | Sequence[SupportsIndex], backfill: bool | Sequence[bool],
                flags: int) -> tuple[tuple[SMPartition, ...], SMPartition | None]:
        _refuse(preferred_coscheduled_sm_count=preferred, backfill=backfill)
        unit = self._unit
        if coscheduled:
            if isinstance(coscheduled, Sequence):
                raise fail(_core.GS_ERROR_NOT_SUPPORTED, "coscheduled_sm_count is one number for all parts of a split")
            unit = _number(coscheduled, "coscheduled_sm_count", 255)
            flags |= unit * _core.GS_PARTITION_COSCHEDULED
        if self._part is not None:
            raise fail(_core.GS_ERROR_NOT_SUPPORTED, "split(): a part of a device cannot be divided again; divide the device at once")
        counts = _counts(num_sms)
        rest = self._sm_count // unit - sum(-(-one // unit) for one in counts)
        if coscheduled:
            rest = 0  # groups of another size than the device's own need not add up to it
        made = [_of(part) for part in _parts(self._device, [*counts, *([rest * unit] if rest > 0 else [])], flags)]
        return tuple(made[:len(counts)]), made[-1] if rest > 0 else None


def _of(part: _Part) -> SMPartition:
    found = part.summary()
    return SMPartition(part, part.device, found["sm_count"], found["unit_sm_count"])


class GreenContext(Owner):
    """A part of a device. Work in its streams runs on its multiprocessors only.

    Its streams are like any others; synchronize them with others by events. They stay valid when it has ended.

    Args:
        num_sms: how many multiprocessors at least.
        sm_partition: the part, instead of num_sms; contexts of one part share its multiprocessors.
        workqueue_scope: "balanced": work queues of its own, as far as there are enough; None or "device_ctx": those of the device.
        workqueue_concurrency_limit: how many of its streams are expected to work at a time, 1 to 32767; None: the driver's number.
        device_id: a device; None or any negative number: that of sm_partition, or the current one.

    Raises:
        gpustream.InvalidArgumentError: the device has fewer.
        gpustream.NotSupportedError: the driver is older than CUDA 12.5, or cannot divide the device; a workqueue argument is given, and
            the driver is older than CUDA 13.1 or sm_partition is a part that exists already.
        RuntimeError: neither num_sms nor sm_partition is given.
        TypeError, ValueError: both are, or one is of another type, out of range, or of another device than device_id.
    """

    __slots__ = ("__weakref__", "_part", "_sms")

    _part: _Part | None

    def __init__(self, *, num_sms: SupportsIndex | None = None, sm_partition: SMPartition | None = None, workqueue_scope: str | None = None,
                 workqueue_concurrency_limit: SupportsIndex | None = None, device_id: DeviceLike = None) -> None:
        self._part = None
        flags = _queues(workqueue_scope, workqueue_concurrency_limit)
        if sm_partition is not None and not isinstance(sm_partition, SMPartition):
            raise TypeError(f"GreenContext(): argument 'sm_partition' must be SMPartition, not {type(sm_partition).__name__}")
        if num_sms is not None and sm_partition is not None:
            raise ValueError("num_sms and sm_partition are mutually exclusive")
        if num_sms is not None:
            self._part = _parts(_device(device_id), _counts([num_sms]), flags)[0]
        elif sm_partition is not None:
            if device_id is not None and _device(device_id) != sm_partition.device_id:
                raise ValueError("device_id must match the SM partition's device")
            if flags and sm_partition._part:
                raise fail(_core.GS_ERROR_NOT_SUPPORTED, "a part has its work queues already: give these arguments to GreenContext.split()")
            self._part = sm_partition._part or _parts(sm_partition.device_id, [sm_partition.sm_count], flags)[0]
        else:
            raise RuntimeError("At least one of num_sms or sm_partition must be specified")
        self._sms = _of(self._part)

    @staticmethod
    def create(*, num_sms: SupportsIndex | None = None, sm_partition: SMPartition | None = None, workqueue_scope: str | None = None,
               workqueue_concurrency_limit: SupportsIndex | None = None, device_id: DeviceLike = None) -> GreenContext:
        """Return GreenContext(...) with these arguments."""
        return GreenContext(num_sms=num_sms, sm_partition=sm_partition, workqueue_scope=workqueue_scope,
                            workqueue_concurrency_limit=workqueue_concurrency_limit, device_id=device_id)

    @staticmethod
    def split(*, num_sms: SupportsIndex | Sequence[SupportsIndex] = 0, coscheduled_sm_count: SupportsIndex | Sequence[SupportsIndex] = 0,
              preferred_coscheduled_sm_count: SupportsIndex | Sequence[SupportsIndex] = 0, backfill: bool | Sequence[bool] = False,
              workqueue_scope: str | None = None, workqueue_concurrency_limit: SupportsIndex | None = None,
              device_id: DeviceLike = None) -> tuple[GreenContext, ...]:
        """Return contexts that have no multiprocessor in common, of one device: SMPartition.split() without the rest."""
        parts, _ = SMPartition.from_device(device_id)._divide(
            num_sms, coscheduled_sm_count, preferred_coscheduled_sm_count, backfill, _queues(workqueue_scope, workqueue_concurrency_limit))
        return tuple(GreenContext(sm_partition=part) for part in parts)

    @property
    def device_id(self) -> int:
        """The number of its device (int)."""
        return self._live().device

    @property
    def sm_partition(self) -> SMPartition:
        """Its multiprocessors."""
        self._live()
        return self._sms

    @property
    def sm_count(self) -> int:
        """How many multiprocessors it has (int), as the driver counts them: num_sms, rounded up."""
        self._live()
        return self._sms.sm_count

    def Stream(self, priority: SupportsIndex = 0) -> Stream:
        """Return a new stream (gpustream.Stream) whose work runs on these multiprocessors.

        Args:
            priority: lower is higher; clamped to the device's range, read back by its .priority.

        Raises:
            RuntimeError: the context was closed.
            TypeError, OverflowError: priority is no int, or out of range.
        """
        return _core.gs_stream_create_in(self._live().handle, priority, 0)

    def close(self) -> None:
        """End it now instead of when the object is collected. Its streams stay valid; a second close does nothing."""
        self._part = None

    def set_context(self) -> None:
        """Not supported, and deprecated in torch: use a stream of Stream(). Raises gpustream.NotSupportedError."""
        raise fail(_core.GS_ERROR_NOT_SUPPORTED, "set_context() is not supported: use `with gpustream.stream(context.Stream()):`")

    def pop_context(self) -> None:
        """Not supported, like set_context(). Raises gpustream.NotSupportedError."""
        raise fail(_core.GS_ERROR_NOT_SUPPORTED, "pop_context() is not supported, as set_context() is not")

    @staticmethod
    def max_workqueue_concurrency(device_id: DeviceLike = None) -> int:
        """Not supported: without a limit the driver's number is used. Raises gpustream.NotSupportedError."""
        del device_id
        raise fail(_core.GS_ERROR_NOT_SUPPORTED, "max_workqueue_concurrency() is not supported: without a limit the driver's number is used")

    def _live(self) -> _Part:
        if self._part is None:
            raise RuntimeError("GreenContext has been destroyed")
        return self._part
