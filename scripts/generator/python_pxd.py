# SPDX-License-Identifier: Apache-2.0
"""gpustream.pxd: the header for Cython."""
import keyword
import textwrap

from .declarations import joined, prototype
from .output import header

PATH = "bindings/python/src/gpustream/include/gpustream.pxd"
STANDARD = "from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t\n\n"


def safe(name):
    """A name that Cython can declare: the C name is given where Python has a word of its own for it."""
    return f'{name}_ "{name}"' if keyword.iskeyword(name) else name


def struct_text(struct):
    lines = [f"ctypedef struct {struct.name}:"]
    for field in struct.fields:
        array = f"[{field.array}]" if field.array else ""
        pointer = field.type.replace("(*)", f"(*{field.name})") if "(*)" in field.type else joined(field.type, safe(field.name)) + array
        lines.append(f"    {pointer}")
    return lines


def text(api):
    lines = [f"ctypedef {scalar.kind} {scalar.name}" for scalar in api.scalars]
    for handle in api.handles:
        tag = handle.name.removesuffix("_t")
        lines += [f"cdef struct {tag}", f"ctypedef {tag} *{handle.name}"]
    lines += ["enum:"] + [f"    {one.name}" for one in api.constants if not api.handle_kind(one.type)]
    lines += [f"{one.type} {one.name}" for one in api.constants if api.handle_kind(one.type)]
    lines += [f"int {macro.name}({', '.join(f'int {one}' for one in macro.parameters)})" for macro in api.macros]
    for callback in api.callbacks:
        inner = ", ".join(joined(type_, name) for name, type_ in callback.parameters) or "void"
        lines.append(f"ctypedef {callback.result} (*{callback.name})({inner}) noexcept nogil")
    for struct in api.structs:
        lines += struct_text(struct)
    lines += [prototype(function).replace("(void)", "()") for function in api.functions]
    whole = header(PATH) + "# For Cython: cythonize(..., include_path=[gpustream.get_include()]), then `from gpustream cimport ...`.\n"
    return whole + STANDARD + 'cdef extern from "gpustream.h" nogil:\n' + textwrap.indent("\n".join(lines), "    ") + "\n"
