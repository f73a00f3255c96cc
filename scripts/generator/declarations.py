# SPDX-License-Identifier: Apache-2.0
"""Types, parameters and fields of C declarations."""
import itertools
import re

from .model import Callback, Type
from .scanner import HeaderError

FUNCTION_POINTER = re.compile(r"^(.+?)\(\s*\*\s*(\w+)\s*\)\s*\((.*)\)$", re.S)
UNIT_NAMES = {
    "bytes": "bytes", "struct_size": "bytes", "bits": "bits", "ns": "nanoseconds", "us": "microseconds",
    "ms": "milliseconds", "khz": "kHz", "mhz": "MHz", "percent": "%", "celsius": "degrees Celsius",
    "milliwatts": "mW", "cycles": "cycles",
}  # fmt: skip
NUMBER = re.compile(r"(?:const )?(?:u?int\d+_t|size_t|double|float|int)(?: \*)?")
UNIT_TEXT = re.compile(r"(?:^|[ ;,])(" + "|".join(sorted(set(UNIT_NAMES.values()), key=len, reverse=True)) + r")$")


def split_list(text, separator=","):
    """The parts of a list, without looking inside parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [" ".join(part.split()) for part in parts if part.strip()]


def type_of(text):
    text = " ".join(text.split())
    base = re.sub(r"\bconst\b|\*", " ", text)
    spelled = re.sub(r"(?<=\w)\*", " *", re.sub(r"\s*\*\s*", "*", text))
    return Type(spelled, " ".join(base.split()), text.count("*"), "const" in text.split("*")[0].split())


def alike(fields):
    """The fields of a struct, those beside each other with one type and one comment together."""
    return [list(found) for _, found in itertools.groupby(fields, lambda one: (one.doc, one.type, one.array))]


def parameter(text):
    """(name, type, callback) of one parameter; the last two may be None."""
    found = FUNCTION_POINTER.match(text)
    if found:
        return found.group(2), None, callback(found)
    named = re.match(r"(.*?[\s*])(\w+)$", text, re.S)
    if not named:
        raise HeaderError(f"the parameter '{text}' has no name")
    return named.group(2), type_of(named.group(1)), None


def parameters(text):
    return [] if text.strip() in ("", "void") else [parameter(part) for part in split_list(text)]


def callback(found, doc=""):
    """The callback of a match of FUNCTION_POINTER."""
    inner = [(name, type_.text) for name, type_, _ in parameters(found.group(3))]
    return Callback(found.group(2), " ".join(found.group(1).split()), inner, None, doc)


def unit_of(name, type_text, doc):
    """Of a number: by the end of the name, else by the end of a part of the text's first sentences."""
    if not NUMBER.fullmatch(type_text):
        return None
    suffix = name.rsplit("_", 1)[-1]
    if name in UNIT_NAMES or suffix in UNIT_NAMES:
        return UNIT_NAMES.get(name) or UNIT_NAMES[suffix]
    for part in re.split(r"[.;:(]", doc):
        found = UNIT_TEXT.search(part.strip())
        if found:
            return found.group(1)
    return None


def declared(one):
    """A parameter as C declares it."""
    if one.callback and one.type.text == "callback":
        inner = ", ".join(joined(text, name) for name, text in one.callback.parameters) or "void"
        return f"{one.callback.result} (*{one.name})({inner})"
    return joined(one.type.text, one.name)


def joined(text, name):
    return f"{text}{name}" if text.endswith("*") else f"{text} {name}"


def prototype(function):
    return f"{joined(function.result, function.name)}({', '.join(declared(one) for one in function.parameters) or 'void'})"
