# SPDX-License-Identifier: Apache-2.0
"""How C crosses to Go: handles and aliases are named numbers, structs are structs, addresses that C owns are uintptr."""
import re

from .declarations import type_of
from .scanner import HeaderError

SCALARS = {
    "int32_t": "int32", "uint32_t": "uint32", "int64_t": "int64", "uint64_t": "uint64", "uint8_t": "uint8",
    "size_t": "uintptr", "uintptr_t": "uintptr", "intptr_t": "int", "double": "float64", "float": "float32",
    "char": "byte", "unsigned char": "byte",
}  # fmt: skip
# Addresses of arguments: Go's own memory, which its collector has to see.
ADDRESSES = "void **"
KEYWORDS = set(
    "break case chan const continue default defer else fallthrough for func go goto if import interface map package range"
    " return select struct switch type var".split()
)


def pascal(name):
    """gs_stream_wait_event -> StreamWaitEvent, GS_ERROR_SCOPE -> ErrorScope, gs_error_info_t -> ErrorInfo."""
    name = re.sub(r"^(gs|GS)_|_t$", "", name)
    return "".join(word[:1].upper() + (word[1:].lower() if word.isupper() else word[1:]) for word in name.split("_"))


def parameter_name(one):
    words = one.name.split("_")
    name = words[0] + "".join(word.capitalize() for word in words[1:])
    return f"{name}Value" if name in KEYWORDS else name


def named(api, base, owner):
    """The Go type of a C type without pointers."""
    known = {one.name for one in [*api.handles, *api.scalars, *api.structs]}
    if base in known:
        return pascal(base)
    if any(base == one.name for one in api.callbacks):
        return "uintptr"
    if base not in SCALARS:
        raise HeaderError(f"go: no rule for the type '{base}' of {owner}")
    return SCALARS[base]


def number(api, base, owner):
    """The number behind a named type that has no pointers."""
    kinds = {one.name: one.kind for one in api.scalars}
    return "uint64" if api.handle_kind(base) else named(api, kinds.get(base, base), owner)


def go_type(api, type_, owner):
    """Of a parameter: pointers to what has a type are Go pointers, other addresses numbers."""
    if type_.pointers == 0:
        return named(api, type_.base, owner)
    if type_.base == "void":
        inner = "uintptr"
    elif type_.base == "char" and type_.pointers == 2:
        inner = "*byte"
    else:
        inner = named(api, type_.base, owner)
    if type_.base == "void" and type_.pointers == 1:
        return inner
    if type_.base == "void" and type_.pointers == 2:
        return "*uintptr"
    return f"*{inner}"


def parameter_type(api, one, owner):
    if one.callback:
        return "uintptr"
    if one.type.text == ADDRESSES and one.direction == "in":
        return "*unsafe.Pointer"
    return go_type(api, one.type, owner)


def field_type(api, field, owner):
    if "(*)" in field.type:
        inner = "uintptr"
    else:
        type_ = type_of(field.type)
        inner = "uintptr" if type_.pointers else named(api, type_.base, owner)
        if type_.text == ADDRESSES:
            inner = "*unsafe.Pointer"
    return f"[{field.array}]{inner}" if field.array else inner


def result_type(api, function):
    result = type_of(function.result)
    if result.pointers == 1 and result.base == "char":
        return "string"
    return None if function.result == "void" else go_type(api, result, function.name)
