# SPDX-License-Identifier: Apache-2.0
"""Names of torch.cuda and torch.accelerator that a library without tensors lacks: why, and what serves instead. Imported when one is asked for."""
from __future__ import annotations

_ALLOCATOR = ("gpustream has no caching allocator: memory belongs to the library that allocated it. gpustream.mem_get_info() and "
              "gpustream.device_memory_used() report the device's")
_HOST_ALLOCATOR = "gpustream has no cache of host memory"
_POOLS = "gpustream has no pools of memory; the library that allocates (CuPy, RMM, torch) has"
_RANDOM = "gpustream has a state for each device and no objects for them: gpustream.get_rng_state() reads one, gpustream.manual_seed() sets it"
_TENSORS = "gpustream has no tensors; arrays of other libraries work in its streams (gpustream.interop)"

_WHY: dict[str, tuple[str, ...]] = {
    _ALLOCATOR: (
        "caching_allocator_alloc", "caching_allocator_delete", "caching_allocator_enable", "empty_cache", "get_allocator_backend",
        "get_per_process_memory_fraction", "max_memory_allocated", "max_memory_cached", "max_memory_reserved", "memory", "memory_allocated",
        "memory_cached", "memory_reserved", "memory_snapshot", "memory_stats", "memory_stats_as_nested_dict", "memory_summary",
        "reset_accumulated_memory_stats", "reset_max_memory_allocated", "reset_max_memory_cached", "reset_peak_memory_stats",
        "set_per_process_memory_fraction",
    ),
    _HOST_ALLOCATOR: (
        "host_memory_stats", "host_memory_stats_as_nested_dict", "reset_accumulated_host_memory_stats", "reset_peak_host_memory_stats",
    ),
    _POOLS: ("CUDAPluggableAllocator", "MemPool", "change_current_allocator", "use_mem_pool"),
    _RANDOM: ("default_generators",),
    _TENSORS: ("ComplexDoubleStorage", "ComplexFloatStorage", "amp", "sparse", *(f"{kind}{what}" for what in ("Storage", "Tensor") for kind in (
        "BFloat16", "Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short"))),
    "streams on a part of a device are made by the driver's green contexts, which gpustream does not wrap": ("GreenContext", "green_contexts"),
    "gpustream compiles no kernels: cupy.RawKernel, numba.cuda and Triton do, and take its streams": ("jiterator",),
    "gpustream has no collectives: nccl4py takes its streams, as they have __cuda_stream__": ("nccl",),
    "gpustream tunes no kernels": ("tunable",),
    "use nvtx of the package of that name; its ranges are of the thread, whatever stream is current": ("nvtx",),
    "use the profiler's own switches (nsys --capture-range, cuda.bindings' cudaProfilerStart)": ("profiler",),
    "the processes of a device are listed by nvidia-smi and by NVML's packages": ("list_gpu_processes",),
    "files are read into device memory by kvikio or cuFile, which take a stream": ("gds",),
}
_IN_ACCELERATOR = {
    "get_device_capability": "torch reports the element types of tensors, which gpustream does not have; "
                             "gpustream.get_device_capability() reports the compute capability",
}
_REASONS = {name: why for why, names in _WHY.items() for name in names}


def error_for(module: str, name: str, package: object) -> AttributeError:
    """What asking for a name raises that the package does not have; the interpreter adds the nearest name that exists."""
    reason = _IN_ACCELERATOR.get(name) if module == "gpustream.accelerator" else None
    reason = reason or _REASONS.get(name)
    text = f"module {module!r} has no attribute {name!r}"
    return AttributeError(f"{text}: {reason}" if reason else text, name=name, obj=package)
