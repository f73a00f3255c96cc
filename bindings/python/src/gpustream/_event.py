# SPDX-License-Identifier: Apache-2.0
"""Events: everything but the hot calls, which are in the extension."""
import ctypes
import weakref

from gpustream._devices import number_or_negative, of_number
from gpustream._extend import extend, never_raises, refuse_copy
from gpustream._load import _core
from gpustream.errors import Error, PeerLostError

# What from_ipc_handle() opened, for ipc_collect(): id of the event: (weak reference, handle). By the id, since a user's
# class may have an == and a hash of its own, or none.
_imported = {}


@extend(_core.generic.Event, "Event", "gpustream.generic")
class Generic:
    """Event(device=None, *, enable_timing=True, blocking=False, interprocess=False, external=False)

    An event for streams of any backend: a marker in a stream that others can wait for.

    Args:
        device: only its type counts: streams of another backend are then refused; None: no restriction.
        enable_timing: take time stamps; unless given, on, and off where interprocess is on.
        blocking: synchronize() sleeps instead of spinning.
        interprocess: the event can be given to other processes.
        external: in a graph capture, record and wait become nodes of the graph.

    No device is touched before the first record. See gs_event_create() in gpustream.h.
    """

    __reduce_ex__ = refuse_copy("an event is an object of this process's driver",
                                "for another process create it with interprocess=True and send its ipc_handle()")

    @property
    def device(self):
        """Device that the event is bound to by its first record or its export; None until then."""
        number = _core.gs_event_device(self)
        return None if number == _core.GS_DEVICE_NONE else of_number(number)

    @property
    def event_id(self):
        """The driver's handle (int), 0 until the first record or export. Use cuda_event to hand it to others."""
        return _core.gs_event_id(self)

    @property
    def _flags(self):
        """GS_EVENT_* of gpustream.h, combined (int)."""
        return _core.gs_event_flags(self)

    @property
    def native_handle(self):
        """The driver's handle (int), 0 until the first record or export. From then on others may use the event."""
        return _core.gs_event_native(self)

    @property
    def handle(self):
        """The gs_event_t (int), for ctypes calls into libgpustream itself."""
        return _core.handle_of(self)

    @property
    def _as_parameter_(self):
        """The driver's handle as ctypes passes it to a function."""
        return ctypes.c_void_p(_core.gs_event_native(self))

    def ipc_handle(self):
        """64 bytes by which another process on this machine opens the event (bytes; they can be pickled).

        An event not recorded yet is bound to the current device. This process keeps the event while others use it.

        Raises:
            gpustream.InvalidArgumentError: the event lacks interprocess=True, or has enable_timing=True as well.
            gpustream.NotSupportedError: the device has no interprocess events, or another process made the event.

        Does not block. See gs_event_ipc_export() in gpustream.h.
        """
        _core.may_export(self)
        _core.start()
        return _core.gs_event_ipc_export(self)

    @classmethod
    def from_ipc_handle(cls, device, handle):
        """Open an event that another process exported.

        Args:
            device: the device, physically the exporter's; None or any negative number: the current one.
            handle: the 64 bytes of ipc_handle().

        Raises:
            TypeError, ValueError: handle is not bytes, has another length or is no exported event.
            gpustream.DeviceMismatchError: it was exported from another device.
            gpustream.NotSupportedError: this very process exported it.
            gpustream.PeerLostError: the exporter is gone.

        Does not block, but for the first use of the device. See gs_event_ipc_open() in gpustream.h.
        """
        event = _core.event_from_ipc(cls, number_or_negative(device), handle)
        _remember(event, bytes(handle))
        return event

    @classmethod
    def _from_native(cls, native, device=None):
        """Wrap a cudaEvent_t (int) that stays its owner's, who keeps it alive. See gs_event_from_native()."""
        return _core.event_from_native(cls, native, device)

    @never_raises
    def __repr__(self):
        device = self.device
        type_, index = (device.type, device.index) if device else (None, None)
        return (f"gpustream.generic.Event device_type={type_}, device_index={index}, event_flag={self._flags}, "
                f"event_id={self.event_id}")


@extend(_core.Event, "Event", "gpustream")
class Usual:
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

    @property
    def cuda_event(self):
        """The cudaEvent_t (int), 0 until the first record or export. From then on others may use the event."""
        return _core.gs_event_native(self)

    @never_raises
    def __repr__(self):
        native = _core.gs_event_id(self)
        return f"<gpustream.{type(self).__name__} {f'{native:#x}' if native else 'uninitialized'}>"


def _remember(event, handle):
    key = id(event)
    _imported[key] = weakref.ref(event, lambda _: _imported.pop(key)), handle


def ipc_collect():
    """Close the events opened by from_ipc_handle() whose exporter is gone. Does not block.

    On CUDA it finds none: the driver does not tell that an exporter is gone, its events then count as done.
    """
    _core.start()
    for reference, handle in list(_imported.values()):
        event = reference()
        if event is None or not event.handle:
            continue  # dropped or closed by its user
        try:
            event.query()
            # Work that was done stays done when its process ends; opening once more asks for the process itself.
            _core.event_from_ipc(_core.Event, _core.gs_event_device(event), handle).close()
        except PeerLostError:
            event.close()
        except Error:
            pass  # it cannot be told now; users of the event meet the same failure


Event = _core.Event
