# SPDX-License-Identifier: Apache-2.0
"""gpustream.StreamFlags. Imported when a stream is asked for its flags: enum takes longer to import than this package."""
from __future__ import annotations

from enum import IntFlag

from gpustream._load import _core


class StreamFlags(IntFlag):
    """What kind of stream it is: Stream.flags."""

    __module__ = "gpustream"

    BLOCKING = _core.GS_STREAM_BLOCKING
    SHARED = _core.GS_STREAM_SHARED
    DEDICATED = _core.GS_STREAM_DEDICATED
