# SPDX-License-Identifier: Apache-2.0
"""What a device is, and how one is named."""
import operator
import re

from gpustream._load import _core
from gpustream.errors import Status, fail

BACKENDS = {_core.GS_BACKEND_HOST: "host", _core.GS_BACKEND_CUDA: "cuda", _core.GS_BACKEND_HIP: "hip"}
_NUMBERS = {name: number for number, name in BACKENDS.items()}
_NAME = re.compile(r"([a-z_]+)(?::(0|[1-9][0-9]*))?")
_MOST = 65535  # ordinals above are no ordinals in gpustream.h
NO_DEVICE = 0x7FFFFFFF  # no such device, says the library


def default_type():
    """The name of the backend that plain ordinals mean: "cuda" or "host"."""
    return BACKENDS[_core.gs_default_backend()]


def _backend(type_, index):
    """The backend number for a device type. "cuda" is the default backend, whichever that is, so that code written for
    GPUs also runs without one."""
    if type_ == "cuda":
        return _core.gs_default_backend()
    if type_ == "host":
        return _core.GS_BACKEND_HOST
    raise ValueError(f"Expected a cuda device, but got: {type_ if index is None else f'{type_}:{index}'}")


def parse(text):
    """(type, index or None) of a device's name."""
    match = _NAME.fullmatch(text)
    if not match:
        raise RuntimeError(f"Invalid device string: '{text}'")
    type_, index = match.group(1), match.group(2)
    _backend(type_, index)
    index = None if index is None else int(index)
    if index is not None and index > _MOST:
        raise fail(Status.INVALID_DEVICE, f"Invalid device id: {text}")
    return type_, index


class Device:
    """A device: its type, "cuda" or "host", and its index there. Immutable, hashable, equal by both.

    Device("cuda", 1), Device("cuda:1") and Device(1) are device 1 of the default backend; where that is the host
    backend, type says "host". Whether there is such a device is not checked.
    """

    __slots__ = ("_index", "_type")

    def __init__(self, type=None, index=None):
        if hasattr(type, "type") and hasattr(type, "index"):  # a Device, or another library's
            type, index = str(type.type), type.index if index is None else index
        elif isinstance(type, str):
            name, number = parse(type)
            if number is not None and index is not None:
                raise RuntimeError(f"Invalid device string: '{type}' has an index, and another one was given")
            type, index = name, number if index is None else index
        elif type is not None:
            if index is not None:
                raise TypeError(f"Device(): argument 'type' must be str, not {type.__class__.__name__}")
            type, index = "cuda", _ordinal(type, "type")
        else:
            type = "cuda"
        if index is not None:
            index = _ordinal(index, "index")
            if not 0 <= index <= _MOST:
                raise fail(Status.INVALID_DEVICE, f"Invalid device id: {index}")
        object.__setattr__(self, "_type", BACKENDS[_backend(type, index)])
        object.__setattr__(self, "_index", index)

    def __setattr__(self, name, value):
        raise AttributeError(f"a Device is immutable: '{name}' cannot be set")

    def __delattr__(self, name):
        raise AttributeError(f"a Device is immutable: '{name}' cannot be deleted")

    @property
    def type(self):
        """"cuda" or "host"."""
        return self._type

    @property
    def index(self):
        """Ordinal within the backend (int); None: that backend's current device."""
        return self._index

    def __eq__(self, other):
        if not isinstance(other, Device):
            return NotImplemented
        return self._type == other._type and self._index == other._index

    def __hash__(self):
        return hash((self._type, self._index))

    def __str__(self):
        return self._type if self._index is None else f"{self._type}:{self._index}"

    def __repr__(self):
        index = "" if self._index is None else f", index={self._index}"
        return f"device(type='{self._type}'{index})"

    def __reduce__(self):
        return Device, (self._type, self._index)


def _ordinal(value, name):
    if isinstance(value, bool):
        raise TypeError(f"argument '{name}' must be int, not bool")
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"argument '{name}' must be int, not {type(value).__name__}") from None


def of_number(number):
    """The Device for a gs_device_t."""
    backend = _core.gs_device_backend(number) or _core.gs_default_backend()
    device = object.__new__(Device)
    object.__setattr__(device, "_type", BACKENDS[backend])
    object.__setattr__(device, "_index", _core.gs_device_ordinal(number))
    return device


def _current_of(backend):
    """The current device if it is of that backend, else the backend's first."""
    _core.start()
    current = _core.gs_current_device()
    if (_core.gs_device_backend(current) or _core.gs_default_backend()) == backend:
        return current
    return _number(backend, 0)


def _number(backend, index):
    if index > _MOST:
        return NO_DEVICE
    return index if backend == _core.gs_default_backend() else _core.gs_device_make(backend, index)


def to_number(value, name="device"):
    """Hook: the gs_device_t for what is no plain int and not None: a name, or any object with .index."""
    if isinstance(value, str):
        type_, index = parse(value)
    elif isinstance(value, bool):
        raise TypeError(f"argument '{name}' must be a device, not bool")
    elif hasattr(value, "type") and hasattr(value, "index"):
        type_, index = value.type, value.index
        if index is not None:
            index = _ordinal(index, name)
        if index is not None and index < 0:
            return -1  # as any negative number
    elif hasattr(value, "index") and not callable(value.index):
        type_, index = "cuda", None if value.index is None else _ordinal(value.index, name)
    else:
        try:
            number = operator.index(value)
        except TypeError:
            raise TypeError(f"argument '{name}' must be a device (int, str, None or an object with .index), "
                            f"not {type(value).__name__}") from None
        return number if 0 <= number <= _MOST else -1 if number < 0 else NO_DEVICE
    backend = _backend(str(type_), index)
    return _current_of(backend) if index is None else _number(backend, index)


def number_or_negative(value, name="device"):
    """What _get_device_index gives: None and names without an index are the current device, negative ints stay so."""
    if value is None:
        _core.start()
        return _core.gs_current_device()
    if isinstance(value, int) and not isinstance(value, bool):
        return value if -1 <= value <= _MOST else -1 if value < 0 else NO_DEVICE
    return to_number(value, name)


def required(value, name="device"):
    """The same where nothing stands for the current device: what torch's _get_device_index gives unless told otherwise."""
    if value is None:
        raise TypeError(f"argument '{name}' must be a device (int, str or an object with .index), not NoneType")
    number = number_or_negative(value, name)
    index = parse(value)[1] if isinstance(value, str) else getattr(value, "index", 0)
    if index is None:
        raise ValueError(f"Expected a gpustream.Device with a specified index or an integer, but got: {value}")
    return number
