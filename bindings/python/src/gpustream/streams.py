# SPDX-License-Identifier: Apache-2.0
"""gpustream's streams and events under the module name that torch.cuda has them in."""
from gpustream._event import Event as Event
from gpustream._stream import ExternalStream as ExternalStream, Stream as Stream

__all__ = ["Event", "ExternalStream", "Stream"]
