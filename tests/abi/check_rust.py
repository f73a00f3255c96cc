#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the hand-written lists of the Rust crate gpustream-sys with the description, and says which line is missing.

   check_rust.py --root TREE      prints one line per finding, exits 1 if there is any
"""
import argparse
import pathlib
import re
import sys

import generator_path  # noqa: F401
from generator.tree import read_header

SOURCES = "bindings/rust/gpustream-sys/src"
SCALARS = {
    "void": "c_void", "char": "c_char", "unsigned char": "u8", "int8_t": "i8", "uint8_t": "u8", "int16_t": "i16",
    "uint16_t": "u16", "int32_t": "i32", "uint32_t": "u32", "int64_t": "i64", "uint64_t": "u64", "size_t": "usize",
    "intptr_t": "isize", "uintptr_t": "usize", "float": "f32", "double": "f64",
}  # fmt: skip
KEYWORDS = {"fn": "callback", "type": "kind", "in": "input", "ref": "reference", "match": "matched", "move": "moved"}
# Declared beside the lists: no plain number, or a macro with parameters.
APART = {"GS_STREAM_CURRENT", "GS_DEVICE"}


def rust_type(text):
    """`const char **` is `*mut *const c_char`."""
    stars = text.count("*")
    base = text.replace("*", "").replace("const ", "").strip()
    result = SCALARS.get(base, base)
    constant = text.startswith("const ")
    for level in range(stars):
        result = f"*{'const' if constant and level == 0 else 'mut'} {result}"
    return result


def callback_type(callback, aliases):
    """The alias of types.rs with this signature, else the alias that is missing."""
    arguments = ", ".join(f"{name}: {rust_type(text)}" for name, text in callback.parameters)
    result = "" if callback.result == "void" else f" -> {rust_type(callback.result)}"
    signature = f'Option<unsafe extern "C" fn({arguments}){result}>'
    return aliases.get(signature, signature)


def function_line(function, aliases):
    arguments = []
    for one in function.parameters:
        kind = callback_type(one.callback, aliases) if one.callback else rust_type(one.type.text)
        arguments.append(f"{KEYWORDS.get(one.name, one.name)}: {kind}")
    result = "" if function.result == "void" else f" -> {rust_type(function.result)}"
    return f"fn {function.name}({', '.join(arguments)}){result};"


def field_line(field):
    if field.array:
        return f"{field.name}: [{rust_type(field.type)}; {field.array}],"
    return f"{field.name}: {rust_type(field.type)},"


def constant_line(constant):
    kind = "u32" if constant.type == "uint32_t" or constant.name.startswith(("GS_VERSION", "GS_ABI")) else "i32"
    return f"{constant.name}: {kind} = {constant.value};"


def compare(file, wanted, found):
    """wanted and found are {name: line}."""
    for name, line in wanted.items():
        if name not in found:
            yield f"{file}: missing: {line}"
        elif found[name] != line:
            yield f"{file}: '{found[name]}' must be '{line}'"
    for name in found:
        if name not in wanted:
            yield f"{file}: {name} is not in the header"
    order = [name for name in wanted if name in found]
    if order != [name for name in found if name in wanted]:
        yield f"{file}: not in the header's order"


def listed(text, pattern):
    return {name: " ".join(line.split()) for line, name in re.findall(pattern, text, re.M)}


def findings(root):
    api = read_header(root).api
    text = {path.name: path.read_text(encoding="utf-8") for path in (root / SOURCES).glob("*.rs")}
    aliases = {re.sub(r"\s+", " ", kind): name for name, kind in re.findall(r"pub type (gs_\w+_fn)\s*=\s*(Option<[^;]+>);", text["types.rs"])}
    functions = {one.name: function_line(one, aliases) for one in api.functions}
    yield from compare("functions.rs", functions, listed(text["functions.rs"], r"^\s+(fn (gs_\w+)\([^;]*;)$"))
    constants = {one.name: constant_line(one) for one in api.constants if one.name not in APART}
    yield from compare("constants.rs", constants, listed(text["constants.rs"], r"^\s+((GS_\w+): \w+ = [^;]+;)$"))
    structs = dict(re.findall(r"^ {12}(gs_\w+) \{(.*?)^ {12}\}", text["structs.rs"], re.M | re.S))
    for name in [one.name for one in api.structs if one.name not in structs]:
        yield f"structs.rs: missing: {name} {{ {' '.join(field_line(one) for one in api.struct(name).fields)} }}"
    for name, body in structs.items():
        if not api.struct(name):
            yield f"structs.rs: {name} is not in the header"
            continue
        wanted = {one.name: field_line(one) for one in api.struct(name).fields}
        aliased = {line.name: line.kind for line in api.scalars}
        for alias, kind in aliased.items():
            body = re.sub(rf"\b{alias}\b", SCALARS[kind], body)
            wanted = {field: re.sub(rf"\b{alias}\b", SCALARS[kind], line) for field, line in wanted.items()}
        yield from compare(f"structs.rs: {name}", wanted, listed(body, r"^\s+((\w+): [^,]+,)"))
    for handle in api.handles:
        if not re.search(rf"^\s+gs_{handle.kind}, {handle.name};$", text["types.rs"], re.M):
            yield f"types.rs: missing: gs_{handle.kind}, {handle.name};"
    for scalar in api.scalars:
        if f"pub type {scalar.name} = {SCALARS[scalar.kind]};" not in text["types.rs"]:
            yield f"types.rs: missing: pub type {scalar.name} = {SCALARS[scalar.kind]};"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    found = list(findings(parser.parse_args().root))
    print("\n".join(found) if found else "gpustream-sys: the same as the header")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
