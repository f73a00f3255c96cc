# SPDX-License-Identifier: Apache-2.0
"""The device "gpustream" of PyTorch: gpustream's host backend.

torch.Stream, torch.Event and torch.accelerator work on it without a GPU; tensors are computed by the CPU's kernels, after the
current stream's work. Importing torch is enough where this package is installed.
"""
import contextlib

import torch

with contextlib.suppress(ImportError):  # without the package the dynamic loader finds the library
    import gpustream  # noqa: F401

from gpustream_torch import _C  # noqa: E402

NAME = "gpustream"


class _Module:
    """torch.gpustream: what PyTorch expects of a device's module."""

    is_available = staticmethod(lambda: _C.device_count() > 0)
    is_initialized = staticmethod(lambda: True)
    init = _lazy_init = staticmethod(lambda: None)
    device_count = staticmethod(_C.device_count)
    current_device = staticmethod(_C.current_device)
    _is_in_bad_fork = staticmethod(_C.in_bad_fork)
    _sleep = staticmethod(_C.sleep)
    get_amp_supported_dtype = staticmethod(lambda: [torch.float16, torch.bfloat16])

    @staticmethod
    def set_device(device):
        _C.set_device(torch.device(NAME, device).index if isinstance(device, int) else torch.device(device).index)

    @staticmethod
    def synchronize(device=None):
        torch.accelerator.synchronize(device)

    @staticmethod
    def manual_seed_all(seed):
        for index in range(_C.device_count()):
            _Module._generator(index).manual_seed(seed)

    manual_seed = manual_seed_all

    @staticmethod
    def get_rng_state(device=None):
        return _Module._generator(_index(device)).get_state()

    @staticmethod
    def set_rng_state(state, device=None):
        _Module._generator(_index(device)).set_state(state)

    @staticmethod
    def _generator(index):
        return torch._C._get_default_generator(torch.device(NAME, index)) if hasattr(torch._C, "_get_default_generator") else torch.default_generator


def _index(device):
    return _C.current_device() if device is None else torch.device(device).index or 0


def autoload():
    """Called by import torch."""


torch.utils.rename_privateuse1_backend(NAME)
torch._register_device_module(NAME, _Module())
torch.utils.generate_methods_for_privateuse1_backend(for_tensor=True, for_module=True, for_storage=True)

__all__ = ["NAME", "autoload"]
__version__ = "0.1.0"
