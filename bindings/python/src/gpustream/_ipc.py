# SPDX-License-Identifier: Apache-2.0
"""The events that this process has opened from others."""
from __future__ import annotations

from gpustream._load import _core
from gpustream.errors import Error, PeerLostError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import weakref

# id of the event: (weak reference, handle). By the id, since a user's class may have an == and a hash of its own, or none.
_imported: dict[int, tuple[weakref.ref[_core.generic.Event], bytes]] = {}


def remember(event: _core.generic.Event, handle: bytes) -> None:
    """Keeps note of an event, without keeping it alive."""
    import weakref

    key = id(event)
    _imported[key] = weakref.ref(event, lambda _: _imported.pop(key)), handle


def ipc_collect() -> None:
    """Close the events opened by from_ipc_handle() whose exporter is gone. Does not block.

    On CUDA it finds none: the driver does not report that an exporter is gone, and its events then count as done.
    """
    _core.start()
    if not _imported:
        return
    for reference, handle in list(_imported.values()):
        event = reference()
        if event is None or not event.handle:
            continue  # dropped or closed by its user
        try:
            event.query()
            # Work that was done stays done when its process ends; opening once more asks for the process itself.
            _core.gs_event_ipc_open(_core.gs_event_device(event), handle).close()
        except PeerLostError:
            event.close()
        except Error:
            pass  # users of the event get the same failure
