# SPDX-License-Identifier: Apache-2.0
"""What an exception is about: the stream, the event and the device that the failed call was given."""
from __future__ import annotations

from gpustream._backend_names import BACKENDS
from gpustream._load import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gpustream import Device, Event, Stream

_OF_THIS_PROCESS = ("stream_handle", "event_handle")
_ENDED = (_core.GS_ERROR_INVALID_HANDLE, _core.GS_ERROR_BAD_FORK)


class ErrorObjects:
    """Part of gpustream.Error. An exception keeps no object alive.

    Attributes:
        stream_handle, event_handle (int): the gs_stream_t and gs_event_t that the failed call was given; 0 if none. They may have
            ended since. An exception that was pickled or copied has none: they are numbers of one process.
    """

    stream_handle: int = 0
    event_handle: int = 0
    _device: int = _core.GS_DEVICE_NONE

    def _given(self, stream: int, event: int, device: int) -> None:
        self.stream_handle = stream
        self.event_handle = event
        self._device = device

    @property
    def stream(self) -> Stream | None:
        """The stream that the failed call was given, if it still exists; else None."""
        stream: Stream | None = _if_live(
            self.stream_handle, lambda: _core.gs_stream_unpack(_core.gs_stream_pack(_core.borrow_stream(self.stream_handle))))
        return stream

    @property
    def event(self) -> Event | None:
        """The event that the failed call was given, if it still exists; else None."""
        made: Any = _core.Event
        event: Event | None = _if_live(self.event_handle, lambda: made.from_handle(self.event_handle))
        return event

    @property
    def device(self) -> Device | None:
        """The device that the failed call was given, else that of its stream or event; None if it is unknown."""
        if self._device < 0:
            return None
        name = BACKENDS.get(_core.gs_device_backend(self._device) or _core.gs_default_backend(), "")
        return _core.device_of_parts(name, _core.gs_device_ordinal(self._device)) if name else None

    def __reduce__(self) -> tuple[Any, ...]:
        kept = {name: value for name, value in self.__dict__.items() if name not in _OF_THIS_PROCESS}
        return type(self), self.args, kept  # type: ignore[attr-defined]


def _if_live(handle: int, make: Callable[[], Any]) -> Any:
    try:
        return make() if handle else None
    except RuntimeError as error:
        if getattr(error, "status", None) not in _ENDED:
            raise
        return None
