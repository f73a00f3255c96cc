# SPDX-License-Identifier: Apache-2.0
"""Python files of the package: the stubs of gpustream._core's flat functions, and the enums."""
import keyword
import textwrap

from .output import header
from .python_c import backend_name
from .python_forms import beside, counted, is_truth

NOT_FUNCTIONS = {"gs_stream_retain", "gs_stream_destroy", "gs_event_retain", "gs_event_destroy", "gs_current_stream"}  # python.i ignores them
SHORT = {"gs_stream_triple_t": "tuple[int, int, int]", "gs_ipc_handle_t": "bytes", "gs_token_t": "bytes"}
OBJECTS = {"stream": "Stream", "event": "Event"}


def result_type(api, one):
    if one.handle in OBJECTS and one.type.pointers == 1:
        return OBJECTS[one.handle]
    if one.struct:
        return SHORT.get(one.struct, "dict[str, Any]")
    if is_truth(one):
        return "bool"
    if one.type.base == "char":
        return "str"
    return "float" if one.type.base == "double" else "int"


def input_type(api, one):
    if one.type.text == "gs_event_t":
        return "generic.Event"
    if one.type.text in ("gs_stream_t", "gs_device_t"):
        return "object"  # whatever the package's hooks turn into one
    if one.struct:
        return SHORT.get(one.struct, "dict[str, Any]")
    if one.type.text == "const char *":
        return "str | None" if one.optional else "str"
    if one.type.pointers or one.type.text == "callback":
        return "SupportsIndex | None"
    return "float" if one.type.base == "double" else "SupportsIndex"


def signature(api, function):
    arrays = {id(part): (one, part is one, part is total) for one, count, total in counted(function) for part in (one, count, total) if part}
    inputs, results = [], []
    for one in function.parameters:
        array, is_array, is_total = arrays.get(id(one), (None, False, False))
        if array is not None and array.direction == "in":
            if is_array:
                inputs.append(f"{one.name}: {'str' if one.type.base == 'char' and one.type.pointers == 1 else 'Sequence[Any]'}")
        elif array is not None:
            if not is_array and not is_total:
                inputs.append(f"{one.name}: SupportsIndex")
            elif is_array:
                results.append("str" if one.type.base == "char" and one.type.pointers == 1 else "list[Any]")
            else:
                results.append("int")
        elif function.name == "gs_module_load" and one.name in ("image", "bytes"):
            inputs += ["image: object"] if one.name == "image" else []
        elif one.direction == "in" or (one.direction == "inout" and not one.struct):
            inputs.append(f"{one.name}{'_' if keyword.iskeyword(one.name) else ''}: {input_type(api, one)}")
        if array is None and one.direction != "in":
            results.append("list[Any]" if beside(function, one) else result_type(api, one))
    if function.result != "gs_status_t":
        result = "str" if "char" in function.result else "int"
    elif len(results) > 1:
        kinds = set(results)
        result = f"list[{kinds.pop() if len(kinds) == 1 else 'Any'}]"
    else:
        result = results[0] if results else "None"
    return f"def {function.name}({', '.join([*inputs, '/'] if inputs else [])}) -> {result}: ..."


def stubs(api):
    text = header("functions.py", "The flat functions of gpustream._core: the header's, by its names. Several results are a list.")
    text += ("from collections.abc import Sequence\nfrom typing import Any, SupportsIndex\n\n"
             "from gpustream._core import generic\nfrom gpustream._event import Event\nfrom gpustream._stream import Stream\n\n")
    for constant in api.constants:
        if not api.handle_kind(constant.type):  # None stands for GS_STREAM_CURRENT
            text += f"{constant.name}: int\n"
    text += "\n"
    for function in api.functions:
        if function.name not in NOT_FUNCTIONS:
            text += signature(api, function) + "\n"
    return text


def enum_text(api, name, group, prefix, doc):
    lines = textwrap.wrap(f'"""{doc}"""', 112)
    text = f"class {name}(enum.IntEnum):\n    " + "\n    ".join(lines) + '\n\n    __module__ = "gpustream.errors"\n\n'
    for constant in api.constants_of(group):
        text += f"    {constant.name.removeprefix('GS_').removeprefix(prefix)} = {constant.value}\n"
    return text


def enums(api):
    text = header("_enums.py") + '"""The statuses and reasons of gpustream.h."""\n\nimport enum\n\n\n'
    text += enum_text(api, "Status", "gs_status_t", "ERROR_", "The statuses of gpustream.h. Their numbers never change.") + "\n\n"
    return text + enum_text(api, "Reason", "GS_REASON", "REASON_", "Why a backend is unavailable: UnavailableError.reason.")


def backends(api):
    text = header("_backend_names.py") + '"""Names of the backends by their numbers, as torch names device types."""\n\nBACKENDS = {\n'
    for constant in api.constants_of("gs_backend_t"):
        if constant.value:
            text += f'    {constant.value}: "{backend_name(constant)}",\n'
    return text + "}\n"
