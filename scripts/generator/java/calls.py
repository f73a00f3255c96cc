# SPDX-License-Identifier: Apache-2.0
"""One method per C function: Calls with native methods for JNI, and FfmCalls, which overrides them."""
from ..declarations import type_of
from ..scanner import HeaderError
from . import types
from .text import listed, source

INTERNAL = "io.gpustream.internal"
# What a function of this cost may be called as without leaving Java's state: see Symbols.critical().
CRITICAL = "memory"
# The numbers that Symbols.call() passes, each as a long.
WHOLE = {"int", "long"}


def whole(type_, function):
    if type_ not in WHOLE:
        raise HeaderError(f"java: Symbols.call() has no rule for the '{type_}' of {function.name}")
    return type_


def head(api, function):
    result = types.carrier(api, type_of(function.result), function.name)
    return f"{whole(result, function)} {types.method_name(function)}"


def declared(api, function):
    kinds = [whole(types.parameter_type(api, one, function.name), function) for one in function.parameters]
    return [f"{kind} {types.parameter_name(one)}" for kind, one in zip(kinds, function.parameters)]


def sections(api):
    """(title, functions) in the header's order; a section without functions is left out."""
    return [(title, functions) for title in api.sections if (functions := api.functions_of(title))]


def native(api):
    body = [
        "/**",
        " * The functions of gpustream.h, which documents them. Each is a method of its name with its parameters in their order.",
        " * Handles, addresses, texts and pointers to functions are longs, and unsigned numbers keep their bits. Here the methods",
        " * are native, and SWIG generates their C code; the layer for Java 22 overrides all of them.",
        " */",
        "public class Calls {",
    ]
    for title, functions in sections(api):
        body.append(f"    // {title}")
        for function in functions:
            body += listed("    ", f"public native {head(api, function)}", declared(api, function), ";")
        body.append("")
    body[-1] = "}"
    return source(INTERNAL, [], body)


def handle(function):
    """The constant that holds a function's handle."""
    kind = "critical" if function.cost == CRITICAL else "plain"
    name = types.constant_name(function.name)
    return f'        static final MethodHandle {name} = Symbols.{kind}("{function.name}");'


def overriding(api, function, holder):
    called = [f"{holder}.{types.constant_name(function.name)}", *map(types.parameter_name, function.parameters)]
    result = head(api, function)
    cast = "(int) " if result.startswith("int ") else ""
    return [
        *listed("    ", f"public {result}", declared(api, function), " {"),
        *listed(" " * 8, f"return {cast}Symbols.call", called, ";"),
        "    }",
        "",
    ]


def ffm(api):
    body = [
        "/**",
        " * Calls through one static handle per function, which the just-in-time compiler treats as a constant. The handles of a",
        " * section are linked by the first call of one of its functions. A test compares the methods with those of Calls.",
        " */",
        "final class FfmCalls extends Calls {",
    ]
    for title, functions in sections(api):
        body.append(f"    private static final class {types.pascal(title)} {{")
        body += [*map(handle, functions), "    }", ""]
    for title, functions in sections(api):
        for function in functions:
            body += overriding(api, function, types.pascal(title))
    body[-1] = "}"
    return source(f"{INTERNAL}.ffm", [f"{INTERNAL}.Calls", "java.lang.invoke.MethodHandle"], body)
