# SPDX-License-Identifier: Apache-2.0
# The part of gpustream's own classes that is C.
from typing import SupportsIndex, TypeVar, overload

from gpustream._core import generic
from gpustream._event import Event as FullEvent
from gpustream._types import DeviceLike

_E = TypeVar("_E", bound=generic.Event)

class Stream(generic.Stream):
    def __init__(
        self, device: DeviceLike = None, priority: SupportsIndex = 0, *, stream_id: SupportsIndex = ...,
        device_index: SupportsIndex = ..., device_type: SupportsIndex = ..., shared: bool = False
    ) -> None: ...
    @overload
    def record_event(self, event: None = None) -> FullEvent: ...
    @overload
    def record_event(self, event: _E) -> _E: ...

class ForeignStream(Stream): ...

class Event(generic.Event):
    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False, external: bool = False
    ) -> None: ...
