# SPDX-License-Identifier: Apache-2.0
import types

current = None


def CallbackMemoryResource(allocate, deallocate):
    return types.SimpleNamespace(allocate=allocate, deallocate=deallocate)


def set_current_device_resource(resource):
    global current
    current = resource
