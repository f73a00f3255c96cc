# SPDX-License-Identifier: Apache-2.0
"""An attached profiler's collecting, switched on and off by the program, as torch.cuda.profiler has it.

    with gpustream.profiler.profile():    # nsys profile --capture-range=cudaProfilerApi ...
        step()

The switch is the process's, not the thread's, and does not count: the first stop() ends what several start() began. Without a
profiler, and on the host backend, the calls succeed and do nothing. gs_profiler_start() in gpustream.h says more.
"""
from __future__ import annotations

import contextlib

from gpustream._cudart import cudart
from gpustream.errors import check_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["profile", "start", "stop"]


def start() -> None:
    """Start collecting. Initialises the library; does not wait for work, so synchronize() first for an exact beginning.

    Raises gpustream.CudaError: the driver refuses, for example because a profiler's own switches are in use. Any thread.
    """
    check_error(cudart().cudaProfilerStart())


def stop() -> None:
    """Stop collecting. Does not wait for work: what still runs may be cut off.

    Raises gpustream.CudaError: the driver refuses. Any thread.
    """
    check_error(cudart().cudaProfilerStop())


@contextlib.contextmanager
def profile() -> Iterator[None]:
    """Collect during a block; stops at its end, also by an exception.

    Raises gpustream.CudaError: the driver refuses to start or to stop.
    """
    start()
    try:
        yield
    finally:
        stop()
