# SPDX-License-Identifier: Apache-2.0
"""gpustream.Event: what it has beyond a generic event."""
from __future__ import annotations

from gpustream import generic
from gpustream._extend import extend, never_raises
from gpustream._load import _core


@extend
class Event(_core.Event, generic.Event):
    """Event(enable_timing=False, blocking=False, interprocess=False, external=False)

    An event: a marker in a stream that others can wait for.

    Args:
        enable_timing: take time stamps, for elapsed_time(). On CUDA such a record costs several times more.
        blocking: synchronize() sleeps instead of spinning.
        interprocess: the event can be given to other processes. Together with enable_timing the event can be created,
            but neither recorded nor exported.
        external: in a graph capture, record and wait become nodes of the graph.

    Raises:
        TypeError: a flag is no bool.

    No device is touched before the first record. See gs_event_create() in gpustream.h.
    """

    __slots__ = ()

    @never_raises
    def __repr__(self) -> str:
        native = _core.gs_event_id(self)
        return f"<gpustream.{type(self).__name__} {f'{native:#x}' if native else 'uninitialized'}>"
