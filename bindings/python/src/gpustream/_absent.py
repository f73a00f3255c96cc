# SPDX-License-Identifier: Apache-2.0
"""Names of torch.cuda and torch.accelerator that a library without tensors lacks: why, and what serves instead. Imported when one is asked for."""
from __future__ import annotations

_ALLOCATOR = ("gpustream allocates from the driver's pools alone; gpustream.interop.share_pool() makes PyTorch, CuPy and RMM allocate "
              "from them, too")
_CACHE = "gpustream's pools always keep what is freed; gpustream.empty_cache() gives it back"
_RANDOM = "gpustream has a state for each device and no objects for them: gpustream.get_rng_state() reads one, gpustream.manual_seed() sets it"
_TENSORS = "gpustream has no tensors; arrays of other libraries work in its streams (gpustream.interop)"

_WHY: dict[str, tuple[str, ...]] = {
    _ALLOCATOR: ("CUDAPluggableAllocator", "change_current_allocator"),
    _CACHE: ("caching_allocator_enable", "caching_allocator_disabled"),
    _RANDOM: ("default_generators",),
    _TENSORS: ("ComplexDoubleStorage", "ComplexFloatStorage", "amp", "sparse", *(f"{kind}{what}" for what in ("Storage", "Tensor") for kind in (
        "BFloat16", "Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short"))),
    "gpustream compiles no kernels: cupy.RawKernel, numba.cuda and Triton do, and take its streams": ("jiterator",),
    "gpustream has no collectives: nccl4py takes its streams, as they have __cuda_stream__": ("nccl",),
    "gpustream tunes no kernels": ("tunable",),
    "gpustream makes no handles of cuSOLVER: cusolverDnSetStream() takes a stream's cuda_stream": ("current_solver_handle",),
    "gpustream.CUDAGraph.debug_dump() and gpustream.Graph.write_dot() write a graph": ("export_dot", "export_graph_data"),
    "gpustream.Graph.set_name() names a graph, and gpustream.trace shows what was submitted inside gpustream.nvtx.range()": ("graph_annotations",),
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
