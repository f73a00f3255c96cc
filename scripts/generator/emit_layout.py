# SPDX-License-Identifier: Apache-2.0
"""tests/abi/layout.c: the compiler confirms every size, offset and number of the description."""
from .output import header

PATH = "tests/abi/layout.c"
MACROS = """#include <gpustream.h>

#include <stddef.h>

#define SIZE(type, bytes, alignment) \\
    _Static_assert(sizeof(type) == (bytes), #type " has another size"); \\
    _Static_assert(_Alignof(type) == (alignment), #type " has another alignment")
#define FIELD(type, name, offset, bytes) \\
    _Static_assert(offsetof(type, name) == (offset), #type "." #name " has moved"); \\
    _Static_assert(sizeof(((type *)0)->name) == (bytes), #type "." #name " has another size")
#define SAME(left, right) _Static_assert(_Generic((left)0, right: 1, default: 0), #left " is not " #right)
/* C takes a pointer as a number outside of constant expressions. Every compiler that builds the library folds it. */
#define NUMBER(name, value) __extension__ _Static_assert((name) == (value), #name " has another value")
#define HANDLE(name, value) NUMBER((uintptr_t)(name), value)
"""


def number(constant, api):
    if api.handle_kind(constant.type):
        return f"HANDLE({constant.name}, {constant.value:#x}u);\n"
    return f"NUMBER({constant.name}, {constant.value});\n"


def outputs(api):
    text = header(PATH, "Compiling this file is the test; tests/abi/check_baseline.py says what may change.") + MACROS
    text += "\n" + "".join(f"SAME({one.name}, {one.kind});\n" for one in api.scalars)
    text += "".join(f"SIZE({one.name}, 8, 8);\n" for one in [*api.handles, *api.callbacks])
    for struct in api.structs:
        text += f"\nSIZE({struct.name}, {struct.size}, {struct.alignment});\n"
        text += "".join(f"FIELD({struct.name}, {one.name}, {one.offset}, {one.size});\n" for one in struct.fields)
    text += "\n" + "".join(number(one, api) for one in api.constants)
    return {PATH: text}
