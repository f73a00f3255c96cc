# SPDX-License-Identifier: Apache-2.0
"""bindings/swig/python_api.i: per function who holds the GIL; per parameter and struct which typemap of python_rules.i."""
from .declarations import joined
from .output import header
from .python_c import DESCRIPTIONS, element
from .python_forms import beside, between, counted, is_truth, short_name
from .scanner import HeaderError

PATH = "bindings/swig/python_api.i"
# By the "cost" of a function: what it may wait for, and so when it releases the GIL (bindings/python/native/gil.h).
GIL = {"wait": "GS_RELEASES_GIL", "inventory": "GS_RELEASES_GIL", "queue": "GS_MAY_RELEASE_GIL", "driver": "GS_MAY_RELEASE_GIL",
       "start": "GS_RELEASES_GIL_AT_FIRST"}
OBJECTS = ("stream", "event")  # the other handles are numbers in Python


def gil(api):
    for cost, macro in GIL.items():
        yield f"// Cost: {cost}."
        yield from (f"{macro}({function.name})" for function in api.functions if function.cost == cost)


def types(api):
    for handle in api.handles:
        if handle.kind not in OBJECTS:
            yield f"GS_NUMBER_HANDLE({handle.name})"
    for struct in api.structs:
        yield f"%ignore {struct.name.removesuffix('_t')};"
        yield f"{'GS_SIZED_STRUCT' if struct.sized else 'GS_STRUCT'}({struct.name}, {DESCRIPTIONS}{short_name(struct)})"


def once(rows):
    return list(dict.fromkeys(rows))


def parameters(api):
    every = [one for function in api.functions for one in function.parameters]
    yield from once(f"%apply int32_t *GS_TRUTH {{ int32_t *{one.name} }};" for one in every if is_truth(one))
    yield from once(f"%apply const char *GS_OPTIONAL {{ const char *{one.name} }};" for one in every
                    if one.type.text == "const char *" and one.optional)
    yield from once(f"%apply void **GS_ADDRESS {{ void **{one.name} }};" for one in every
                    if one.type.text == "void **" and one.direction == "out")
    yield from once(f"GS_NUMBER_INOUT({one.type.base}, {one.name})" for one in every if one.direction == "inout" and not one.struct)


def arrays(api):
    for function in api.functions:
        for one, count, total in counted(function):
            base = joined(one.type.text.removeprefix("const ").strip().removesuffix("*").strip(), "").strip()
            if one.direction != "in" and not total:
                raise HeaderError(f"{function.name}: the array '{one.name}' needs a number of its own, which Python returns too")
            row = [base, one.name, count.name] if one.direction == "in" else [base, one.name, count.name, total.name]
            if one.type.base == "char" and one.type.pointers == 1:
                yield f"GS_TEXT_{'IN' if one.direction == 'in' else 'OUT'}({', '.join(row[1:])})"
                continue
            if other := between(function, count, total):
                # SWIG numbers its variables by the C parameters.
                place = function.parameters.index(one) + 1
                yield f"GS_ARRAY_OUT_AROUND({', '.join(row)}, {other.type.text}, {other.name}, arg{place}, arg{place + 1}, %arg({element(api, one)}))"
                continue
            macro = "GS_ARRAY_IN" if one.direction == "in" else "GS_ARRAY_OUT"
            yield f"{macro}({', '.join(row)}, %arg({element(api, one)}))"


def arrays_beside(api):
    """Output arrays as long as an input array, whose length SWIG has in the variable of the count."""
    for function in api.functions:
        for one in function.parameters:
            if other := beside(function, one):
                place = [part.name for part in function.parameters].index(other.count) + 1
                yield f"GS_ARRAY_OUT_BESIDE({one.type.base}, {one.name}, arg{place}, %arg({element(api, one)}))"


def constants(api):
    """SWIG does not read constants with a cast."""
    casts = {scalar.name for scalar in api.scalars}
    for constant in api.constants:
        if not constant.group and constant.type in casts:
            yield f"%constant int {constant.name} = {constant.value};"


def interface(api):
    text = header(PATH, "Included by python.i, behind the rules in python_rules.i and before the header.")
    for part in (gil, types, parameters, arrays, arrays_beside, constants):
        rows = once(part(api))
        text += "\n" + "\n".join(rows) + "\n" if rows else ""
    return text
