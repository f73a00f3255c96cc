# SPDX-License-Identifier: Apache-2.0
"""bindings/python/native/description.{h,c}: the structs' fields and the backends' names."""
from .output import header
from .python_forms import field_kind, short_name

FOLDER = "bindings/python/native/"
DESCRIPTIONS = "gs_py_struct_"
MACROS = """#define FIELD(type, name, kind) {#name, offsetof(type, name), sizeof((type *)0)->name, kind}
#define STRUCT(type, sized, fields) {#type, sizeof(type), sized, fields, sizeof fields / sizeof fields[0]}

"""


def header_text(api):
    text = header(FOLDER + "description.h", "What the extension knows of the header: fields of structs, names of backends.")
    text += "#ifndef GPUSTREAM_PYTHON_DESCRIPTION_H\n#define GPUSTREAM_PYTHON_DESCRIPTION_H\n\n#include \"structs.h\"\n\n"
    for struct in api.structs:
        text += f"extern GS_PY_HIDDEN const gs_py_struct {DESCRIPTIONS}{short_name(struct)};\n"
    text += "\n/* As torch names device types; \"unknown\" for other numbers. */\nconst char *gs_py_backend_name(gs_backend_t backend);\n"
    return text + "\n#endif\n"


def fields(api, struct):
    rows = []
    for field in struct.fields:
        kind = field_kind(api, field.type, field.array, f"{struct.name}.{field.name}")
        rows.append(f"FIELD({struct.name}, {field.name}, {kind}),")
    return "\n".join(rows)


def source_text(api):
    text = header(FOLDER + "description.c") + '#include "description.h"\n\n' + MACROS
    for struct in api.structs:
        name = short_name(struct)
        text += f"static const gs_py_field {name}_fields[] = {{\n{fields(api, struct)}\n}};\n"
        text += f"const gs_py_struct {DESCRIPTIONS}{name} = STRUCT({struct.name}, {int(struct.sized)}, {name}_fields);\n\n"
    text += "const char *gs_py_backend_name(gs_backend_t backend) {\nswitch (backend) {\n"
    for constant in api.constants_of("gs_backend_t"):
        text += f'case {constant.name}: return "{backend_name(constant)}";\n'
    return text + 'default: return "unknown";\n}\n}\n'


def backend_name(constant):
    return constant.name.removeprefix("GS_BACKEND_").lower()


def element(api, parameter):
    """The gs_py_array (arrays.h) of a counted parameter's elements, as an initialiser."""
    kind = parameter.handle
    base = parameter.type.base if parameter.type.pointers == 1 else "const char *" if parameter.type.base == "char" else parameter.type.base
    if kind in ("stream", "event") and parameter.type.pointers == 1:
        return f"{{GS_PY_ELEMENT_{kind.upper()}, GS_PY_UINT64, NULL, sizeof({base})}}"
    if parameter.struct:
        return f"{{GS_PY_ELEMENT_STRUCT, GS_PY_UINT64, &{DESCRIPTIONS}{short_name(api.struct(base))}, sizeof({base})}}"
    # Bytes and characters that are counted are numbers one by one.
    return f"{{GS_PY_ELEMENT_FIELD, {field_kind(api, api.plain_type(base), None, parameter.name)}, NULL, sizeof({base})}}"
