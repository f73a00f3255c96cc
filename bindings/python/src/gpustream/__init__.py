# SPDX-License-Identifier: Apache-2.0
"""Devices, streams, events and the per-thread current stream, under torch.cuda's names and rules, without torch.

    import gpustream

    producer, consumer = gpustream.Stream(), gpustream.Stream()
    with producer:
        ...                                   # work of any library that takes producer.cuda_stream
    consumer.wait_event(producer.record_event())

Importing never touches a GPU. Without one, GPUSTREAM_BACKEND=host runs everything on CPU threads. What differs from
torch.cuda is in docs/guide/porting-from-torch.md.
"""
from gpustream._load import _core
from gpustream import errors
from gpustream.errors import *  # noqa: F403
from gpustream._devices import Device
from gpustream._stream import ExternalStream, Stream
from gpustream._event import Event, ipc_collect
from gpustream import generic, interop
from gpustream.interop import get_stream_from_external
from gpustream._current import (
    StreamContext, _DeviceGuard, _exchange_device, _exchange_stream, _maybe_exchange_device, _per_thread_stream,
    _set_stream_by_id, _sleep, current_device, device, device_of, is_current_stream_capturing, set_device, set_stream,
    stream,
)
from gpustream._properties import (
    _device_check, can_device_access_peer, device_count, get_device_capability, get_device_name, get_device_properties,
)
from gpustream._lazy import _is_compiled, _is_in_bad_fork, _lazy_call, init, is_available, is_initialized
from gpustream._debug import (
    _get_sync_debug_scope, _instance_count, _reset_stats, _set_sync_debug_scope, _stats, _trim, get_sync_debug_mode,
    set_sync_debug_mode,
)
from gpustream._cudart import cudart, cudaStatus
from gpustream._telemetry import (
    _device_count_nvml, _get_nvml_device_index, _parse_visible_devices, _raw_device_count_nvml, _raw_device_uuid_nvml,
    _transform_uuid_to_ordinals, clock_rate, current_blas_handle, get_arch_list, get_gencode_flags, is_bf16_supported, mem_get_info,
    memory_usage, power_draw, temperature, utilization,
)
from gpustream._work import _free_async, _free_host, _Kernel, _malloc_async, _malloc_host, _memcpy_async, _memset_async, _Module
from gpustream import _callbacks, _debug, _devices, _lazy

current_stream = _core.current_stream
default_stream = _core.default_stream
synchronize = _core.synchronize

__version__ = _core.gs_version_string()

_core.set_hooks(errors.make, interop.hook, _devices.to_number, _debug.show_message, _lazy.run_deferred, _callbacks.wait_around)

__all__ = [
    "Device", "Event", "ExternalStream", "Stream", "StreamContext", "can_device_access_peer", "clock_rate",
    "cudaStatus", "cudart", "current_blas_handle", "current_device", "current_stream", "default_stream", "device",
    "device_count", "device_of", "errors", "generic", "get_arch_list", "get_device_capability", "get_device_name",
    "get_device_properties", "get_gencode_flags", "get_stream_from_external", "get_sync_debug_mode", "init",
    "interop", "ipc_collect", "is_available", "is_bf16_supported", "is_current_stream_capturing", "is_initialized",
    "mem_get_info", "memory_usage", "power_draw", "set_device", "set_stream", "set_sync_debug_mode", "stream",
    "synchronize", "temperature", "utilization",
]
__all__ += errors.__all__
