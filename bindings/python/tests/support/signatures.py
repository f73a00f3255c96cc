# SPDX-License-Identifier: Apache-2.0
"""The functions of gpustream.h as ctypes sees them, from api/gpustream.json: for each its result and its parameters."""
import ctypes
import functools
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from support.native import ROOT

_TYPES = {
    "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64, "size_t": ctypes.c_size_t,
    "uintptr_t": ctypes.c_size_t, "double": ctypes.c_double, "char": ctypes.c_char, "uint8_t": ctypes.c_uint8, "unsigned char": ctypes.c_uint8,
    "const char *": ctypes.c_char_p,
}


@functools.cache
def description():
    return json.loads((ROOT / "api/gpustream.json").read_text(encoding="utf-8"))


@functools.cache
def calls_that_release_the_gil(macro):
    """The functions for which the generated part of the interface of SWIG has GS_..._GIL."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-B", ROOT / "scripts/generate", "--only", "python", "--built", folder], check=True, capture_output=True)
        text = (Path(folder) / "bindings/swig/python_api.i").read_text(encoding="utf-8")
    return set(re.findall(rf"^{macro}\((gs_\w+)\)", text, re.M))


@functools.cache
def _named_types():
    """Scalar aliases and handles: numbers."""
    found = {scalar["name"]: _TYPES[scalar["type"]] for scalar in description()["scalars"]}
    return found | {handle["name"]: ctypes.c_uint64 for handle in description()["handles"]}


def ctype(text):
    """Of a C type: what it is, and void * for pointers other than texts."""
    return _TYPES.get(text) or _named_types().get(text) or ctypes.c_void_p


class Parameter:
    """One parameter: kind is input, output, function, text, pointer or struct; ctype what it points to or is."""

    def __init__(self, entry):
        self.name = entry["name"]
        self.output = entry["direction"] != "in"
        self.base = entry["type"].replace("const ", "").replace("*", "").strip()
        struct = structs().get(entry.get("struct"))
        self.both = entry["direction"] == "inout" and struct is None  # a number that the call reads, too: 0 in cases
        if "callback" in entry:
            self.kind, self.base, self.ctype = "function", "function", ctypes.c_void_p
        elif self.output:
            self.kind = "output"
            self.ctype = struct or (ctypes.c_uint64 if self.base == "void" else ctype(entry["type"].removesuffix("*").strip()))
        elif entry["type"] == "const char *":
            self.kind, self.ctype = "text", ctypes.c_char_p
        elif struct:
            self.kind, self.ctype = "struct", struct
        else:
            self.ctype = ctype(entry["type"])
            self.kind = "pointer" if self.ctype is ctypes.c_void_p else "input"

    @property
    def argtype(self):
        return ctypes.c_void_p if self.output or self.kind == "struct" else self.ctype


class Function:
    def __init__(self, entry):
        self.name = entry["name"]
        self.cost = entry["cost"]
        self.result = "text" if entry["result"] == "const char *" else ctype(entry["result"])
        self.has_status = entry["result"] == "gs_status_t"
        self.parameters = [Parameter(parameter) for parameter in entry["parameters"]]

    @property
    def inputs(self):
        return [p for p in self.parameters if not p.output]

    @property
    def outputs(self):
        return [p for p in self.parameters if p.output]


def _field(entry):
    kind = ctype(entry["type"])
    return entry["name"], kind * entry["array"] if "array" in entry else kind


@functools.cache
def structs():
    return {entry["name"]: type(entry["name"], (ctypes.Structure,), {"_fields_": [_field(field) for field in entry["fields"]]})
            for entry in description()["structs"]}


@functools.cache
def functions():
    return {entry["name"]: Function(entry) for entry in description()["functions"]}
