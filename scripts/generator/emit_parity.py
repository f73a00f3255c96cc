# SPDX-License-Identifier: Apache-2.0
"""What the runner of cases.json in C knows of the header: its functions by name, its types, and the fields of its structs."""
from .output import header

CALLS = "tests/parity/library_calls.cpp"
TYPES = "tests/parity/library_types.hpp"
FIELDS = "tests/parity/struct_fields.cpp"


def counted(function):
    """Template arguments: the positions of each output that another parameter counts, and of that parameter."""
    positions = {one.name: index for index, one in enumerate(function.parameters)}
    arrays = [one for one in function.parameters if one.direction != "in" and one.count and one.type.base != "void"]
    return "".join(f", Counted<{positions[one.name]}, {positions[one.count]}>" for one in arrays)


def calls(api):
    text = header(CALLS) + '#include "parity/library_calls.hpp"\n\nnamespace parity {\n\n'
    text += "const std::map<std::string, LibraryCall> &library_calls() {\n"
    text += "static const std::map<std::string, LibraryCall> calls = {\n"
    for function in api.functions:
        kind = "call_status" if function.result == "gs_status_t" else "call_plain"
        text += f'{{"{function.name}", {kind}<decltype({function.name}){counted(function)}>}},\n'
    return text + "};\nreturn calls;\n}\n\n} // namespace parity\n"


def types(api):
    text = header(TYPES, "Which types are handles, and the names of structs.") + '#pragma once\n\n#include "gpustream.h"\n\n'
    text += "namespace parity {\n\ntemplate <typename T>\ninline constexpr bool kIsHandle = false;\n"
    text += "".join(f"template <>\ninline constexpr bool kIsHandle<{one.name}> = true;\n" for one in api.handles)
    text += "\ntemplate <typename T>\ninline constexpr const char *kStructName = nullptr;\n"
    for one in api.structs:
        text += f'template <>\ninline constexpr const char *kStructName<{one.name}> = "{one.name}";\n'
    return text + "\n} // namespace parity\n"


def fields(api):
    text = header(FIELDS) + '#include "parity/struct_fields.hpp"\n\nnamespace parity {\n\n'
    text += "const std::map<std::string, StructInfo> &struct_infos() {\n"
    text += "static const std::map<std::string, StructInfo> infos = {\n"
    for struct in api.structs:
        rows = "".join(f"GS_FIELD({struct.name}, {one.name}),\n" for one in struct.fields)
        sized = "true" if struct.sized else "false"
        text += f'{{"{struct.name}", {{sizeof({struct.name}), {sized}, {{\n{rows}}}}}}},\n'
    return text + "};\nreturn infos;\n}\n\n} // namespace parity\n"


def built(api):
    return {CALLS: calls(api), TYPES: types(api), FIELDS: fields(api)}
