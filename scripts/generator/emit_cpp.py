# SPDX-License-Identifier: Apache-2.0
"""include/gpustream/enums.hpp: the header's groups of constants as enumerations of C++. All else of C is used as it is."""
import re
import textwrap

from .output import header

PATH = "include/gpustream/enums.hpp"
# Groups whose own name says too little or too much; any other is named after what its constants have in common.
NAMES = {
    "gs_status_t": "status",
    "GS_STREAM": "stream_flags",
    "GS_CHECK": "check_flags",
    "GS_TRACE_DEVICE": "trace_flags",
    "GS_TRACED": "traced",
    "GS_POOL": "pool_flags",
    "GS_PARTITION": "partition_flags",
    "GS_LIMIT": "device_limit",
    "GS_EVENT": "event_flags",
    "GS_TIMELINE_SIGNAL": "timeline_flags",
    "GS_WAIT": "wait_mode",
    "GS_VALUE": "value_flags",
    "GS_LOG": "log_level",
    "GS_FD": "fd_type",
    "GS_FORK": "fork_status",
    "GS_CAPTURE": "capture_mode",
    "GS_NODE": "node_kind",
    "GS_CONDITION": "condition_kind",
    "GS_INSTANTIATE": "instantiate_flags",
    "GS_LAUNCH": "launch_flags",
    "GS_UPDATE": "update_reason",
}
# What the constants of a group with one member begin with: the scanner takes all but the last word for the group's name.
STEMS = {"GS_TIMELINE_SIGNAL": "GS_TIMELINE_", "GS_TRACE_DEVICE": "GS_TRACE_"}
KEYWORDS = {"default", "if", "while", "switch", "for", "do", "delete", "new", "private", "public", "register", "static", "thread_local", "union", "void",
            "and", "and_eq", "bitand", "bitor", "compl", "not", "not_eq", "or", "or_eq", "xor", "xor_eq"}


def class_name(group):
    return NAMES.get(group.name, re.sub(r"^gs_|_t$", "", group.name.lower()))


def prefix(api, group):
    """What the constants' names begin with: GS_STREAM_, or GS_ where they differ from there on."""
    if group.name == "gs_status_t":
        return "GS_"
    names = [one.name for one in api.constants_of(group.name)]
    stem = STEMS.get(group.name) or f"{re.sub(r'_t$', '', group.name).upper()}_"
    return stem if all(name.startswith(stem) for name in names) else "GS_"


def enumerator(constant, start):
    name = re.sub(r"^error_", "", constant.name[len(start) :].lower())
    return f"_{name}" if name[0].isdigit() else f"{name}_" if name in KEYWORDS else name


def comment(text, indent=4):
    return "".join(f"{' ' * indent}/// {line}\n" for line in textwrap.wrap(text, 116 - indent, break_long_words=False))


def enumeration(api, group):
    name, start = class_name(group), prefix(api, group)
    flags = name.endswith("_flags")
    text = comment(group.doc, 0) if group.doc else ""
    text += f"enum class {name} : {'uint32_t' if flags else 'int32_t'} {{\n"
    if flags:
        text += comment("No flag.") + "    none = 0,\n"
    for one in api.constants_of(group.name):
        text += comment(one.doc) + f"    {enumerator(one, start)} = {one.name},\n"
    text += "};\n"
    if flags:
        text += (
            f"constexpr {name} operator|({name} left, {name} right) noexcept {{ return static_cast<{name}>(static_cast<uint32_t>(left) | static_cast<uint32_t>(right)); }}\n"
            f"/// Whether a flag is set.\n"
            f"constexpr bool operator&({name} left, {name} right) noexcept {{ return (static_cast<uint32_t>(left) & static_cast<uint32_t>(right)) != 0; }}\n"
        )
    return text + "\n"


def numbers(api):
    """The header's macros that cast as C does, which warnings of a C++ program would complain about."""
    text = "namespace detail {\n"
    for one in api.constants:
        if api.handle_kind(one.type):
            text += f"inline {one.type} {one.name[3:].lower()}() noexcept {{ return reinterpret_cast<{one.type}>(uintptr_t{{{one.value:#x}u}}); }}\n"
        elif one.type == "gs_device_t":
            text += f"inline constexpr {one.type} {one.name[3:].lower()} = {one.value};\n"
    return text + "} // namespace detail\n\n"


def outputs(api):
    text = header(PATH, "The numbers of gpustream.h as enumerations.") + '#pragma once\n\n#include "config.hpp"\n\nGPUSTREAM_BEGIN_NAMESPACE\n\n'
    text += "".join(enumeration(api, group) for group in api.groups if len(api.constants_of(group.name)) > 0)
    return {PATH: text + numbers(api) + "GPUSTREAM_END_NAMESPACE\n"}
