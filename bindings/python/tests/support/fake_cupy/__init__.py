# SPDX-License-Identifier: Apache-2.0
"""The part of CuPy's Python interface that keeps current streams, with its rules, over raw handles of gpustream's streams."""
import threading
import types

_threads = threading.local()


def _state():
    if not hasattr(_threads, "current"):
        _threads.current, _threads.device, _threads.stack = {}, 0, []
    return _threads


class Device:
    def __init__(self, index):
        self.id = index

    def __enter__(self):
        _state().stack.append(_state().device)
        _state().device = self.id
        return self

    def __exit__(self, *exception):
        _state().device = _state().stack.pop()


class _Base:
    """A stream is taken for the device that is current, and a block puts the very object back that was there."""

    def use(self):
        if self.device_id not in (-1, _state().device):
            raise RuntimeError("This stream was not created on the current device")
        _state().current[_state().device] = self
        return self

    def __enter__(self):
        _state().stack.append((_state().device, get_current_stream()))
        return self.use()

    def __exit__(self, *exception):
        device, stream = _state().stack.pop()
        _state().current[device] = stream


class Stream(_Base):
    def __init__(self, ptr, device_id):
        self.ptr, self.device_id = ptr, device_id


class ExternalStream(_Base):
    def __init__(self, ptr, device_id=-1):
        self.ptr, self.device_id = ptr, device_id


Stream.null = Stream(0, -1)


def get_current_stream(device_id=None):
    return _state().current.get(_state().device if device_id is None else device_id, Stream.null)


cuda = types.SimpleNamespace(Device=Device, Stream=Stream, ExternalStream=ExternalStream, get_current_stream=get_current_stream)
