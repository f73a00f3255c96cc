# SPDX-License-Identifier: Apache-2.0
"""The functions of gpustream.h as ctypes sees them, read from the header: for each its result and its parameters."""
import ctypes
import functools
import re

from support.native import ROOT

_TYPES = {
    "gs_status_t": ctypes.c_int32, "gs_backend_t": ctypes.c_int32, "gs_device_t": ctypes.c_int32, "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64, "size_t": ctypes.c_size_t,
    "uintptr_t": ctypes.c_size_t, "double": ctypes.c_double, "gs_stream_t": ctypes.c_uint64, "gs_event_t": ctypes.c_uint64,
    "gs_module_t": ctypes.c_uint64, "gs_kernel_t": ctypes.c_uint64,
}
_FIELD = re.compile(r"^\s*(?P<type>\w+(?: char)?)\s+(?P<names>[^;()]+);", re.M)


class Parameter:
    """One parameter: kind is input, output, function, text, pointer or struct; ctype what it points to or is."""

    def __init__(self, text):
        self.function = "(*" in text
        self.name = re.search(r"\(\*(\w+)\)|(\w+)$", text.strip()).group(1 if self.function else 2)
        self.base = re.sub(r"\bconst\b|\*|\s", "", text[:text.rindex(self.name)]) if not self.function else "function"
        stars = text.count("*")
        self.output = self.name.startswith("out_")
        if self.function:
            self.kind, self.ctype = "function", ctypes.c_void_p
        elif self.output:
            self.kind = "output"
            self.ctype = structs().get(self.base) or (
                ctypes.c_char_p if self.base == "char" else ctypes.c_uint64 if stars == 2 else _TYPES[self.base])
        elif self.base == "char":
            self.kind, self.ctype = "text", ctypes.c_char_p
        elif stars and self.base in structs():
            self.kind, self.ctype = "struct", structs()[self.base]
        elif stars:
            self.kind, self.ctype = "pointer", ctypes.c_void_p
        else:
            self.kind, self.ctype = "input", _TYPES[self.base]

    @property
    def argtype(self):
        return ctypes.c_void_p if self.output or self.kind == "struct" else self.ctype


class Function:
    def __init__(self, result, name, parameters):
        self.name = name
        self.result = "text" if "char" in result else _TYPES[result.strip()]
        self.has_status = result.strip() == "gs_status_t"
        self.parameters = [Parameter(text) for text in _split(parameters)]

    @property
    def inputs(self):
        return [p for p in self.parameters if not p.output]

    @property
    def outputs(self):
        return [p for p in self.parameters if p.output]


def _split(parameters):
    if parameters.strip() == "void":
        return []
    depth, parts = 0, [""]
    for letter in parameters:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    merged = []
    for part in parts:  # "void (*fn)(void *arg)": the name is in front of the last pair of brackets
        merged.append(re.sub(r"(\(\*\w+\))\(.*\)", r"\1", part.strip()))
    return merged


@functools.cache
def header():
    text = (ROOT / "include/gpustream.h").read_text(encoding="utf-8")
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


@functools.cache
def structs():
    found = {}
    for body, name in re.findall(r"typedef struct gs_\w+ \{(.*?)\} (gs_\w+_t);", header(), re.S):
        fields = []
        for match in _FIELD.finditer(body):
            base = match["type"].removeprefix("unsigned ")
            for one in match["names"].split(","):
                size = re.search(r"\[(\d+)\]", one)
                field = re.sub(r"\[\d+\]|\*|\s", "", one)
                kind = ctypes.c_char if base == "char" else ctypes.c_uint8 if base in ("uint8_t", "unsigned char") else _TYPES.get(base)
                if "*" in one:
                    kind = ctypes.c_void_p
                fields.append((field, kind * int(size.group(1)) if size else kind))
        found[name] = type(name, (ctypes.Structure,), {"_fields_": fields})
    return found


@functools.cache
def functions():
    pattern = re.compile(r"^GS_API ([\w ]+?[ *]+)(gs_\w+)\(((?:[^()]|\([^()]*\))*)\);", re.M)
    return {name: Function(result, name, re.sub(r"\s+", " ", parameters))
            for result, name, parameters in pattern.findall(header())}
