# SPDX-License-Identifier: Apache-2.0
from rmm import mr
from rmm.pylibrmm.stream import Stream


class DeviceBuffer:
    def __init__(self, *, size, stream=None):
        self.size, self._stream, self._resource = size, stream or Stream(), mr.get_current_device_resource()
        self.ptr = 0
        self.ptr = self._resource.allocate(size, self._stream)

    def __del__(self):
        if self.ptr:
            self._resource.deallocate(self.ptr, self.size, self._stream)
