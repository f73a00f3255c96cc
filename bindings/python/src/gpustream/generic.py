# SPDX-License-Identifier: Apache-2.0
"""Streams and events of any backend, as torch.Stream and torch.Event are. gpustream.Stream and gpustream.Event derive
from them."""
from gpustream import _event, _stream  # noqa: F401  (they complete the classes)
from gpustream._load import _core

Stream = _core.generic.Stream
Event = _core.generic.Event

__all__ = ["Event", "Stream"]
