# SPDX-License-Identifier: Apache-2.0
import foreign


class _Event:
    is_done = False

    def __init__(self, device):
        self.handle, self.device = foreign.new_event(), device


class _Stream:
    def __init__(self, number, device):
        self.handle, self.device = number, device

    def __cuda_stream__(self):
        return 0, self.handle

    def record(self):
        event = _Event(self.device)
        foreign.record(event.handle, self.handle)
        return event


class Device:
    def __init__(self, index):
        self.device_id = index

    def set_current(self):
        pass

    def create_stream(self, obj=None):
        return _Stream(foreign.new_stream() if obj is None else foreign.handle_of(obj), self)
