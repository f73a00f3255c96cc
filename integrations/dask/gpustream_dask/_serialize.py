# SPDX-License-Identifier: Apache-2.0
"""Interprocess events as messages of Dask.

gpustream has no class of buffers yet: arrays travel as Dask's own serialisers send them.
"""
from __future__ import annotations

import weakref
from typing import Any

import gpustream
from distributed.protocol import register_serialization
from gpustream.errors import Status, fail

_VERSION = 1
_registered = False
# A process cannot open its own event: one that comes back is the event that was sent.
_sent: weakref.WeakValueDictionary[bytes, gpustream.Event] = weakref.WeakValueDictionary()


def dump(event: gpustream.Event) -> tuple[dict[str, Any], list[bytes]]:
    """Raises gpustream.InvalidArgumentError: the event was not created with interprocess=True."""
    handle = event.ipc_handle()
    _sent[handle] = event
    return {"version": _VERSION, "device": event.device.index}, [handle]


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
    own = _sent.get(handle)
    return gpustream.Event.from_ipc_handle(header["device"], handle) if own is None else own


def register_serializers() -> None:
    """Has distributed send events in this way. A second call does nothing."""
    global _registered
    if not _registered:
        _registered = True
        register_serialization(gpustream.Event, dump, load)
