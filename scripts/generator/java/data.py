# SPDX-License-Identifier: Apache-2.0
"""The header's numbers and the places of its structs' members: Constants and Layouts."""
from ..declarations import type_of
from ..scanner import HeaderError
from . import types
from .text import filled, source

INTERNAL = "io.gpustream.internal"


def literal(api, constant):
    """(Java type, literal) of a constant; unsigned numbers keep their bits."""
    type_ = types.carrier(api, type_of(constant.type), constant.name)
    bits = 64 if type_ == "long" else 32
    value = (constant.value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)
    if not -(2 ** (bits - 1)) <= constant.value < 2**bits:
        raise HeaderError(f"java: {constant.name} does not fit its type {constant.type}")
    return type_, str(value) if type_ == "int" else f"0x{value % 2**64:x}L"


def constants(api):
    body = ["/** The numbers of gpustream.h, each under its name without GS_. */", "public final class Constants {"]
    for group in ["", *(group.name for group in api.groups)]:
        for constant in api.constants_of(group):
            type_, value = literal(api, constant)
            body.append(f"    public static final {type_} {types.constant_name(constant.name)} = {value};")
        body.append("")
    body += ["    /** Size of the largest struct, bytes. */"]
    body += [f"    public static final int LARGEST_STRUCT = {max(one.size for one in api.structs)};", ""]
    return source(INTERNAL, [], [*body, "    private Constants() {}", "}"])


def struct(one):
    """A chain of .field() calls."""
    name = types.constant_name(one.name)
    words = [f'.field("{field.name}", {field.offset}, {field.size})' for field in one.fields]
    first = f'    public static final Struct {name} = new Struct("{one.name}", {one.size})'
    return [first, *filled(" " * 12, [*words[:-1], f"{words[-1]};"], "")]


def layouts(api):
    body = [
        "/** Where the members of the header's structs are, in bytes. The C compiler compares them in tests/abi/layout.c. */",
        "public final class Layouts {",
    ]
    for one in api.structs:
        body += [*struct(one), ""]
    return source(INTERNAL, [], [*body, "    private Layouts() {}", "}"])
