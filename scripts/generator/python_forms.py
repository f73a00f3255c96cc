# SPDX-License-Identifier: Apache-2.0
"""Which Python form a C type of the header has; shared by the emitters of the Python package."""
from .scanner import HeaderError

# Kinds of gs_py_field_kind (bindings/python/native/structs.h) by C type.
FIELD_KINDS = {
    "int32_t": "GS_PY_INT32", "uint32_t": "GS_PY_UINT32", "int64_t": "GS_PY_INT64", "uint64_t": "GS_PY_UINT64", "size_t": "GS_PY_UINT64",
    "uintptr_t": "GS_PY_UINT64", "double": "GS_PY_DOUBLE", "gs_event_t": "GS_PY_EVENT",
}
BYTE_TYPES = ("uint8_t", "unsigned char")


def field_kind(api, type_text, array, where):
    """The gs_py_field_kind of a struct's field, or of an element of a counted array."""
    base = api.plain_type(type_text)
    if base == "char" and array:
        return "GS_PY_CHARACTERS"
    if base in BYTE_TYPES and array:
        return "GS_PY_BYTES"
    if base == "const char *":
        return "GS_PY_TEXT"
    if base in FIELD_KINDS:
        return FIELD_KINDS[base]
    if not array and (base.endswith("*") or base == "callback" or api.handle_kind(base) or any(base == one.name for one in api.callbacks)):
        return "GS_PY_UINT64"  # an address or a handle, as a number
    raise HeaderError(f"{where}: the Python package has no form for '{type_text}'" + (f"[{array}]" if array else ""))


def is_truth(parameter):
    """Whether an output is 1 or 0 and nothing else."""
    return parameter.direction == "out" and parameter.type.text == "int32_t *" and "1 or 0" in parameter.doc


def short_name(struct):
    """gs_stats_t: stats."""
    return struct.name.removeprefix("gs_").removesuffix("_t")


def counted(function):
    """The counted arrays of a function: (array, its count, where the library writes how many there are, or None). The
    count is next to the array, as SWIG's typemaps need it; the total is next to the count, or behind the one input that
    follows it (between()). Void pointers are addresses, with bytes as a number beside."""
    found = []
    for index, one in enumerate(function.parameters):
        after = function.parameters[index + 1 : index + 4]
        if not one.count or one.type.base == "void" or beside(function, one):
            continue
        if not after or after[0].name != one.count:
            raise HeaderError(f"{function.name}: the count of '{one.name}' must be the parameter behind it")
        totals = [part for part in after[1:] if part.type.text == "size_t *"] if one.direction != "in" else []
        found.append((one, after[0], totals[0] if totals else None))
    return found


def beside(function, parameter):
    """The input array that has the same count as this output array, or None."""
    if parameter.direction == "in" or not parameter.count:
        return None
    return next((one for one in function.parameters if one.direction == "in" and one.count == parameter.count), None)


def between(function, count, total):
    """The input between an array's count and its total, or None."""
    index = function.parameters.index(count) + 1
    return function.parameters[index] if total and function.parameters[index] is not total else None
