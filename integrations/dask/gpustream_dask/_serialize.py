# SPDX-License-Identifier: Apache-2.0
"""Interprocess events and buffers as messages of Dask. Arrays travel as Dask's own serialisers send them."""
from __future__ import annotations

import weakref
from typing import Any

import gpustream
from dask.sizeof import sizeof
from distributed.protocol import register_serialization
from gpustream.errors import Status, fail

from gpustream_dask import _buffers
from gpustream_dask._failures import keeps

_VERSION = 1
_registered = False
# A process cannot open its own event, nor export one that it has opened: by its handle an event that was seen is found again.
_events: weakref.WeakValueDictionary[bytes, gpustream.Event] = weakref.WeakValueDictionary()
_handles: weakref.WeakKeyDictionary[gpustream.Event, bytes] = weakref.WeakKeyDictionary()


def _remember(event: gpustream.Event, handle: bytes) -> gpustream.Event:
    _events[handle] = event
    _handles[event] = handle
    return event


def dump(event: gpustream.Event) -> tuple[dict[str, Any], list[bytes]]:
    """Also of an event that was received, whose exporter is another process.

    Raises gpustream.InvalidArgumentError: the event was not created with interprocess=True.
    """
    handle = _handles.get(event)
    if handle is None:
        handle = event.ipc_handle()
        _remember(event, handle)
    return {"version": _VERSION, "device": event.device.index}, [handle]


@keeps
def load(header: dict[str, Any], frames: list[Any]) -> gpustream.Event:
    """Opens the event. Its process keeps it alive: as the result of a task, until the result is released.

    Raises:
        gpustream.PeerLostError: that process is gone.
        gpustream.InvalidArgumentError: the message is of another version, or not of an event.
    """
    if header.get("version") != _VERSION or len(frames) != 1:
        raise fail(Status.INVALID_ARGUMENT, f"a message of an event has version {header.get('version')} and {len(frames)} frames; "
                   f"this package reads version {_VERSION} with 1 frame")
    handle = bytes(frames[0])
    known = _events.get(handle)
    return known if known is not None else _remember(gpustream.Event.from_ipc_handle(header["device"], handle), handle)


def register_serializers() -> None:
    """Has distributed send events and buffers in this way, and know the size of buffers. A second call does nothing."""
    global _registered
    if not _registered:
        _registered = True
        register_serialization(gpustream.Event, dump, load)
        register_serialization(gpustream.Buffer, _buffers.dump, _buffers.load)
        sizeof.register(gpustream.Buffer)(_buffers.size_of)
