# SPDX-License-Identifier: Apache-2.0
"""Sizes and offsets by the C ABI of platforms with 64-bit pointers and longs (LP64); a test asks the compiler too."""
from .scanner import HeaderError

SCALARS = {
    "char": 1, "signed char": 1, "unsigned char": 1, "int8_t": 1, "uint8_t": 1,
    "int16_t": 2, "uint16_t": 2,
    "int": 4, "unsigned": 4, "int32_t": 4, "uint32_t": 4, "float": 4,
    "int64_t": 8, "uint64_t": 8, "size_t": 8, "intptr_t": 8, "uintptr_t": 8, "double": 8,
}  # fmt: skip
POINTER = 8


def size_and_alignment(api, text):
    """Of a type as the header spells it: a scalar, an alias of one, a handle, a pointer or a struct of the header."""
    name = text.replace("const ", "").strip()
    if name.endswith("*") or "(*" in name or api.handle_kind(name) or any(name == one.name for one in api.callbacks):
        return POINTER, POINTER
    struct = api.struct(name)
    if struct:
        return struct.size, struct.alignment
    plain = api.plain_type(name)
    if plain not in SCALARS:
        raise HeaderError(f"the size of the type '{text}' is not known")
    return SCALARS[plain], SCALARS[plain]


def round_up(number, alignment):
    return (number + alignment - 1) // alignment * alignment


def placed(api, fields):
    """[(offset, size)] of fields given as (type, array length or None), then the struct's size and alignment."""
    at, largest, places = 0, 1, []
    for text, array in fields:
        size, alignment = size_and_alignment(api, text)
        at = round_up(at, alignment)
        size *= array or 1
        places.append((at, size))
        at += size
        largest = max(largest, alignment)
    return places, round_up(at, largest), largest
