# SPDX-License-Identifier: Apache-2.0
"""What makes events stricter, and their times absolute."""
from __future__ import annotations

from typing import Literal, get_args

from gpustream._devices import number_or_negative
from gpustream._load import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpustream._types import DeviceLike

UnrecordedMode = Literal["ignore", "warn", "error"]  # by their numbers
_MODES: tuple[UnrecordedMode, ...] = get_args(UnrecordedMode)


def set_unrecorded_mode(mode: UnrecordedMode) -> None:
    """Set what waits for events that were never recorded do in this process: "ignore" (nothing, as in CUDA), "warn" (a
    RuntimeWarning) or "error" (NotRecordedError).

    It concerns waits of streams and synchronize() of events. Raises ValueError: another mode. Does not block. See
    GS_OPTION_UNRECORDED_MODE in gpustream.h.
    """
    if mode not in _MODES:
        raise ValueError(f"mode must be one of {', '.join(map(repr, _MODES))}, not {mode!r}")
    _core.gs_set_option(_core.GS_OPTION_UNRECORDED_MODE, _MODES.index(mode))


def get_unrecorded_mode() -> UnrecordedMode:
    """What waits for events that were never recorded do: "ignore", "warn" or "error"."""
    return _MODES[_core.gs_get_option(_core.GS_OPTION_UNRECORDED_MODE)]


def calibrate(device: DeviceLike = None) -> int:
    """Compare a device's clock with the host's, for Event.host_time(), and return how exact that is, in nanoseconds (int).

    Args:
        device: the device; None or any negative number: the current one.

    Clocks drift: a program that wants close times compares now and then. Blocks until the device has done a few records in
    an idle stream, some ten microseconds. See gs_device_calibrate() in gpustream.h.
    """
    _core.start()
    return _core.gs_device_calibrate(number_or_negative(device))
