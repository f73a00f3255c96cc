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
from gpustream._load import _core as _core  # first: it warns of settings at the line that imports the package
from gpustream import _debug, _devices, _hooks, _later, _lazy, errors, generic, interop
from gpustream._core import (
    StreamContext as StreamContext, current_device as current_device, current_raw_stream as current_raw_stream, current_stream as current_stream,
    default_stream as default_stream, device as device, device_count as device_count, device_of as device_of, set_device as set_device,
    set_stream as set_stream, stream as stream, synchronize as synchronize,
)
from gpustream._current import (
    _DeviceGuard as _DeviceGuard, _exchange_device as _exchange_device, _exchange_stream as _exchange_stream,
    _maybe_exchange_device as _maybe_exchange_device, _set_stream_by_id as _set_stream_by_id, _sleep as _sleep,
    is_current_stream_capturing as is_current_stream_capturing, per_thread_stream as per_thread_stream, unwind as unwind,
)
from gpustream._debug import (
    _get_sync_debug_scope as _get_sync_debug_scope, _instance_count as _instance_count, _reset_stats as _reset_stats,
    _set_sync_debug_scope as _set_sync_debug_scope, _stats as _stats, _trim as _trim, get_sync_debug_mode as get_sync_debug_mode,
    set_sync_debug_mode as set_sync_debug_mode,
)
from gpustream._devices import Device as Device, _get_device as _get_device
from gpustream._event import Event as Event
from gpustream._ipc import ipc_collect as ipc_collect
from gpustream._lazy import (
    _is_compiled as _is_compiled, _is_in_bad_fork as _is_in_bad_fork, _lazy_call as _lazy_call, _lazy_init as _lazy_init, init as init, is_available as is_available,
    is_initialized as is_initialized,
)
from gpustream._stream import ExternalStream as ExternalStream, Stream as Stream
from gpustream.interop import get_stream_from_external as get_stream_from_external


has_half = True  # as torch.cuda has them: every GPU computes in half precision,
has_magma = False  # and there is no linear algebra here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpustream import accelerator as accelerator, check as check, graphs as graphs, green_contexts as green_contexts, memory as memory, nvtx as nvtx, profiler as profiler, random as random, streams as streams, trace as trace
    from gpustream._buffer import Buffer as Buffer
    from gpustream._buffer_copy import copy_batch as copy_batch
    from gpustream._buffer_dlpack import from_dlpack as from_dlpack
    from gpustream._build import get_include as get_include, get_library as get_library
    from gpustream._cuda_graph import (
        CUDAGraph as CUDAGraph, graph as graph, graph_pool_handle as graph_pool_handle, make_graphed_callables as make_graphed_callables,
    )
    from gpustream._cudart import cudart as cudart, cudaStatus as cudaStatus
    from gpustream._graph import Graph as Graph
    from gpustream._graph_exec import GraphExec as GraphExec
    from gpustream._inventory import InventoryEntry as InventoryEntry, inventory as inventory
    from gpustream._limits import (
        device_from_pci as device_from_pci, get_device_limit as get_device_limit, get_peers as get_peers, reset_device as reset_device,
        set_device_limit as set_device_limit,
    )
    from gpustream._properties import (
        _CudaDeviceProperties as _CudaDeviceProperties, _device_check as _device_check, can_device_access_peer as can_device_access_peer,
        get_device_capability as get_device_capability, get_device_name as get_device_name, get_device_properties as get_device_properties,
    )
    from gpustream.green_contexts import GreenContext as GreenContext
    from gpustream._queue import Completion as Completion, Queue as Queue
    from gpustream.memory import *  # noqa: F403
    from gpustream.random import (
        get_rng_state as get_rng_state, get_rng_state_all as get_rng_state_all, initial_seed as initial_seed, manual_seed as manual_seed,
        manual_seed_all as manual_seed_all, seed as seed, seed_all as seed_all, set_rng_state as set_rng_state,
        set_rng_state_all as set_rng_state_all,
    )
    from gpustream._stream_pool import StreamPool as StreamPool
    from gpustream._strict import (
        calibrate as calibrate, get_unrecorded_mode as get_unrecorded_mode, set_unrecorded_mode as set_unrecorded_mode,
    )
    from gpustream._stream_flags import StreamFlags as StreamFlags
    from gpustream._snapshot import Snapshot as Snapshot
    from gpustream._task_stream import task_stream as task_stream
    from gpustream._telemetry import (
        _device_count_nvml as _device_count_nvml, _get_nvml_device_index as _get_nvml_device_index,
        _parse_visible_devices as _parse_visible_devices, _raw_device_count_nvml as _raw_device_count_nvml,
        _raw_device_uuid_nvml as _raw_device_uuid_nvml, _transform_uuid_to_ordinals as _transform_uuid_to_ordinals,
        clock_rate as clock_rate, current_blas_handle as current_blas_handle, device_memory_used as device_memory_used,
        get_arch_list as get_arch_list, get_gencode_flags as get_gencode_flags, is_bf16_supported as is_bf16_supported,
        is_tf32_supported as is_tf32_supported, mem_get_info as mem_get_info,
        memory_usage as memory_usage, power_draw as power_draw, temperature as temperature, utilization as utilization,
    )
    from gpustream._timeline import Timeline as Timeline
    from gpustream._token import Token as Token
    from gpustream._waits import (
        get_wait_mode as get_wait_mode, set_wait_mode as set_wait_mode, wait_all as wait_all, wait_any as wait_any,
    )
    from gpustream._work import (
        _free_async as _free_async, _free_host as _free_host, _Kernel as _Kernel, _malloc_async as _malloc_async,
        _malloc_host as _malloc_host, _memcpy_async as _memcpy_async, _memset_async as _memset_async, _Module as _Module,
    )
    from gpustream.errors import *  # noqa: F403

