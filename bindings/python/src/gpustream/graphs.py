# SPDX-License-Identifier: Apache-2.0
"""gpustream's graphs under the module name that torch.cuda has them in."""
from gpustream._cuda_graph import (
    CUDAGraph as CUDAGraph, graph as graph, graph_pool_handle as graph_pool_handle, make_graphed_callables as make_graphed_callables,
)
from gpustream._current import is_current_stream_capturing as is_current_stream_capturing

__all__ = ["CUDAGraph", "graph", "graph_pool_handle", "is_current_stream_capturing", "make_graphed_callables"]
