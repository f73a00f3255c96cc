# SPDX-License-Identifier: Apache-2.0
"""Random state of devices, under torch.cuda.random's names: a seed and an offset each, for kernels that draw by Philox.

gpustream draws no numbers itself. Kernels do, with include/gpustream_philox.h, cuRAND or a generator of their own, from
where reserve() says. States are torch's 16 bytes: bytes(torch.cuda.get_rng_state().tolist()) is one, and
torch.frombuffer(bytearray(state), dtype=torch.uint8) goes back.
"""
from __future__ import annotations

import os
from typing import NamedTuple

from gpustream._devices import number_or_negative
from gpustream._lazy import _lazy_call
from gpustream._load import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol, SupportsIndex

    from gpustream._types import DeviceLike, StreamLike

    class _HostTensor(Protocol):
        def numpy(self) -> memoryview: ...

_WORD = 8  # bytes


class Philox(NamedTuple):
    """Where a kernel's random numbers begin.

    Attributes:
        captured (bool): the stream is being captured: the kernel reads seed and offset from the addresses.
        seed (int): the key, 64 bits; 0 in a capture.
        offset (int): position in each thread's sequence, in numbers of 32 bits; 0 in a capture.
        seed_address (int), offset_address (int): addresses for kernels, 64 bits each; 0 outside captures.
        offset_in_graph (int): what a captured kernel adds to the offset that it reads.
    """

    captured: bool
    seed: int
    offset: int
    seed_address: int
    offset_address: int
    offset_in_graph: int


def _seed(seed: SupportsIndex) -> int:
    number = int(seed)
    if not -(1 << 63) <= number < 1 << 64:
        raise RuntimeError(f"seed {number} is not in [-0x8000_0000_0000_0000, 0xffff_ffff_ffff_ffff]")
    return number % (1 << 64)


def _random_seed() -> int:
    return int.from_bytes(os.urandom(_WORD), "little")


def manual_seed(seed: SupportsIndex) -> None:
    """Seed the current device's random state, and set its offset to 0.

    Args:
        seed: a number of 64 bits; a negative one is taken modulo 2**64, as torch does.

    Before the library is initialised the call is deferred until then, so it never fails for want of a device. Raises
    RuntimeError: the seed is out of range. See gs_rng_set_state() in gpustream.h.
    """
    number = _seed(seed)
    _lazy_call(lambda: _core.gs_rng_set_state(_core.GS_DEVICE_CURRENT, number, 0), seed=True)


def manual_seed_all(seed: SupportsIndex) -> None:
    """Seed the random state of all devices, as manual_seed() does for one."""
    number = _seed(seed)

    def seed_all() -> None:
        for device in range(_core.device_count()):
            _core.gs_rng_set_state(device, number, 0)

    _lazy_call(seed_all, seed_all=True)


def seed() -> None:
    """Seed the current device's random state with a number of the operating system's. Deferred as manual_seed() is."""
    manual_seed(_random_seed())


def seed_all() -> None:
    """Seed the random state of all devices with one number of the operating system's. Deferred as manual_seed() is."""
    manual_seed_all(_random_seed())


def initial_seed() -> int:
    """Return the seed of the current device's random state (int). Initialises the library."""
    _core.start()
    return _core.gs_rng_get_state(_core.GS_DEVICE_CURRENT)[0]


def get_rng_state(device: DeviceLike = None) -> bytes:
    """Return the random state of a device: 16 bytes, seed and offset, as torch packs them.

    Args:
        device: the device; None or any negative number: the current one.

    Initialises the library. Raises InvalidDeviceError: there is no such device. See gs_rng_get_state() in gpustream.h.
    """
    _core.start()
    seed, offset = _core.gs_rng_get_state(number_or_negative(device))
    return seed.to_bytes(_WORD, "little") + offset.to_bytes(_WORD, "little")


def get_rng_state_all() -> list[bytes]:
    """Return the random states of all devices, by their index."""
    _core.start()
    return [get_rng_state(device) for device in range(_core.device_count())]


def _bytes_of(state: bytes | bytearray | memoryview | _HostTensor) -> bytes:
    try:
        return memoryview(state).tobytes()  # type: ignore[arg-type]
    except TypeError:
        pass
    numpy = getattr(state, "numpy", None)  # torch's tensors have no buffer, but this
    if numpy is None:
        raise TypeError(f"a random state is 16 bytes, not {type(state).__name__}")
    return memoryview(numpy()).tobytes()


def set_rng_state(new_state: bytes | bytearray | memoryview | _HostTensor, device: DeviceLike = None) -> None:
    """Set the random state of a device.

    Args:
        new_state: 16 bytes of get_rng_state() or of torch.cuda.get_rng_state(), which may be a tensor in host memory. Of
            8 bytes the offset is 0, as in torch.
        device: the device; None or any negative number: the current one.

    Deferred as manual_seed() is, and its failures with it. Raises RuntimeError: the state has another size. Raises
    InvalidArgumentError: the offset is no multiple of 4. See gs_rng_set_state() in gpustream.h.
    """
    state = _bytes_of(new_state)
    if len(state) not in (_WORD, 2 * _WORD):
        raise RuntimeError("RNG state is wrong size")
    words = int.from_bytes(state[:_WORD], "little"), int.from_bytes(state[_WORD:], "little")
    _lazy_call(lambda: _core.gs_rng_set_state(number_or_negative(device), *words))


def set_rng_state_all(new_states: Iterable[bytes | bytearray | memoryview | _HostTensor]) -> None:
    """Set the random states of all devices, by their index."""
    for device, state in enumerate(new_states):
        set_rng_state(state, device)


def reserve(count: SupportsIndex, stream: StreamLike | None = None) -> Philox:
    """Reserve random numbers for a kernel that is about to be enqueued, and return where they begin.

    Args:
        count: numbers of 32 bits that each thread of the kernel may draw; the offset advances by the next multiple of 4.
        stream: the kernel's stream; None: the current one.

    In a capture the launches of the graph reserve, each its own. Raises CapturingError: other code began the capture. See
    gs_rng_reserve() in gpustream.h.
    """
    _core.start()
    found = _core.gs_rng_reserve(stream, count)
    return Philox(bool(found["captured"]), *(found[name] for name in Philox._fields[1:]))


__all__ = [
    "Philox", "get_rng_state", "get_rng_state_all", "initial_seed", "manual_seed", "manual_seed_all", "reserve", "seed", "seed_all",
    "set_rng_state", "set_rng_state_all",
]
