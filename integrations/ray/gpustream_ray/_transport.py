# SPDX-License-Identifier: Apache-2.0
"""The transport that Ray calls: NumPy arrays, and buffers of GPUs, between processes of one machine."""
from __future__ import annotations

import atexit
import threading
import weakref
from dataclasses import dataclass, field
from typing import Any

import gpustream
import numpy
import ray
from packaging.version import Version
from ray.experimental import CommunicatorMetadata, TensorTransportManager, TensorTransportMetadata, register_tensor_transport

from gpustream_ray import _buffers, _files
from gpustream_ray._arrivals import Arrivals, Releaser, empty_like
from gpustream_ray._errors import UnreachableError, VersionMismatchError
from gpustream_ray._inbox import Inbox
from gpustream_ray._layout import PROTOCOL, offsets_of
from gpustream_ray._outbox import Outbox, Slot

NAME = "gpustream"
# Ray calls its interface alpha: what was not tested is refused.
OLDEST, BEFORE = "2.60", "2.61"
TOKEN_BYTES = 128

def _close() -> None:
    for outbox in (_outbox, *_outboxes.values()):
        outbox.close()


_buffers.register()
_outbox = Outbox()
_outboxes: dict[int, Outbox] = {}  # of GPUs
_outboxes_lock = threading.Lock()
_inbox = Inbox()
_releaser = Releaser()
atexit.register(_files.sweep)  # the last: of processes that this one started, and that were killed
atexit.register(_close)


@dataclass
class HandoverMetadata(TensorTransportMetadata):
    """The message: where the arrays are, and the token that says when."""

    protocol: int = PROTOCOL
    machine: str = ""
    folder: str = ""
    slot: str = ""
    generation: int = 0
    token: bytes = b""
    offsets: list[int] = field(default_factory=list)
    on_gpu: bool = False


