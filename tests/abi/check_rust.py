#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the hand-written list of functions of the Rust crate gpustream-sys with the description, and names the line that
is missing.

   check_rust.py --root TREE      prints one line per finding, exits 1 if there is any
"""
import argparse
import pathlib
import re
import sys

import generator_path  # noqa: F401
from generator.emit_rust import rust_type
from generator.tree import read_header

SOURCES = "bindings/rust/gpustream-sys/src"
KEYWORDS = {"fn": "callback", "type": "kind", "in": "input", "ref": "reference", "match": "matched", "move": "moved"}


def callback_type(api, callback, aliases):
    """The alias of types.rs with this signature, else the signature."""
    arguments = ", ".join(f"{name}: {rust_type(api, text)}" for name, text in callback.parameters)
    result = "" if callback.result == "void" else f" -> {rust_type(api, callback.result)}"
    signature = f'Option<unsafe extern "C" fn({arguments}){result}>'
    return aliases.get(signature, signature)


def function_line(api, function, aliases):
    arguments = []
    for one in function.parameters:
        unnamed = one.callback and one.type.text == "callback"
        kind = callback_type(api, one.callback, aliases) if unnamed else rust_type(api, one.type.text)
        arguments.append(f"{KEYWORDS.get(one.name, one.name)}: {kind}")
    result = "" if function.result == "void" else f" -> {rust_type(api, function.result)}"
    return f"fn {function.name}({', '.join(arguments)}){result};"


def findings(root):
    api = read_header(root).api
    functions, types = ((root / SOURCES / name).read_text(encoding="utf-8") for name in ("functions.rs", "types.rs"))
    aliases = {" ".join(kind.split()): name for name, kind in re.findall(r"pub type (gs_\w+)\s*=\s*(Option<[^;]+>);", types)}
    wanted = {one.name: function_line(api, one, aliases) for one in api.functions}
    found = {name: " ".join(line.split()) for line, name in re.findall(r"^\s+(fn (gs_\w+)\([^;]*;)$", functions, re.M)}
    for name, line in wanted.items():
        if name not in found:
            yield f"functions.rs: missing: {line}"
        elif found[name] != line:
            yield f"functions.rs: '{found[name]}' must be '{line}'"
    for name in found:
        if name not in wanted:
            yield f"functions.rs: {name} is not in the header"
    if [name for name in wanted if name in found] != [name for name in found if name in wanted]:
        yield "functions.rs: not in the header's order"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    found = list(findings(parser.parse_args().root))
    print("\n".join(found) if found else "gpustream-sys: the same functions as the header")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
