# SPDX-License-Identifier: Apache-2.0
"""A valid argument for each parameter of a function, as a C++ expression over tests/calls/objects.hpp (`o`)."""

# Of numbers, by their names; others are 0.
NUMBERS = {"scope": "o.scope", "cycles": "1", "bytes": "8", "capacity": "1"}


def of_handle(function, parameter, seen):
    doc, kind = parameter.doc, parameter.handle
    if kind == "event":
        return "o.timed" if "GS_EVENT_TIMING" in doc else "o.shared" if "GS_EVENT_INTERPROCESS" in doc else "o.event"
    if kind == "stream":
        others = any(one.handle == "event" and one.direction == "in" for one in function.parameters)
        return "o.recorder" if others or seen else "o.stream"
    return f"o.{kind}"


def of_pointer(function, parameter):
    if parameter.callback or parameter.type.base == "void":
        if parameter.optional and parameter.count is None and "gs_" not in parameter.doc:
            return "nullptr"
    if parameter.callback:
        return "kNothing"
    if parameter.type.base == "char":
        return '"0"'
    if parameter.type.base == "void":
        if "gs_malloc_host()" in parameter.doc and not parameter.count:
            return "o.host_memory"
        if parameter.type.const:
            return "o.host_memory"
        return "o.memory" if parameter.count else "o.block"
    if parameter.type.pointers > 1:
        return "nullptr"
    if parameter.type.base == "gs_ipc_handle_t":
        return "&o.ipc"
    return f"specimen<{parameter.type.base}>(o)"


def value_of(function, parameter, seen, devices):
    """seen: a parameter before this has the same kind of handle; devices: how many devices came before."""
    name, base = parameter.name, parameter.type.base
    if parameter.direction != "in":
        return f"output<{parameter.type.text[:-1].strip()}>()"
    if parameter.handle and parameter.type.pointers:
        return f"&{of_handle(function, parameter, seen)}"
    if parameter.handle:
        return of_handle(function, parameter, seen)
    if parameter.callback or parameter.type.pointers:
        return of_pointer(function, parameter)
    if base == "gs_device_t":
        return "1 - o.device" if devices else "o.device"
    if base == "gs_backend_t":
        return "GS_BACKEND_HOST"
    if name == "native" and base == "uintptr_t":
        return "o.native_event" if function.section == "events" else "o.native_stream"
    if any(one.count == name for one in function.parameters):
        return "8" if any(one.count == name and one.type.base == "void" for one in function.parameters) else "1"
    if name == "value" and "_signal" in function.name:
        return "next_value()"  # a timeline only grows
    return NUMBERS.get(name, "0") if base in ("uint64_t", "size_t", "uint32_t") else "0"


def arguments(function, instead=None):
    """The expressions in order; instead is {parameter: expression}."""
    values, kinds, devices = [], set(), 0
    for one in function.parameters:
        replaced = (instead or {}).get(one.name)
        values.append(replaced or value_of(function, one, one.handle in kinds, devices))
        kinds |= {one.handle} if one.handle and one.direction == "in" else set()
        devices += one.type.text == "gs_device_t"
    return values
