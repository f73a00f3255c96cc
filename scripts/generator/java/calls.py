# SPDX-License-Identifier: Apache-2.0
"""One method per C function: the interface Calls, and its two forms JniCalls and FfmCalls."""
from ..declarations import type_of
from . import types
from .text import assigned, listed, source

INTERNAL = "io.gpustream.internal"
# What a function of this cost may be called as without leaving Java's state: see Symbols.critical().
CRITICAL = "memory"


def result_type(api, function):
    """const char * is a String: every text that is returned is static."""
    result = type_of(function.result)
    return "String" if result.pointers == 1 and result.base == "char" else types.carrier(api, result, function.name)


def parameters(api, function):
    """(type, name) of each parameter."""
    return [(types.parameter_type(api, one, function.name), types.parameter_name(one)) for one in function.parameters]


def head(api, function):
    return f"{result_type(api, function)} {types.method_name(function)}"


def declared(api, function):
    return [f"{type_} {name}" for type_, name in parameters(api, function)]


def named(api, function):
    return [name for _, name in parameters(api, function)]


def sections(api):
    """(title, functions) in the header's order; a section without functions is left out."""
    return [(title, functions) for title in api.sections if (functions := api.functions_of(title))]


def interface(api):
    body = [
        "/**",
        " * The functions of gpustream.h, each as a method of its name with its parameters in their order: handles, addresses",
        " * and pointers to functions are longs, unsigned numbers keep their bits. The header documents them.",
        " */",
        "public interface Calls {",
    ]
    for title, functions in sections(api):
        body.append(f"    // {title}")
        for function in functions:
            body += [*listed("    ", head(api, function), declared(api, function), ";"), ""]
    body[-1] = "}"
    return source(INTERNAL, [], body)


def jni(api):
    body = ["/** Calls the methods that SWIG generates. */", "final class JniCalls implements Calls {"]
    for function in api.functions:
        result, called = result_type(api, function), f"GpustreamJni.{function.name}"
        body += ["    @Override", *listed("    ", f"public {head(api, function)}", declared(api, function), " {")]
        if result == "String":
            body += listed(" " * 8, f"return JniBridge.text({called}", named(api, function), ");")
        else:
            body += listed(" " * 8, f"{'' if result == 'void' else 'return '}{called}", named(api, function), ";")
        body += ["    }", ""]
    body[-1] = "}"
    return source(f"{INTERNAL}.jni", [f"{INTERNAL}.Calls"], body)


def handle(api, function):
    """The constant that holds a function's handle."""
    carried = result_type(api, function)
    kind = "critical" if function.cost == CRITICAL else "plain"
    classes = ["long" if carried == "String" else carried, *(type_ for type_, _ in parameters(api, function))]
    return assigned(
        "        ",
        f"static final MethodHandle {types.constant_name(function.name)}",
        f"Symbols.{kind}",
        [f'"{function.name}"', *(f"{one}.class" for one in classes)],
    )


def invocation(api, function, holder):
    called, carried = f"{holder}.{types.constant_name(function.name)}.invokeExact", result_type(api, function)
    if carried == "String":
        return listed(" " * 12, f"return Symbols.text((long) {called}", named(api, function), ");")
    returned = "" if carried == "void" else f"return ({carried}) "
    return listed(" " * 12, f"{returned}{called}", named(api, function), ";")


def ffm(api):
    body = [
        "/**",
        " * Calls through one static handle per function, which the just-in-time compiler treats as a constant. The handles of a",
        " * section are linked by the first call of one of its functions.",
        " */",
        "final class FfmCalls implements Calls {",
    ]
    for title, functions in sections(api):
        body.append(f"    private static final class {types.pascal(title)} {{")
        for function in functions:
            body += handle(api, function)
        body += ["    }", ""]
    for title, functions in sections(api):
        for function in functions:
            body += ["    @Override", *listed("    ", f"public {head(api, function)}", declared(api, function), " {")]
            body += ["        try {", *invocation(api, function, types.pascal(title))]
            body += ["        } catch (Throwable error) {", "            throw Symbols.broken(error);", "        }"]
            body += ["    }", ""]
    body[-1] = "}"
    return source(f"{INTERNAL}.ffm", [f"{INTERNAL}.Calls", "java.lang.invoke.MethodHandle"], body)
