# SPDX-License-Identifier: Apache-2.0
"""What a device is, and how one is named."""
from __future__ import annotations

from _operator import index as index_of

from gpustream._backend_names import BACKENDS
from gpustream._load import _core
from gpustream._torch_words import ANY_GPU, NOT_A_GPU
from gpustream.errors import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, SupportsIndex

    from gpustream._types import DeviceLike, NamedDevice

_NUMBERS = {name: number for number, name in BACKENDS.items()}
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz_")
_DIGITS = frozenset("0123456789")
_MOST = 65535  # the highest ordinal
NO_DEVICE = 0x7FFFFFFF  # the library answers it with "no such device"


def _backend(type_: str, index: object) -> int:
    """The number of the backend for a device type. A backend that this build of the library lacks has no devices."""
    if type_ == ANY_GPU:
        return _core.gs_default_backend()
    number = _NUMBERS.get(type_)
    if number is not None and _core.gs_device_count(number) > 0:
        return number
    raise ValueError(f"{NOT_A_GPU}{type_ if index is None else f'{type_}:{index}'}")


def parse(text: str) -> tuple[str, int | None]:
    """(type, index or None) of a device's name."""
    type_, colon, digits = text.partition(":")
    if not (type_ and _LETTERS.issuperset(type_) and (not colon or _is_index(digits))):
        raise RuntimeError(f"Invalid device string: '{text}'")
    _backend(type_, digits or None)
    if len(digits) > len(str(_MOST)) or (digits and int(digits) > _MOST):
        raise fail(_core.GS_ERROR_INVALID_DEVICE, f"Invalid device id: {text}")
    return type_, int(digits) if digits else None


def _is_index(digits: str) -> bool:
    """ASCII digits without leading zeros."""
    return digits == "0" or (digits != "" and digits[0] != "0" and _DIGITS.issuperset(digits))


Device = _core.Device


def parts(type: Any, index: SupportsIndex | None) -> tuple[str, int | None]:
    """Hook: the attributes of Device(type, index)."""
    name, given = _split(type, index)
    number = None if given is None else ordinal(given, "index")
    if number is not None and not 0 <= number <= _MOST:
        raise fail(_core.GS_ERROR_INVALID_DEVICE, f"Invalid device id: {number}")
    return BACKENDS[_backend(name, number)], number


def _split(given: Any, index: SupportsIndex | None) -> tuple[str, SupportsIndex | None]:
    """(type, index or None) from the arguments of Device()."""
    if hasattr(given, "type") and hasattr(given, "index"):  # a Device, or another library's
        return str(given.type), given.index if index is None else index
    if isinstance(given, str):
        name, number = parse(given)
        if number is not None and index is not None:
            raise RuntimeError(f"Invalid device string: '{given}' has an index, and another one was given")
        return name, number if index is None else index
    if given is None:
        return ANY_GPU, index
    if index is not None:
        raise TypeError(f"Device(): argument 'type' must be str, not {type(given).__name__}")
    return ANY_GPU, ordinal(given, "type")


def ordinal(value: Any, name: str) -> int:
    """An index that was passed as the argument of that name."""
    if isinstance(value, bool):
        raise TypeError(f"argument '{name}' must be int, not bool")
    try:
        return index_of(value)
    except TypeError:
        raise TypeError(f"argument '{name}' must be int, not {type(value).__name__}") from None


def unsigned(value: Any, name: str, bits: int = 64) -> int:
    """The same, of so many bits."""
    number = ordinal(value, name)
    if not 0 <= number < 1 << bits:
        raise OverflowError(f"argument '{name}' is out of range: {number}")
    return number


def whole_list(function: Callable[[Any, int], list[Any]], thing: Any) -> list[int]:
    """All numbers that a function of the library lists about a thing: it gives as many as there is room for, and says how many there are."""
    found, count = function(thing, 64)
    return found if count <= 64 else function(thing, count)[0]  # type: ignore[no-any-return]


def of_number(number: int) -> Device:
    """The Device for a gs_device_t."""
    backend = _core.gs_device_backend(number) or _core.gs_default_backend()
    return _core.device_of_parts(BACKENDS[backend], _core.gs_device_ordinal(number))


def _get_device(device: Any) -> Device:
    """Return the Device that an int, a name or a Device means (torch.cuda's function of that name); nothing becomes current."""
    return device if isinstance(device, Device) else Device(device)


def _current_of(backend: int) -> int:
    """The current device if it is of that backend, else the backend's first."""
    _core.start()
    current = _core.gs_current_device()
    if (_core.gs_device_backend(current) or _core.gs_default_backend()) == backend:
        return current
    return _number(backend, 0)


def _number(backend: int, index: int) -> int:
    if index > _MOST:
        return NO_DEVICE
    return index if backend == _core.gs_default_backend() else _core.gs_device_make(backend, index)


def to_number(value: Any, name: str = "device") -> int:
    """Hook for arguments other than plain ints and None: the gs_device_t for a name, or any object with .index."""
    if isinstance(value, str):
        type_, index = parse(value)
    elif isinstance(value, bool):
        raise TypeError(f"argument '{name}' must be a device, not bool")
    elif hasattr(value, "type") and hasattr(value, "index"):
        type_, index = value.type, value.index
        if index is not None:
            index = ordinal(index, name)
        if index is not None and index < 0:
            return -1  # as any negative number
    elif hasattr(value, "index") and not callable(value.index):
        type_, index = ANY_GPU, None if value.index is None else ordinal(value.index, name)
    else:
        try:
            number = index_of(value)
        except TypeError:
            raise TypeError(f"argument '{name}' must be a device (int, str, None or an object with .index), "
                            f"not {type(value).__name__}") from None
        return number if 0 <= number <= _MOST else -1 if number < 0 else NO_DEVICE
    backend = _backend(str(type_), index)
    return _current_of(backend) if index is None else _number(backend, index)


def number_or_negative(value: DeviceLike, name: str = "device") -> int:
    """What torch's _get_device_index returns: the current device for names without an index and for None, negative ints as they are."""
    if value is None:
        _core.start()
        return _core.gs_current_device()
    if isinstance(value, int) and not isinstance(value, bool):
        return value if -1 <= value <= _MOST else -1 if value < 0 else NO_DEVICE
    return to_number(value, name)


def number_of(value: DeviceLike, name: str = "device") -> int:
    """The gs_device_t for a device; the current one's for None and negative numbers."""
    number = number_or_negative(value, name)
    return _core.gs_current_device() if number < 0 else number


def required(value: NamedDevice, name: str = "device") -> int:
    """The same where nothing stands for the current device: what torch's _get_device_index returns by default."""
    if value is None:
        raise TypeError(f"argument '{name}' must be a device (int, str or an object with .index), not NoneType")
    number = number_or_negative(value, name)
    index = parse(value)[1] if isinstance(value, str) else getattr(value, "index", 0)
    if index is None:
        raise ValueError(f"Expected a gpustream.Device with a specified index or an integer, but got: {value}")
    return number
