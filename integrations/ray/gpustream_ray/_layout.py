# SPDX-License-Identifier: Apache-2.0
"""A slot's file: a page that says what it is, then the data."""
from __future__ import annotations

import mmap
import struct

import numpy

PROTOCOL = 2
PAGE = 4096
ALIGNMENT = 64
_HEADER = struct.Struct("<8sIIQ")  # what it is, protocol, nothing, generation
_MAGIC = b"gsrayslt"


def write_header(memory: mmap.mmap, generation: int) -> None:
    _HEADER.pack_into(memory, 0, _MAGIC, PROTOCOL, 0, generation)


def read_generation(memory: mmap.mmap) -> int:
    """0: it is no slot of this protocol."""
    magic, protocol, _, generation = _HEADER.unpack_from(memory, 0)
    return generation if magic == _MAGIC and protocol == PROTOCOL else 0


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
