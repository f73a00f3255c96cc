# SPDX-License-Identifier: Apache-2.0
import types

import foreign

_current = None


def CallbackMemoryResource(allocate, deallocate):
    return types.SimpleNamespace(allocate=allocate, deallocate=deallocate)


def CudaMemoryResource():
    return None


def PoolMemoryResource(upstream, initial_pool_size):
    memory = foreign.Memory()
    return types.SimpleNamespace(pool_size=lambda: memory.reserved, allocate=lambda size, stream: memory.allocate(size, foreign.handle_of(stream)),
                                 deallocate=lambda address, size, stream: memory.free(address, size, foreign.handle_of(stream)))


def get_current_device_resource():
    return _current


def set_current_device_resource(resource):
    global _current
    _current = resource
