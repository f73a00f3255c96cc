# SPDX-License-Identifier: Apache-2.0
"""What is accepted where a device or a stream is expected, for type checkers. Nothing here is used at run time."""
from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, SupportsIndex

if TYPE_CHECKING:
    from typing import TypeAlias

    from gpustream import _core

    class HasIndex(Protocol):
        """A device of another library."""

        @property
        def index(self) -> int | None: ...

    class CudaStreamProtocol(Protocol):
        """A stream of CuPy, cuda.core, RMM or CCCL."""

        def __cuda_stream__(self) -> tuple[int, int]: ...

    class HasCudaStream(Protocol):
        """A stream of PyTorch."""

        @property
        def cuda_stream(self) -> int: ...

    class HasPtr(Protocol):
        """A stream of CuPy."""

        @property
        def ptr(self) -> int: ...

    class HasCudaEvent(Protocol):
        """An event of PyTorch."""

        @property
        def cuda_event(self) -> int: ...

    class HasEventPtr(Protocol):
        """An event of CuPy."""

        @property
        def ptr(self) -> int: ...
        @property
        def done(self) -> bool: ...

    class HasEventHandle(Protocol):
        """An event of cuda.core or numba."""

        @property
        def handle(self) -> object: ...

    NamedDevice: TypeAlias = SupportsIndex | str | HasIndex
    DeviceLike: TypeAlias = NamedDevice | None
    StreamLike: TypeAlias = _core.generic.Stream | CudaStreamProtocol | HasCudaStream | HasPtr
    EventLike: TypeAlias = _core.generic.Event | HasCudaEvent | HasEventPtr | HasEventHandle
