# SPDX-License-Identifier: Apache-2.0
import types

import foreign
from support import fake_cupy


class _Stream(fake_cupy.Stream):
    def __init__(self, non_blocking):
        assert non_blocking
        super().__init__(foreign.new_stream(), 0)

    def __cuda_stream__(self):
        return 0, self.ptr


_Stream.null = fake_cupy.Stream.null


class _Event:
    done = False

    def __init__(self, disable_timing):
        assert disable_timing
        self.ptr = foreign.new_event()

    def record(self):
        foreign.record(self.ptr, fake_cupy.get_current_stream().ptr)


cuda = types.SimpleNamespace(**{**vars(fake_cupy.cuda), "Stream": _Stream, "Event": _Event})
