# SPDX-License-Identifier: Apache-2.0
"""fuzz/api/call_table.cpp of the tests' build: every function with arguments that a fuzzer's input chooses."""
from .output import header

PATH = "tests/fuzz/api/call_table.cpp"


def ownership(function):
    gives = [one for one in function.parameters if one.handle and one.direction != "in"]
    takes = function.parameters and function.parameters[0].handle  # the object itself, not one that is used with it
    text = function.ownership
    if gives:
        return "Borrows" if text.startswith("borrowed") else "Gives"
    if takes and text.startswith("the caller owns one more reference"):
        return "Adds"
    if takes and text.startswith(("the caller's reference ends", "the caller's ownership ends", "the reference ends")):
        return "Ends"
    return "None"


def argument(function, one):
    """The expression that draws it, over `a`, an Arguments."""
    base, name = one.type.base, f'"{one.name}"'
    if one.callback:
        return "a.callback()"
    if one.direction != "in":
        if one.handle:
            return f"a.handle_output<{base}>({name})"
        if one.struct:
            return f"a.struct_output<{base}>({name})"
        return f"a.output<{one.type.text[:-1].strip()}>({name})"
    if one.handle and one.type.pointers:
        return f"a.handles<{base}>({name})"
    if one.handle:
        return f"a.handle<{base}>({name})"
    if one.struct:
        return f"a.struct_input<{base}>({name})"
    if one.type.pointers:
        return f"a.text({name})" if base == "char" else f"a.memory<{one.type.text}>({name})"
    if base == "gs_device_t":
        return "a.device()"
    counted = [other for other in function.parameters if other.count == one.name]
    if any(other.handle and other.direction == "in" for other in counted):
        return f"a.list_count<{base}>({name})"
    if one.unit or counted:
        return f"a.amount<{base}>({name})"
    return f"a.number<{base}>({name})"


def row(function):
    lines = [f"const auto {one.name}_ = {argument(function, one)};\n" for one in function.parameters]
    call = f"{function.name}({', '.join(one.name + '_' for one in function.parameters)})"
    ends = f"a.returned({call});" if function.result == "gs_status_t" else f"a.answered({call});"
    unused = "" if function.parameters else "[[maybe_unused]] "
    return (
        f'{{"{function.name}", {{{", ".join(function.statuses)}}}, Ownership::{ownership(function)}, '
        f"[]({unused}Arguments &a) {{\n{''.join(lines)}{ends}\n}}}},\n"
    )


def built(api):
    text = header(PATH) + '#include "fuzz/api/arguments.hpp"\n#include "fuzz/api/calls.hpp"\n\nnamespace gs::fuzz {\n\n'
    text += "const std::vector<Call> &call_table() {\nstatic const std::vector<Call> calls = {\n"
    return {PATH: text + "".join(row(one) for one in api.functions) + "};\nreturn calls;\n}\n\n} // namespace gs::fuzz\n"}
