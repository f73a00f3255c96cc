# SPDX-License-Identifier: Apache-2.0
"""The raw layer of the Node package: the table of its addon, and types, numbers and layouts for TypeScript."""
import textwrap

from .declarations import type_of
from .output import header
from .scanner import HeaderError

TABLE = "bindings/node/native/functions.cpp"
RAW = "bindings/node/src/raw.ts"
NUMBERS = {"int32_t", "uint32_t", "double", "float"}
WIDE = {"int64_t", "uint64_t", "size_t", "uintptr_t", "intptr_t"}
KINDS = {"char": "text", "unsigned char": "uint8", "size_t": "uint64", "uintptr_t": "uint64", "intptr_t": "int64"}
KEYWORDS = {"function", "new", "delete", "in", "default", "with", "var", "this", "arguments"}


def plain(api, base, owner):
    """number or bigint, for a C type without pointers."""
    base = api.plain_type(base)
    if api.handle_kind(base) or base in WIDE:
        return "bigint"
    if base in NUMBERS:
        return "number"
    raise HeaderError(f"node: no rule for the type '{base}' of {owner}")


def parameter(api, one, owner):
    name = f"{one.name}_" if one.name in KEYWORDS else one.name
    if one.callback:
        return f"{name}: bigint | null"
    if one.type.text == "const char *":
        return f"{name}: string | null"
    if one.type.pointers:
        return f"{name}: Address"
    return f"{name}: {plain(api, one.type.base, owner)}"


def result(api, function):
    type_ = type_of(function.result)
    return "string" if type_.pointers else plain(api, type_.base, function.name)


def comment(text, indent=""):
    lines = textwrap.wrap(text.replace("*/", "* /"), 112 - len(indent), break_long_words=False, break_on_hyphens=False)
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    return f"{indent}/**\n" + "".join(f"{indent} * {line}\n" for line in lines) + f"{indent} */\n"


def table(api):
    text = header(TABLE, "The functions by name, each with a form that takes its arguments from JavaScript.") + '#include "call.hpp"\n\nnamespace gs_node {\n\n'
    text += "#define E(name) entry<decltype(name)>(#name)\n\n// clang-format off\nEntry entries[] = {\n"
    names = " ".join(f"E({one.name})," for one in api.functions)
    text += textwrap.fill(names, 112, initial_indent="    ", subsequent_indent="    ")
    return text + "\n};\n// clang-format on\n\n#undef E\n\nconst size_t entry_count = sizeof entries / sizeof entries[0];\n\n} // namespace gs_node\n"


def field(api, one):
    type_ = type_of(one.type) if "(*)" not in one.type else None
    base = api.plain_type(type_.base) if type_ and not type_.pointers else "uint64_t"
    if api.handle_kind(base) or any(base == each.name for each in api.callbacks):
        base = "uint64_t"
    kind = KINDS.get(base, base.removesuffix("_t"))
    if one.array and kind != "text":
        kind = "bytes"
    return f"    {one.name}: {{ offset: {one.offset}, size: {one.size}, kind: '{kind}' }},\n"


def raw(api):
    text = header(".ts") + "\n/** Where something is: memory of JavaScript, an address, or NULL. */\n"
    text += "export type Address = ArrayBufferView | bigint | null;\n\n"
    for one in api.constants:
        wide = plain(api, one.type, one.name) == "bigint"
        text += comment(one.doc) + f"export const {one.name} = {hex(one.value) + 'n' if wide else one.value};\n"
    text += "\n/** A member of a struct. */\nexport interface Field {\n  offset: number;\n  size: number;\n  kind: string;\n}\n"
    text += "\n/** A struct: its size, whether it begins with struct_size, and its members. */\nexport interface Layout {\n"
    text += "  size: number;\n  sized: boolean;\n  fields: Record<string, Field>;\n}\n\n"
    for one in api.structs:
        text += comment(one.doc) + f"export const {one.name} = {{\n  size: {one.size}, sized: {'true' if one.sized else 'false'}, fields: {{\n"
        text += "".join(field(api, each) for each in one.fields) + "  },\n} satisfies Layout;\n\n"
    text += "/** The functions of gpustream.h: the header documents them. */\nexport interface Raw {\n"
    for one in api.functions:
        parameters = ", ".join(parameter(api, each, one.name) for each in one.parameters)
        text += comment(one.summary, "  ") + f"  {one.name}({parameters}): {result(api, one)};\n"
    return text + "}\n"


def outputs(api):
    return {TABLE: table(api), RAW: raw(api)}
