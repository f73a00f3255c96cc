# SPDX-License-Identifier: Apache-2.0
"""tests/calls/call_table.cpp: every function called on live objects, with each handle replaced, and with each output NULL."""
from .arguments import arguments
from .output import header

PATH = "tests/calls/call_table.cpp"
HANDLES = "tests/calls/live_handles.hpp"
OBJECTS = "[[maybe_unused]] const Objects &o"


def in_bad_fork(function):
    refused = "GS_ERROR_BAD_FORK" in function.statuses and not function.forked_child
    return "InBadFork::Refused" if refused else "InBadFork::Answers"


def in_host_function(function):
    if "GS_ERROR_NOT_PERMITTED" in function.statuses:
        return "InHostFunction::Refused"
    return "InHostFunction::Allowed" if function.host_function else "InHostFunction::Unsaid"


def leaves_no_trace(function):
    """True if the call may be repeated and needs nothing undone: it hands out nothing and sets nothing."""
    if function.result != "gs_status_t" or function.ownership != "none.":
        return False
    hands_out = any(one.callback or (one.handle and one.direction != "in") for one in function.parameters)
    return not hands_out and not any(word in function.name for word in ("_set_", "_exchange_", "_reset_", "_maybe_"))


def call(function, instead=None):
    return f"{function.name}({', '.join(arguments(function, instead))})"


def call_row(function):
    body = call(function) if function.result == "gs_status_t" else f"answered({call(function)})"
    repeatable = "true" if leaves_no_trace(function) else "false"
    needs_inventory = "true" if function.cost == "inventory" else "false"
    return (
        f'{{"{function.name}", {in_bad_fork(function)}, {in_host_function(function)}, {repeatable}, {needs_inventory}, '
        f"[]({OBJECTS}) -> gs_status_t {{ return {body}; }}}},\n"
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
            yield (
                f'{{"{function.name}", "{one.name}", []({OBJECTS}) -> gs_status_t {{ '
                f"return {call(function, {one.name: 'nullptr'})}; }}}},\n"
            )


def handles(api):
    """A live handle of each kind, as tests make them."""
    text = header(HANDLES) + '#pragma once\n\n#include <cstring>\n\n#include "gpustream.h"\n\nnamespace gs::test {\n\n'
    text += "struct LiveHandles {\n" + "".join(f"{one.name} {one.kind} = nullptr;\n" for one in api.handles)
    text += "\nuint64_t of_kind(const char *kind) const {\n"
    for one in api.handles:
        text += f'if (std::strcmp(kind, "{one.kind}") == 0) return reinterpret_cast<uint64_t>({one.kind});\n'
    return text + "return 0;\n}\n};\n\n} // namespace gs::test\n"


def outputs(api):
    text = header(PATH) + '#include "calls/arguments.hpp"\n#include "calls/calls.hpp"\n\nnamespace gs::test {\n\n'
    text += "const std::vector<Call> &call_table() {\nstatic const std::vector<Call> calls = {\n"
    text += "".join(call_row(function) for function in api.functions)
    text += "};\nreturn calls;\n}\n\nconst std::vector<HandleCall> &handle_calls() {\nstatic const std::vector<HandleCall> calls = {\n"
    text += "".join("".join(handle_rows(function)) for function in api.functions)
    text += "};\nreturn calls;\n}\n\nconst std::vector<OutputCall> &output_calls() {\nstatic const std::vector<OutputCall> calls = {\n"
    text += "".join("".join(output_rows(function)) for function in api.functions)
    return {PATH: text + "};\nreturn calls;\n}\n\n} // namespace gs::test\n", HANDLES: handles(api)}
