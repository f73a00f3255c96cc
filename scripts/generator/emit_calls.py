# SPDX-License-Identifier: Apache-2.0
"""calls/call_table.cpp of the tests' build: every function called on live objects, with each handle replaced, and with each output NULL."""
import re

from .arguments import arguments
from .output import header

PATH = "tests/calls/call_table.cpp"
HANDLES = "tests/calls/live_handles.hpp"
OBJECTS = "[[maybe_unused]] const Objects &o"


def in_bad_fork(function):
    refused = "GS_ERROR_BAD_FORK" in function.statuses and not function.forked_child
    return "InBadFork::Refused" if refused else "InBadFork::Answers"


def in_host_function(function):
    # A call that host functions may make can have another reason to return NOT_PERMITTED.
    if function.host_function:
        return "InHostFunction::Allowed"
    return "InHostFunction::Refused" if "GS_ERROR_NOT_PERMITTED" in function.statuses else "InHostFunction::Unsaid"


def blocks(function):
    """Where a call is refused because it would wait: by its cost, and by what the header says of its threads."""
    if function.cost != "wait":
        return "Blocks::Never"
    return "Blocks::Briefly" if function.notification else "Blocks::Yes"


# What the text about ownership says of a call that leaves nothing to undo, even if it hands out something.
BORROWED = re.compile(
    r"none\.|the texts are copies|out_\w+ is a copy|borrowed|the [\w' ]*\bis borrowed|does not count as exporting"
    r"|the (stream|event) may be destroyed right after"
)
CHANGES = ("_set_", "_exchange_", "_reset_", "_trim", "_call_on_init")


def undo_of(api, function):
    """The function that ends what a call hands out, where the text about ownership names one that cannot fail."""
    found = re.match(r"the caller(?: owns|'s, until)[^;.]*?\b(gs_\w+)\(\)", function.ownership)
    undo = api.function(found.group(1)) if found else None
    if undo and "GS_ERROR_DRIVER" in undo.statuses:
        return None
    return undo


def trace(api, function):
    """What is left of a call: nothing, what its undo ends, or something that only a test written by hand knows."""
    if function.result != "gs_status_t":
        return "CannotFail"
    if any(word in function.name for word in CHANGES):
        return "ByHand"
    if undo_of(api, function):
        return "Undone"
    if any(undo_of(api, other) is function for other in api.functions):
        return "Undoes"
    return "None" if BORROWED.match(function.ownership) and not any(one.callback for one in function.parameters) else "ByHand"


def undo_text(api, function):
    """The call that undoes it: on the output, or on what a retain was given."""
    undo = undo_of(api, function)
    if trace(api, function) != "Undone":
        return "nullptr, nullptr"
    first = undo.parameters[0]
    outputs = [one for one in function.parameters if one.direction == "out" and one.type.text == f"{first.type.text} *"]
    values = arguments(undo)
    if outputs:
        values[0] = f"*output<{first.type.text}>()"
    else:
        values[0] = arguments(function)[0]
    return f"\"{undo.name}\", []({OBJECTS}) -> gs_status_t {{ return {undo.name}({', '.join(values)}); }}"


def call(function, instead=None):
    return f"{function.name}({', '.join(arguments(function, instead))})"


def given(api, function):
    """The objects that a call is given one of, which the record of its failure names; of arrays and structs it may."""
    kinds = {one.handle for one in function.parameters if one.direction == "in" and one.handle and not one.type.pointers}
    kinds |= {"device" for one in function.parameters if one.type.text == "gs_device_t"}
    holding = {one.name for one in api.structs if any(str(field.type) in ("gs_stream_t", "gs_event_t") for field in one.fields)}
    inputs = [one for one in function.parameters if one.direction == "in" and one.type.pointers]
    kinds |= {"several" for one in inputs if one.handle in ("stream", "event") or one.struct in holding}
    return " | ".join(f"kGiven{kind.title()}" for kind in ("stream", "event", "device", "several") if kind in kinds) or "0"


def call_row(api, function):
    body = call(function) if function.result == "gs_status_t" else f"answered({call(function)})"
    needs_inventory = "true" if function.cost == "inventory" else "false"
    return (
        f'{{"{function.name}", {in_bad_fork(function)}, {in_host_function(function)}, {blocks(function)}, Trace::{trace(api, function)}, '
        f"{needs_inventory}, {given(api, function)}, []({OBJECTS}) -> gs_status_t {{ return {body}; }}, {undo_text(api, function)}}},\n"
    )


def handle_rows(function):
    for one in function.parameters:
        if one.handle and one.direction == "in" and function.result == "gs_status_t":
            current = "true" if one.current else "false"
            bad = f"{'&' if one.type.pointers else ''}h"
            yield (
                f'{{"{function.name}", "{one.name}", "{one.handle}", {current}, [](uint64_t bits, {OBJECTS}) -> gs_status_t {{ '
                f"const auto h = as_handle<gs_{one.handle}_t>(bits); return {call(function, {one.name: bad})}; }}}},\n"
            )


def output_rows(function):
    for one in function.parameters:
        if one.direction != "in":
            body = call(function, {one.name: "nullptr"})
            body = body if function.result == "gs_status_t" else f"failed({body})"
            yield (
                f'{{"{function.name}", "{one.name}", []({OBJECTS}) -> gs_status_t {{ '
                f"return {body}; }}}},\n"
            )


def handles(api):
    """A live handle of each kind, as tests make them."""
    text = header(HANDLES) + '#pragma once\n\n#include <cstring>\n\n#include "gpustream.h"\n\nnamespace gs::test {\n\n'
    text += "struct LiveHandles {\n" + "".join(f"{one.name} {one.kind} = nullptr;\n" for one in api.handles)
    text += "\nuint64_t of_kind(const char *kind) const {\n"
    for one in api.handles:
        text += f'if (std::strcmp(kind, "{one.kind}") == 0) return reinterpret_cast<uint64_t>({one.kind});\n'
    return text + "return 0;\n}\n};\n\n} // namespace gs::test\n"


def built(api):
    text = header(PATH) + '#include "calls/arguments.hpp"\n#include "calls/calls.hpp"\n\nnamespace gs::test {\n\n'
    text += "const std::vector<Call> &call_table() {\nstatic const std::vector<Call> calls = {\n"
    text += "".join(call_row(api, function) for function in api.functions)
    text += "};\nreturn calls;\n}\n\nconst std::vector<HandleCall> &handle_calls() {\nstatic const std::vector<HandleCall> calls = {\n"
    text += "".join("".join(handle_rows(function)) for function in api.functions)
    text += "};\nreturn calls;\n}\n\nconst std::vector<OutputCall> &output_calls() {\nstatic const std::vector<OutputCall> calls = {\n"
    text += "".join("".join(output_rows(function)) for function in api.functions)
    return {PATH: text + "};\nreturn calls;\n}\n\n} // namespace gs::test\n", HANDLES: handles(api)}
