# SPDX-License-Identifier: Apache-2.0
import foreign


class Stream:
    def __init__(self, obj=None):
        self._number = foreign.new_stream() if obj is None else foreign.handle_of(obj)

    def __cuda_stream__(self):
        return 0, self._number

    def synchronize(self):
        foreign.synchronize(self._number)
