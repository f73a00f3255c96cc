# SPDX-License-Identifier: Apache-2.0
"""A slot's file: a page that says what it is, then the data; for memory of a GPU, the page says how it is opened."""
from __future__ import annotations

import mmap
import struct
from pathlib import Path

import numpy

PROTOCOL = 3
PAGE = 4096
ALIGNMENT = 64
_HEADER = struct.Struct("<8sIIQ")  # what it is, protocol, nothing, generation
_MAGIC = b"gsrayslt"
_DEVICE = struct.Struct("<36s64s")  # the GPU's UUID, and the driver's handle of the memory
_DEVICE_AT = 64


def users_of(slot: Path) -> Path:
    """A file beside that of a slot of a GPU. Processes that have the memory open have it locked, shared."""
    return slot.with_name(slot.name + ".users")


def write_header(memory: mmap.mmap, generation: int) -> None:
    _HEADER.pack_into(memory, 0, _MAGIC, PROTOCOL, 0, generation)


def read_generation(memory: mmap.mmap) -> int:
    """0: it is no slot of this protocol."""
    magic, protocol, _, generation = _HEADER.unpack_from(memory, 0)
    return generation if magic == _MAGIC and protocol == PROTOCOL else 0


def write_device(memory: mmap.mmap, name: str, handle: bytes) -> None:
    _DEVICE.pack_into(memory, _DEVICE_AT, name.encode(), handle)


def read_device(memory: mmap.mmap) -> tuple[str, bytes]:
    name, handle = _DEVICE.unpack_from(memory, _DEVICE_AT)
    return name.rstrip(b"\0").decode(), handle


def address_of(memory: mmap.mmap) -> int:
    """Address of the data. The memory must be kept as long as the address is used."""
    return int(numpy.frombuffer(memory, numpy.uint8).ctypes.data) + PAGE


def offsets_of(sizes: list[int]) -> tuple[list[int], int]:
    """Where arrays of these sizes, in bytes, are in the data; and the bytes of all."""
    offsets, end = [], 0
    for size in sizes:
        offsets.append(end)
        end += -(-size // ALIGNMENT) * ALIGNMENT
    return offsets, end
