# SPDX-License-Identifier: Apache-2.0
"""How a hand-over fails, beside gpustream's own exceptions (PeerLostError, AbortedError, OutOfMemoryError)."""


class HandoverError(RuntimeError):
    """Root of the failures of a hand-over that gpustream's exceptions do not name."""


class StaleHandoverError(HandoverError):
    """The source was freed before the message that names it came: it was delayed, or delivered twice."""


class UnreachableError(HandoverError):
    """The source is on another machine, or its files are out of this process's reach."""


class VersionMismatchError(HandoverError):
    """Source and destination, or this package and Ray, do not go together."""
