# SPDX-License-Identifier: Apache-2.0
"""bindings/zig/src/raw.zig: the header's functions, structs and numbers as Zig declares C's; statuses.zig: its statuses as
errors; and, for the parity cases, tests/raw_layer.zig, which makes every call through it."""
import re

from .declarations import type_of
from .output import header
from .scanner import HeaderError

RAW = "bindings/zig/src/raw.zig"
STATUSES = "bindings/zig/src/statuses.zig"
LAYER = "bindings/zig/tests/raw_layer.zig"
PLAIN = {
    "void": "void", "char": "u8", "unsigned char": "u8", "int8_t": "i8", "uint8_t": "u8", "int32_t": "i32", "uint32_t": "u32",
    "int64_t": "i64", "uint64_t": "u64", "size_t": "usize", "uintptr_t": "usize", "double": "f64", "float": "f32",
}  # fmt: skip
KEYWORDS = {"error", "struct", "type", "fn", "var", "const", "align", "test", "resume", "suspend"}


def word(name):
    return f'@"{name}"' if name in KEYWORDS else name


def zig_type(api, type_):
    """A C type: handles are optional pointers to opaque types, pointers may be null."""
    base = type_.base
    if api.handle_kind(base):
        inner = base
    elif base in PLAIN:
        inner = PLAIN[base]
    elif any(base == one.name for one in [*api.scalars, *api.structs, *api.callbacks]):
        inner = base
    else:
        raise HeaderError(f"zig: the type {type_.text} is unknown")
    for level in range(type_.pointers):
        const = "const " if type_.const and level == 0 else ""
        inner = f"?*{const}anyopaque" if inner == "void" else f"[*c]{const}{inner}"
    return inner


def callback_type(api, one):
    arguments = ", ".join(f"{word(name)}: {zig_type(api, type_of(text))}" for name, text in one.parameters)
    return f"?*const fn ({arguments}) callconv(.c) {zig_type(api, type_of(one.result))}"


def parameter_type(api, one):
    return callback_type(api, one.callback) if one.callback else zig_type(api, one.type)


def doc(text, indent=""):
    return f"{indent}/// {text}\n" if text else ""


def constants(api):
    text = ""
    for one in api.constants:
        text += doc(one.doc)
        if api.handle_kind(one.type):
            text += f"pub const {one.name}: {one.type} = @ptrFromInt({one.value:#x});\n"
        else:
            text += f"pub const {one.name}: {zig_type(api, type_of(one.type))} = {one.value};\n"
    return text + "\n"


def types(api):
    text = ""
    for one in api.handles:
        text += doc(one.doc) + f"pub const {one.name} = ?*opaque {{}};\n"
    for one in api.scalars:
        text += doc(one.doc) + f"pub const {one.name} = {zig_type(api, type_of(one.kind))};\n"
    for one in api.callbacks:
        text += doc(one.doc) + f"pub const {one.name} = {callback_type(api, one)};\n"
    for one in api.structs:
        text += "\n" + doc(one.doc) + f"pub const {one.name} = extern struct {{\n"
        for field in one.fields:
            type_ = zig_type(api, type_of(field.type))
            text += doc(field.doc, "    ") + f"    {word(field.name)}: {f'[{field.array}]{type_}' if field.array else type_},\n"
        text += "};\n"
    return text + "\n"


def functions(api):
    text = ""
    for one in api.functions:
        arguments = ", ".join(f"{word(each.name)}: {parameter_type(api, each)}" for each in one.parameters)
        text += doc(one.summary) + f"pub extern fn {one.name}({arguments}) {zig_type(api, type_of(one.result))};\n"
    return text


def layout(api):
    text = "\ntest \"sizes and offsets are C's\" {\n    const expectEqual = @import(\"std\").testing.expectEqual;\n"
    text += "    inline for (.{\n"
    for one in api.structs:
        offsets = ", ".join(str(field.offset) for field in one.fields)
        text += f"        .{{ {one.name}, {one.size}, .{{{f' {offsets} ' if len(one.fields) > 1 else offsets}}} }},\n"
    text += "    }) |one| {\n        const names = @typeInfo(one[0]).@\"struct\".field_names;\n        try expectEqual(one[1], @sizeOf(one[0]));\n"
    text += "        try expectEqual(one[2].len, names.len);\n"
    return text + "        inline for (names, one[2]) |name, offset| try expectEqual(offset, @offsetOf(one[0], name));\n    }\n}\n"


def statuses(api):
    """The error set, and which error is which status."""
    names = {one.name: "".join(part.capitalize() for part in re.sub(r"^GS_(ERROR_)?", "", one.name).split("_"))
             for one in api.constants_of("gs_status_t") if one.value != 0}  # fmt: skip
    text = header(STATUSES, "Statuses as errors.") + 'const raw = @import("raw.zig");\n\n'
    text += "/// One for each status that is a failure; `Unknown` is one that a newer library returns.\npub const Error = error{\n"
    text += "".join(f"    {name},\n" for name in names.values()) + "    Unknown,\n};\n\n"
    text += "pub const Row = struct { raw.gs_status_t, Error };\npub const rows = [_]Row{\n"
    return text + "".join(f"    .{{ raw.{status}, Error.{name} }},\n" for status, name in names.items()) + "};\n"


def raw_layer(api):
    text = header(LAYER, "Every function through raw.zig, for the parity cases; layer.zig has those that go through the layer.")
    text += 'const raw = @import("gpustream").raw;\n\n'
    body = ""
    for one in api.functions:
        arguments = ", ".join(f"{word(each.name)}: {layer_type(api, each)}" for each in one.parameters)
        result = re.sub(r"\b(gs_\w+_t)\b", r"raw.\1", zig_type(api, type_of(one.result)))
        passed = ", ".join(word(each.name) for each in one.parameters)
        body += f"pub fn {one.name}({arguments}) callconv(.c) {result} {{\n    return raw.{one.name}({passed});\n}}\n"
    # Exported under the names by which the runner finds them.
    exports = "".join(f'    @export(&{one.name}, .{{ .name = "layer_{one.name}" }});\n' for one in api.functions)
    return text + body + f"\ncomptime {{\n{exports}}}\n"


def layer_type(api, one):
    return re.sub(r"\b(gs_\w+_t)\b", r"raw.\1", parameter_type(api, one))


def outputs(api):
    text = header(RAW, "gpustream.h as Zig declares C. The comments' rest is in the header.") + "\n"
    raw = text + types(api) + constants(api) + functions(api) + layout(api)
    return {RAW: raw, STATUSES: statuses(api)}


def built(api):
    return {LAYER: raw_layer(api)}