# What few programs use, by its module. Each is imported when a name of it is first asked for, as that takes longer than
# importing everything else. Type checkers see the imports above.
_LATER = {
    "_buffer": ("Buffer",),
    "_buffer_copy": ("copy_batch",),
    "_buffer_dlpack": ("from_dlpack",),
    "_build": ("get_include", "get_library"),
    "_cuda_graph": ("CUDAGraph", "graph", "graph_pool_handle", "make_graphed_callables"),
    "_graph": ("Graph",),
    "_graph_exec": ("GraphExec",),
    "_cudart": ("cudart", "cudaStatus"),
    "_inventory": ("InventoryEntry", "inventory"),
    "_limits": ("device_from_pci", "get_device_limit", "get_peers", "reset_device", "set_device_limit"),
    "_properties": ("_CudaDeviceProperties", "_device_check", "can_device_access_peer", "get_device_capability", "get_device_name", "get_device_properties"),
    "_queue": ("Completion", "Queue"),
    "_stream_pool": ("StreamPool",),
    "_strict": ("calibrate", "get_unrecorded_mode", "set_unrecorded_mode"),
    "_stream_flags": ("StreamFlags",),
    "_snapshot": ("Snapshot",), "_task_stream": ("task_stream",),
    "_timeline": ("Timeline",),
    "_token": ("Token",),
    "_waits": ("get_wait_mode", "set_wait_mode", "wait_all", "wait_any"),
    "_telemetry": (
        "_device_count_nvml", "_get_nvml_device_index", "_parse_visible_devices", "_raw_device_count_nvml", "_raw_device_uuid_nvml",
        "_transform_uuid_to_ordinals", "clock_rate", "current_blas_handle", "device_memory_used", "get_arch_list", "get_gencode_flags",
        "is_bf16_supported", "is_tf32_supported", "mem_get_info", "memory_usage", "power_draw", "temperature", "utilization",
    ),
    "_work": ("_free_async", "_free_host", "_Kernel", "_malloc_async", "_malloc_host", "_memcpy_async", "_memset_async", "_Module"),
    "errors": ("Reason", "Status"),
    "green_contexts": ("GreenContext",),
    "memory": (
        "MemPool", "caching_allocator_alloc", "caching_allocator_delete", "empty_cache", "get_allocator_backend",
        "get_per_process_memory_fraction", "host_memory_stats", "host_memory_stats_as_nested_dict", "list_gpu_processes",
        "max_memory_allocated", "max_memory_cached", "max_memory_reserved", "memory_allocated", "memory_cached", "memory_reserved",
        "memory_snapshot", "memory_stats", "memory_stats_as_nested_dict", "memory_summary", "reset_accumulated_host_memory_stats",
        "reset_accumulated_memory_stats", "reset_max_memory_allocated", "reset_max_memory_cached", "reset_peak_host_memory_stats",
        "reset_peak_memory_stats", "set_per_process_memory_fraction", "use_mem_pool",
    ),
    "random": (
        "get_rng_state", "get_rng_state_all", "initial_seed", "manual_seed", "manual_seed_all", "seed", "seed_all", "set_rng_state",
        "set_rng_state_all",
    ),
}
_SUBMODULES = ("accelerator", "check", "graphs", "green_contexts", "memory", "nvtx", "profiler", "random", "streams", "trace")  # but for check and trace as torch and torch.cuda have them
_MODULES = {name: module for module, names in _LATER.items() for name in names}

