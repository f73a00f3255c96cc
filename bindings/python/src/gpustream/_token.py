# SPDX-License-Identifier: Apache-2.0
"""gpustream.Token: a point of a stream that any process on the machine can wait for."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpustream._load import _core
from gpustream.errors import Status
from gpustream.interop import _optional

if TYPE_CHECKING:
    from typing import SupportsIndex

    from typing_extensions import Self

    from gpustream._types import StreamLike


class Token:
    """Token(stream=None): the present end of a stream, for this process and for others on the machine.

    The point is reached when the work submitted to the stream so far is done. A token is 128 bytes: pickle it, or send
    bytes(token) and make Token.from_bytes() of them. Copies are equal.

    It is leased: it names the point until one process has waited for it and the point is reached, or until
    GPUSTREAM_TOKEN_LEASE_MS milliseconds are over and the point is reached. After that, calls may raise InvalidHandleError,
    and none ever means another point. So make a token for each process that is to wait.

    Args:
        stream: None: the current stream.

    Raises:
        gpustream.CapturingError: the stream is being captured; the capture is left intact.
        gpustream.NotSupportedError: the device has no interprocess events, or no UUID.
        gpustream.OutOfMemoryError: the shared memory is full.
        gpustream.SystemCallError: GPUSTREAM_SHM_DIR cannot be used.
        gpustream.InvalidHandleError: the stream was closed.

    Does not block, but for the first use of a device. See gs_token_create() in gpustream.h.
    """

    __slots__ = ("__weakref__", "_data")

    _data: bytes

    def __init__(self, stream: StreamLike | None = None) -> None:
        self._data = _core.gs_token_create(_optional(stream))

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Self:
        """The token of these 128 bytes. They are looked at when it is used.

        Raises:
            TypeError: data is not bytes-like.
            ValueError: data has another length.
        """
        view = memoryview(data)
        if view.nbytes != 128:
            raise ValueError(f"a token has 128 bytes, not {view.nbytes}")
        self = cls.__new__(cls)
        self._data = bytes(view)
        return self

    def wait(self, stream: StreamLike | None = None) -> None:
        """Make a stream wait for the point. Later work of the stream runs after it.

        Args:
            stream: of any device of the token's backend. None: the current stream.

        Raises:
            gpustream.PeerLostError: the process that made it has ended before the point was reached.
            gpustream.InvalidHandleError: the lease has ended, or the stream was closed.
            gpustream.InvalidArgumentError: the bytes are not a token.
            gpustream.DeviceMismatchError: the token's device is none of this process's.
            gpustream.NotSupportedError: the stream belongs to another backend, or the token comes from another folder of
                GPUSTREAM_SHM_DIR, or on CUDA from another pid namespace.
            gpustream.FullError: 64 other processes use tokens of the same process.
            gpustream.CapturingError: the stream is being captured; the capture is left intact.

        Does not block. See gs_token_wait() in gpustream.h.
        """
        _core.gs_token_wait(_optional(stream), self._data)

    @property
    def status(self) -> Status:
        """Status.OK: the point is reached; Status.NOT_READY; Status.PEER_LOST: the process that made it has ended before.

        A process that sees NOT_READY takes part in the lease until it waits, or sees the point reached. Raises as wait().
        Does not block. See gs_token_status() in gpustream.h.
        """
        return Status(_core.gs_token_status(self._data))

    def __bytes__(self) -> bytes:
        return self._data

    def __eq__(self, other: object) -> bool:
        return self._data == other._data if isinstance(other, Token) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._data)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return type(self).from_bytes, (self._data,)

    def __repr__(self) -> str:
        return f"<gpustream.Token {self._data[56:64].hex()}>"
