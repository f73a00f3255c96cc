# SPDX-License-Identifier: Apache-2.0
"""Initialisation, calls deferred until then, and what a fork leaves behind."""
from __future__ import annotations

from gpustream import _later
from gpustream._backend_names import BACKENDS
from gpustream._load import _core
from gpustream.errors import DeferredCudaCallError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_is_callable = callable  # torch's name of _lazy_call()'s argument hides it there


def init() -> None:
    """Initialise the library: start the default backend and run the deferred calls. Does nothing the second time.

    Never needed, since calls that need it do it; useful to meet failures and delays at a chosen moment. Creates no
    device context.

    Raises:
        gpustream.UnavailableError: the backend that GPUSTREAM_BACKEND names cannot be used here.
        gpustream.BadForkError: in a forked child of an initialised process.
        gpustream.DeferredCudaCallError: a deferred call failed; the next attempt goes on with the rest.

    May take seconds on CUDA. See gs_init() in gpustream.h.
    """
    _core.start()


_lazy_init = init  # torch.cuda's name, which its users call although it is private


def is_initialized() -> bool:
    """Report whether the library is initialised in this process (bool). False in a forked child. Never blocks."""
    return _core.gs_is_initialized()


def is_available() -> bool:
    """Report whether there is an accelerator with a device, or the host backend was chosen by name (bool).

    Starts nothing, creates no context and is safe before fork. False where the driver fails.
    """
    return _core.gs_is_available()


def _is_compiled() -> bool:
    """Report whether the library was built with a backend for GPUs (bool). Whether it can be used is another question."""
    with_kernels = (number for number in BACKENDS if _later.load("_backends").special(number).kernels_for)
    return any(_core.gs_native_error_text(number, 1) != "unknown native error" for number in with_kernels)


def _is_in_bad_fork() -> bool:
    """Report whether this process was forked from one that had initialised the library (bool)."""
    return _core.gs_fork_status() != _core.GS_FORK_CLEAN


def _lazy_call(callable: Callable[[], object], **kwargs: object) -> None:
    """Call a function once the library is initialised: now if it is, else when it will be, in the order of the calls.

    A failure then raises DeferredCudaCallError in the initialising call, with this caller's stack. Keyword arguments
    are accepted as torch.cuda's are (seed, seed_all) and have no effect.

    Raises TypeError: callable cannot be called.
    """
    del kwargs
    if not _is_callable(callable):
        raise TypeError(f"_lazy_call(): argument 'callable' must be callable, not {type(callable).__name__}")
    if is_initialized():
        callable()
    else:
        import traceback

        _core.call_on_init((callable, traceback.format_stack()[:-1]))


def run_deferred(callable: Callable[[], object], stack: list[str]) -> None:
    """Hook: runs one deferred call."""
    try:
        callable()
    except Exception as error:
        raise DeferredCudaCallError(
            f"CUDA call failed lazily at initialization with error: {error}\n\n"
            f"CUDA call was originally invoked at:\n\n{''.join(stack)}") from error
