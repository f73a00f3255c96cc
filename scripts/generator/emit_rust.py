# SPDX-License-Identifier: Apache-2.0
"""bindings/rust/gpustream-sys/src/lists.rs: the header's numbers, enums, structs and handles as lists for macros.

Functions are not among them: functions.rs is written by hand, and tests/abi/check_rust.py compares it with the header.
"""
import re
import textwrap

from .enumerators import GROUPS, camel_case, in_words, short_name
from .output import header
from .scanner import HeaderError

PATH = "bindings/rust/gpustream-sys/src/lists.rs"
WIDTH = 120
SCALARS = {
    "int8_t": "i8", "uint8_t": "u8", "int16_t": "i16", "uint16_t": "u16", "int32_t": "i32", "uint32_t": "u32",
    "int64_t": "i64", "uint64_t": "u64", "size_t": "usize", "uintptr_t": "usize", "intptr_t": "isize",
    "float": "f32", "double": "f64", "char": "c_char", "unsigned char": "u8", "void": "c_void",
}  # fmt: skip
# The crate has methods of streams instead.
WITHOUT_TYPE = ("GS_VALUE",)
# Groups in which 0 means "unset", or a value that is yet unnamed: the crate has an Option or `Other` for it.
WITHOUT_ZERO = ("GS_REASON", "gs_backend_t", "GS_NODE", "GS_UPDATE")
FUNCTION = re.compile(r"(.+?)\s*\(\*\)\((.*)\)$")


def rust_type(api, text):
    """The Rust spelling of a C type: `const char *` is `*const c_char`."""
    text = " ".join(text.split())
    function = FUNCTION.match(text)
    if function:
        parameters = [re.sub(r"(?<=[\s*])\w+$", "", part.strip()) for part in function.group(2).split(",")]
        parameters = ", ".join(rust_type(api, part) for part in parameters if part.strip() not in ("", "void"))
        result = "" if function.group(1) == "void" else f" -> {rust_type(api, function.group(1))}"
        return f'Option<unsafe extern "C" fn({parameters}){result}>'
    if text.endswith("*"):
        target = text[:-1].rstrip()
        outer = re.fullmatch(r"(.*\*)\s*const", target)
        constant = outer or re.fullmatch(r"const [^*]+", target)
        return f"*{'const' if constant else 'mut'} {rust_type(api, outer.group(1) if outer else target)}"
    name = text.removeprefix("const ")
    known = {one.name for one in [*api.scalars, *api.handles, *api.structs, *api.callbacks]}
    if name not in SCALARS and name not in known:
        raise HeaderError(f"the type '{text}' has no Rust spelling in scripts/generator/emit_rust.py")
    return SCALARS.get(name, name)


def field_type(api, field):
    return f"[{rust_type(api, field.type)}; {field.array}]" if field.array else rust_type(api, field.type)


def number_type(api, constant):
    """Versions are what gs_version() and gs_abi_version() return; aliases of integers are spelled out."""
    if constant.name.startswith("GS_VERSION_") or constant.name == "GS_ABI_VERSION":
        return "u32"
    return rust_type(api, api.plain_type(constant.type))


def comment(indent, name, text):
    """A documentation comment: names of C in backticks, since Markdown takes their `*` for emphasis."""
    text = re.sub(r"(?<![`\w])((?:gs_|GS_|GPUSTREAM_|struct_size)\w*(?:\.\w+)?(?:\(\))?\*?)(?!`)", r"`\1`", text)
    text = re.sub(r"(?<!`)\b([A-Z][a-z]+[A-Z][a-z]\w*)(?!`)", r"`\1`", text)  # PyTorch, which clippy takes for code
    text = re.sub(r"(?<!`)([<>\[\]])", r"\\\1", text)
    lines = textwrap.wrap(text, WIDTH - indent - 4, break_long_words=False, break_on_hyphens=False)
    if not lines:
        raise HeaderError(f"{name} has no comment")
    return "".join(f"{' ' * indent}/// {line}\n" for line in lines)


def list_macro(name, doc, body):
    return (
        f"\n/// Calls a macro with the list of {doc}.\n#[doc(hidden)]\n#[macro_export]\n"
        f"macro_rules! {name} {{\n    ($then:path) => {{\n        $then! {{\n{body}        }}\n    }};\n}}\n"
    )


def constants(api):
    handles = {handle.name for handle in api.handles}
    plain, special = "", ""
    for one in api.constants:
        if one.type in handles:
            special += comment(12, one.name, one.doc) + f"            {one.name}: {one.type} = {one.value:#x};\n"
        else:
            plain += comment(12, one.name, one.doc) + f"            {one.name}: {number_type(api, one)} = {one.value};\n"
    return list_macro("for_each_constant", "constants: `NAME: type = value;`", plain) + list_macro(
        "for_each_handle_constant", "handles with a pinned value: `NAME: type = value;`", special
    )


def spelled(word, name):
    """A constant in the words of the crate: `Status::BAD_FORK`, `EventFlags::TIMING`, `Backend::Host`."""
    type_ = camel_case(word) + ("s" if word.endswith("_flag") else "")
    plain = word == "status" or word.endswith("_flag")
    return f"`{type_}`" if name is None else f"`{type_}::{name if plain else camel_case(name)}`"


def enumerators(api):
    """The lists from which the crate gpustream makes its enums, behind the word of each."""
    text = "\n/// Calls a macro with the enumerators of a type: `NAME = GS_NAME;`. Its further arguments go in front of them.\n"
    text += "#[doc(hidden)]\n#[macro_export]\nmacro_rules! for_each_enumerator {\n"
    for group, (_, word) in GROUPS.items():
        if group in WITHOUT_TYPE:
            continue
        plain, body = word == "status" or word.endswith("_flag"), ""
        for one in api.constants_of(group):
            if group in WITHOUT_ZERO and one.value == 0:
                continue
            doc = in_words(api, one.doc, "rust", spelled, lambda name: f"`{name}()`")
            name = short_name(one)
            body += comment(12, one.name, doc) + f"            {name if plain else camel_case(name)} = {one.name};\n"
        text += f"    ({word}, $then:path $(, $($head:tt)*)?) => {{\n        $then! {{\n            $($($head)*)?\n{body}        }}\n    }};\n"
    return text + "}\n"


def structs(api):
    body = ""
    for one in api.structs:
        body += comment(12, one.name, one.doc) + f"            {one.name} {{\n"
        for field in one.fields:
            body += comment(16, f"{one.name}.{field.name}", field.doc) + f"                {field.name}: {field_type(api, field)},\n"
        body += "            }\n"
    return list_macro("for_each_struct", "structs: `name { field: type, ... }`", body)


def handles(api):
    body = "".join(comment(12, one.name, one.doc) + f"            gs_{one.kind}, {one.name};\n" for one in api.handles)
    return list_macro("for_each_handle", "handles: `target, name;`", body)


def aliases(api):
    body = "".join(comment(12, one.name, one.doc) + f"            {one.name} = {rust_type(api, one.kind)};\n" for one in api.scalars)
    for one in api.callbacks:
        parameters = ", ".join(f"{text} {name}" for name, text in one.parameters)
        body += comment(12, one.name, one.doc) + f"            {one.name} = {rust_type(api, f'{one.result} (*)({parameters})')};\n"
    return list_macro("for_each_alias", "other names of types: `name = type;`", body)


def outputs(api):
    text = header(PATH, "The lists from which constants.rs, structs.rs and types.rs, and a test of their layout, are made.")
    return {PATH: text + constants(api) + enumerators(api) + structs(api) + handles(api) + aliases(api)}
