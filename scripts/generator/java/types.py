# SPDX-License-Identifier: Apache-2.0
"""How C crosses to Java: handles, addresses, sizes and 64-bit numbers are long, 32-bit numbers int, bits are kept."""
import re

from ..scanner import HeaderError

INTEGERS = {
    "int32_t": "int",
    "uint32_t": "int",
    "int64_t": "long",
    "uint64_t": "long",
    "size_t": "long",
    "uintptr_t": "long",
    "intptr_t": "long",
}
KEYWORDS = set(
    "abstract assert boolean break byte case catch char class const continue default do double else enum extends final"
    " finally float for goto if implements import instanceof int interface long native new package private protected"
    " public return short static strictfp super switch synchronized this throw throws transient try void volatile while"
    " true false null".split()
)
# Methods that every object has.
OBJECT = {"clone", "equals", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait"}


def carrier(api, type_, owner):
    """The Java type that carries a C type; owner is the function or constant, for the message."""
    if type_.pointers or api.handle_kind(type_.base):
        return "long"
    base = api.plain_type(type_.base)
    if base not in INTEGERS:
        raise HeaderError(f"java: no rule for the type '{type_.text}' of {owner}")
    return INTEGERS[base]


def parameter_type(api, parameter, owner):
    return "long" if parameter.callback else carrier(api, parameter.type, owner)


def camel(name):
    """stream_wait_event -> streamWaitEvent."""
    return re.sub(r"_(\w)", lambda match: match.group(1).upper(), name)


def pascal(text):
    """'inventory and telemetry' -> InventoryAndTelemetry."""
    return "".join(word[:1].upper() + word[1:] for word in re.findall(r"[A-Za-z0-9]+", text))


def method_name(function):
    name = camel(function.name.removeprefix("gs_"))
    return f"gs{name[0].upper()}{name[1:]}" if name in KEYWORDS | OBJECT else name


def parameter_name(parameter):
    name = camel(parameter.name)
    return f"{name}Value" if name in KEYWORDS else name


def constant_name(name):
    """gs_error_info_t -> ERROR_INFO, GS_ERROR_SCOPE -> ERROR_SCOPE."""
    return re.sub(r"^gs_|_t$", "", name).upper() if name.startswith("gs_") else name.removeprefix("GS_")