class HostTransport(TensorTransportManager):
    """NumPy arrays and buffers. They are copied in stream order, into memory that the machine's processes share, and out of it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sent: dict[str, tuple[Outbox, Slot]] = {}
        self._coming: weakref.WeakValueDictionary[str, Arrivals] = weakref.WeakValueDictionary()

    def tensor_transport_backend(self) -> str:
        return NAME.upper()

    @staticmethod
    def is_one_sided() -> bool:
        return True

    @staticmethod
    def can_abort_transport() -> bool:
        return True  # a receive never blocks

    def actor_has_tensor_transport(self, actor: Any) -> bool:
        return True

    def extract_tensor_transport_metadata(self, obj_id: str, rdt_object: list[Any]) -> HandoverMetadata:
        """On the thread of the task that made the arrays: their copies go to its current stream.

        Raises:
            TypeError: an array has Python objects in it.
            ValueError: it is not contiguous, or buffers are of several GPUs.
            gpustream.OutOfMemoryError: arrays that were not freed or are still read fill the limit.
        """
        device = _device_of(rdt_object)
        meta = HandoverMetadata(tensor_meta=[(item.shape, item.dtype) for item in rdt_object], tensor_device="cpu", on_gpu=device is not None)
        if not rdt_object:
            return meta
        stream = gpustream.current_stream(device)
        meta.offsets, size = offsets_of([item.nbytes for item in rdt_object])
        outbox = _outbox_of(device)
        slot = outbox.take(size)
        try:
            for item, offset in zip(rdt_object, meta.offsets, strict=True):
                if item.nbytes:
                    gpustream._memcpy_async(slot.address + offset, _buffers.address_of(item), item.nbytes, stream)
            stream.keep((list(rdt_object), slot))
            meta.token = slot.lease(stream)
        except BaseException:
            _releaser.add(stream, lambda: outbox.give_back(slot))  # what was submitted before the failure still writes there
            raise
        meta.machine, meta.folder = _files.machine(), outbox.folder
        meta.slot, meta.generation = slot.name, slot.generation
        with self._lock:
            before, self._sent[obj_id] = self._sent.get(obj_id), (outbox, slot)  # before: of a task that Ray ran twice
        if before is not None:
            before[0].give_back(before[1])
        return meta

    def get_communicator_metadata(self, src_actor: Any, dst_actor: Any, backend: str | None = None) -> CommunicatorMetadata:
        return CommunicatorMetadata()

    def recv_multiple_tensors(
        self, obj_id: str, tensor_transport_metadata: TensorTransportMetadata, communicator_metadata: CommunicatorMetadata,
        target_buffers: list[Any] | None = None,
    ) -> list[Any]:
        """Takes a lease; does not wait. The arrays are copied on the stream that is current where they are taken out.

        Raises:
            gpustream.PeerLostError: the source's process is gone.
            StaleHandoverError, UnreachableError, VersionMismatchError.
        """
        meta = tensor_transport_metadata
        if not isinstance(meta, HandoverMetadata) or meta.protocol != PROTOCOL:
            raise VersionMismatchError(f"the message has protocol {getattr(meta, 'protocol', 'of another transport')}; this package "
                                       f"reads {PROTOCOL}: install the same gpustream-ray in all processes")
        if not meta.tensor_meta:
            return []
        if len(meta.token) != TOKEN_BYTES:
            raise VersionMismatchError(f"the message has a token of {len(meta.token)} bytes; this version of gpustream has {TOKEN_BYTES}")
        if meta.machine != _files.machine():
            raise UnreachableError(f"the source is on another machine, or has another /dev/shm or GPUSTREAM_SHM_DIR ({meta.machine}): "
                                   "take the object by ray.get(ref, _use_object_store=True)")
        for array in target_buffers or ():
            _check(array)
        lease = _inbox.lease(meta.folder, meta.slot, meta.generation, meta.token, meta.on_gpu)
        arrivals = Arrivals(target_buffers or empty_like(meta.tensor_meta), lease, meta.offsets, _releaser)
        self._coming[obj_id] = arrivals
        return arrivals

    def send_multiple_tensors(self, tensors: Any, tensor_transport_metadata: Any, communicator_metadata: Any) -> None:
        raise NotImplementedError("the receiver does it all: Ray does not call this for a one-sided transport")

    def garbage_collect(self, obj_id: str, tensor_transport_meta: TensorTransportMetadata, tensors: list[Any]) -> None:
        """No reference is left. The slot is used again when all who read it are past their copies."""
        with self._lock:
            sent = self._sent.pop(obj_id, None)
        if sent is not None:
            sent[0].give_back(sent[1])

    def abort_transport(self, obj_id: str, communicator_metadata: CommunicatorMetadata) -> None:
        arrivals = self._coming.get(obj_id)
        if arrivals is not None:
            arrivals.abort()


def _outbox_of(device: int | None) -> Outbox:
    if device is None:
        return _outbox
    with _outboxes_lock:
        return _outboxes.setdefault(device, Outbox(device))


def _device_of(items: list[Any]) -> int | None:
    """The GPU in whose memory they travel, arrays included; None: there are only arrays."""
    devices = set()
    for item in items:
        if isinstance(item, gpustream.Buffer):
            devices.add(item.stream.device_index)
        else:
            _check(item)
    if len(devices) > 1:
        raise ValueError(f"the object has buffers of the GPUs {sorted(devices)}: hand over one object for each")
    return devices.pop() if devices else None


def _check(array: Any) -> None:
    if array.dtype.hasobject:
        raise TypeError("an array of Python objects cannot be handed over by gpustream")
    if not array.flags.c_contiguous:
        raise ValueError("an array that is not contiguous cannot be handed over in stream order: make it contiguous in the stream")


def register() -> None:
    """Makes the transport known to Ray under the name "gpustream", for the actors that this process creates from now on.

    A second call does nothing. Raises VersionMismatchError: this version of Ray was not tested.
    """
    version = Version(ray.__version__)
    if not Version(OLDEST) <= version < Version(BEFORE):
        raise VersionMismatchError(f"gpustream-ray was tested with Ray {OLDEST}, up to {BEFORE}; this is {version}, whose interface of "
                                   "transports may differ")
    from ray.experimental.rdt import util

    if NAME.upper() not in util.transport_manager_info:
        register_tensor_transport(NAME, ["cpu"], HostTransport, numpy.ndarray)


def stats() -> dict[str, int]:
    """What this process holds: slots of its own, their bytes, those in use; slots opened of others, leases on them."""
    own = [outbox.stats() for outbox in (_outbox, *_outboxes.values())]
    return {name: sum(each[name] for each in own) for name in own[0]} | _inbox.stats()
