# SPDX-License-Identifier: Apache-2.0
"""bindings/fortran/gpustream_raw.f90: the header's functions, structs and numbers by iso_c_binding; and, for the parity
cases, bindings/fortran/tests/raw_layer.f90, which makes every call through it."""
import textwrap

from .declarations import alike, type_of
from .output import header

RAW = "bindings/fortran/src/gpustream_raw.f90"
LAYER = "bindings/fortran/tests/raw_layer.f90"
# Fortran has no unsigned integers: a number keeps its bits.
PLAIN = {
    "char": "character(kind=c_char)", "unsigned char": "integer(c_int8_t)", "int8_t": "integer(c_int8_t)", "uint8_t": "integer(c_int8_t)",
    "int32_t": "integer(c_int32_t)", "uint32_t": "integer(c_int32_t)", "int64_t": "integer(c_int64_t)",
    "uint64_t": "integer(c_int64_t)", "size_t": "integer(c_size_t)", "uintptr_t": "integer(c_intptr_t)",
    "double": "real(c_double)", "float": "real(c_float)",
}  # fmt: skip
# What the module takes from iso_c_binding, and does not pass on.
KINDS = ["c_ptr", "c_funptr", *dict.fromkeys(text.rstrip(")").split("(")[1].removeprefix("kind=") for text in PLAIN.values())]
WIDTH = 120


def plain(api, base):
    return PLAIN[api.plain_type(base)]


def by_value(api, type_):
    """The Fortran type of a C value, or of a pointer that is passed as an address."""
    if type_.pointers or api.handle_kind(type_.base):
        return "type(c_ptr)"
    if any(type_.base == one.name for one in api.callbacks):
        return "type(c_funptr)"
    return plain(api, type_.base)


def referred(api, one):
    """The Fortran type behind a pointer to one scalar, handle or struct; None where an address is passed."""
    type_ = one.type
    if one.callback or type_.pointers != 1 or one.count or type_.base in ("void", "char"):
        return None
    if api.struct(type_.base):
        return f"type({type_.base})"
    if api.handle_kind(type_.base):
        return "type(c_ptr)"
    return plain(api, type_.base)


def is_pointer(one):
    return bool(one.callback) or one.type.pointers > 0


def declared(api, one):
    """An absent argument is NULL."""
    if one.callback:
        return f"type(c_funptr), value :: {one.name}"
    inner = referred(api, one)
    if inner:
        intent = {"in": "in", "out": "out", "inout": "inout"}[one.direction]
        return f"{inner}, intent({intent}), optional :: {one.name}"
    return f"{by_value(api, one.type)}, value :: {one.name}"


def wrapped(text, indent):
    """A statement on as many lines as it needs."""
    lines = textwrap.wrap(text, WIDTH - indent - 2, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return " &\n".join(" " * indent + line for line in lines) + "\n"


def comment(text, indent):
    lines = textwrap.wrap(text, WIDTH - indent - 4, break_long_words=False) if text else []
    return "".join(f"{' ' * indent}!> {line}\n" if not number else f"{' ' * indent}!! {line}\n" for number, line in enumerate(lines))


def result_type(api, one):
    return by_value(api, type_of(one.result))


def interface(api, one):
    """Parameters of one type are declared together. The C name is the Fortran name."""
    names, types = ", ".join(each.name for each in one.parameters), {}
    for each in one.parameters:
        type_, name = declared(api, each).split(" :: ")
        types.setdefault(type_, []).append(name)
    text = comment(one.summary, 4) + wrapped(f"{result_type(api, one)} function {one.name}({names}) bind(C)", 4) + "      import\n"
    return text + "".join(wrapped(f"{type_} :: {', '.join(names)}", 6) for type_, names in types.items()) + "    end function\n"


def constant_name(api, one):
    """Fortran takes no notice of case: GS_ABI_VERSION would be gs_abi_version()."""
    return one.name if not api.function(one.name.lower()) else one.name.replace("GS_", "GS_HEADER_", 1)


def constant(api, one):
    name = constant_name(api, one)
    if api.handle_kind(one.type):
        # A number, since Fortran has no constant addresses: transfer(NAME, c_null_ptr) is the handle.
        return comment(one.doc, 2) + f"  integer(c_intptr_t), parameter :: {name} = int(z'{one.value:x}', c_intptr_t)\n"
    kind = plain(api, type_of(one.type).base)
    return comment(one.doc, 2) + f"  {kind}, parameter :: {name} = {one.value}\n"


def struct(api, one):
    text = comment(one.doc, 2) + f"  type, bind(C) :: {one.name}\n"
    for fields in alike(one.fields):
        names = ", ".join(f"{field.name}({field.array})" if field.array else field.name for field in fields)
        text += comment(fields[0].doc, 4) + wrapped(f"{by_value(api, type_of(fields[0].type))} :: {names}", 4)
    return text + "  end type\n\n"


def raw(api):
    text = header(RAW, "gpustream.h by iso_c_binding. The comments' rest is in the header.")
    kinds = ", ".join(KINDS)
    text += "module gpustream_raw\n" + wrapped(f"use, intrinsic :: iso_c_binding, only: {kinds}", 2)
    text += "  implicit none\n" + wrapped(f"private :: {kinds}", 2) + "\n"
    text += "".join(constant(api, one) for one in api.constants) + "\n"
    text += "".join(struct(api, one) for one in api.structs)
    text += "  interface\n" + "".join(interface(api, one) for one in api.functions)
    return text + "  end interface\nend module\n"


def forwarder(api, one):
    """An argument that may be NULL comes as an address; a pointer to nothing is an absent argument."""
    names = ", ".join(each.name for each in one.parameters)
    text = wrapped(f'function layer_{one.name}({names}) result(answer) bind(C, name="layer_{one.name}")', 0)
    text += "  use, intrinsic :: iso_c_binding\n  use gpustream_raw\n  implicit none\n"
    passed, body, locals_ = [], "", ""
    for each in one.parameters:
        inner = referred(api, each)
        if inner:
            text += f"  type(c_ptr), value :: {each.name}\n"
            locals_ += f"  {inner}, pointer :: {each.name}_at\n"
            body += f"  nullify({each.name}_at)\n  if (c_associated({each.name})) call c_f_pointer({each.name}, {each.name}_at)\n"
            passed.append(f"{each.name}_at")
        else:
            text += f"  {declared(api, each)}\n"
            passed.append(each.name)
    text += f"  {result_type(api, one)} :: answer\n" + locals_ + body
    return text + wrapped(f"answer = {one.name}({', '.join(passed)})", 2) + "end function\n\n"


def outputs(api):
    return {RAW: raw(api)}


def built(api):
    layer = header(LAYER, "Every function through gpustream_raw, for the parity cases.")
    return {LAYER: layer + "".join(forwarder(api, one) for one in api.functions)}