if not TYPE_CHECKING:
    globals().update({name: getattr(errors, name) for name in errors.__all__ if name not in _MODULES})

    def __getattr__(name: str) -> object:
        module = _MODULES.get(name)
        if name in _SUBMODULES:
            return _later.load(name)
        if module is None:
            raise _later.load("_absent").error_for(__name__, name, _later.package)
        return globals().setdefault(name, getattr(_later.load(module), name))

    def __dir__() -> list[str]:
        return sorted({*globals(), *_MODULES, *_SUBMODULES})


__version__ = _core.gs_version_string()

_core.set_hooks(_later.load, ExternalStream)

__all__ = [
    "Buffer", "CUDAGraph", "Completion", "Device", "Event", "ExternalStream", "Graph", "GraphExec", "GreenContext", "InventoryEntry", "MemPool", "Queue", "Snapshot", "Stream",
    "StreamContext", "StreamFlags", "StreamPool", "Timeline", "Token", "accelerator", "caching_allocator_alloc", "caching_allocator_delete", "calibrate",
    "can_device_access_peer", "check", "clock_rate", "copy_batch", "cudaStatus", "cudart", "current_blas_handle", "current_device", "current_raw_stream",
    "current_stream", "default_stream", "device", "device_count", "device_from_pci", "device_memory_used", "device_of", "empty_cache", "errors", "from_dlpack", "generic",
    "get_allocator_backend", "get_arch_list", "get_device_capability", "get_device_limit", "get_device_name", "get_device_properties", "get_gencode_flags",
    "get_include", "get_library", "get_peers", "get_per_process_memory_fraction", "get_rng_state", "get_rng_state_all", "get_stream_from_external",
    "get_sync_debug_mode", "get_unrecorded_mode", "get_wait_mode", "graph", "graph_pool_handle", "graphs", "green_contexts", "has_half", "has_magma",
    "host_memory_stats", "host_memory_stats_as_nested_dict", "init", "initial_seed", "interop", "inventory", "ipc_collect", "is_available",
    "is_bf16_supported", "is_current_stream_capturing", "is_initialized", "is_tf32_supported", "list_gpu_processes",
    "make_graphed_callables", "manual_seed", "manual_seed_all", "max_memory_allocated", "max_memory_cached", "max_memory_reserved",
    "mem_get_info", "memory", "memory_allocated", "memory_cached", "memory_reserved", "memory_snapshot", "memory_stats",
    "memory_stats_as_nested_dict", "memory_summary", "memory_usage", "nvtx", "per_thread_stream", "power_draw", "profiler", "random",
    "reset_accumulated_host_memory_stats", "reset_accumulated_memory_stats", "reset_device", "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "reset_peak_host_memory_stats", "reset_peak_memory_stats", "seed", "seed_all", "set_device", "set_device_limit", "set_per_process_memory_fraction",
    "set_rng_state", "set_rng_state_all", "set_stream", "set_sync_debug_mode", "set_unrecorded_mode", "set_wait_mode", "stream", "streams",
    "synchronize", "task_stream", "temperature", "trace", "unwind", "use_mem_pool", "utilization", "wait_all", "wait_any",
]
__all__ += errors.__all__
