# SPDX-License-Identifier: Apache-2.0
"""The transport that Ray calls: NumPy arrays between processes of one machine."""
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

_buffers.register()
_outbox = Outbox()
_inbox = Inbox()
_releaser = Releaser()
atexit.register(_files.sweep)  # the last: of processes that this one started, and that were killed
atexit.register(_outbox.close)


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


class HostTransport(TensorTransportManager):
    """NumPy arrays. They are copied in stream order, into memory that the machine's processes share, and out of it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sent: dict[str, Slot] = {}
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
            ValueError: it is not contiguous.
            gpustream.OutOfMemoryError: arrays that were not freed or are still read fill the limit.
        """
        for array in rdt_object:
            _check(array)
        meta = HandoverMetadata(tensor_meta=[(array.shape, array.dtype) for array in rdt_object], tensor_device="cpu")
        if not rdt_object:
            return meta
        stream = gpustream.current_stream()
        meta.offsets, size = offsets_of([array.nbytes for array in rdt_object])
        slot = _outbox.take(size)
        try:
            for array, offset in zip(rdt_object, meta.offsets, strict=True):
                if array.nbytes:
                    gpustream._memcpy_async(slot.address + offset, array.ctypes.data, array.nbytes, stream)
            stream.keep((list(rdt_object), slot))
            meta.token = slot.lease(stream)
        except BaseException:
            _outbox.give_back(slot)
            raise
        meta.machine, meta.folder = _files.machine(), _outbox.folder
        meta.slot, meta.generation = slot.name, slot.generation
        with self._lock:
            before, self._sent[obj_id] = self._sent.get(obj_id), slot  # before: of a task that Ray ran twice
        if before is not None:
            _outbox.give_back(before)
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
            raise UnreachableError(f"the source is on another machine ({meta.machine}): take the object by "
                                   "ray.get(ref, _use_object_store=True)")
        for array in target_buffers or ():
            _check(array)
        lease = _inbox.lease(meta.folder, meta.slot, meta.generation, meta.token)
        arrivals = Arrivals(target_buffers or empty_like(meta.tensor_meta), lease, meta.offsets, _releaser)
        self._coming[obj_id] = arrivals
        return arrivals

    def send_multiple_tensors(self, tensors: Any, tensor_transport_metadata: Any, communicator_metadata: Any) -> None:
        raise NotImplementedError("the receiver does it all: Ray does not call this for a one-sided transport")

    def garbage_collect(self, obj_id: str, tensor_transport_meta: TensorTransportMetadata, tensors: list[Any]) -> None:
        """No reference is left. The slot is used again when all who read it are past their copies."""
        with self._lock:
            slot = self._sent.pop(obj_id, None)
        if slot is not None:
            _outbox.give_back(slot)

    def abort_transport(self, obj_id: str, communicator_metadata: CommunicatorMetadata) -> None:
        arrivals = self._coming.get(obj_id)
        if arrivals is not None:
            arrivals.abort()


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
    return _outbox.stats() | _inbox.stats()
