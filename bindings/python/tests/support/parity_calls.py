# SPDX-License-Identifier: Apache-2.0
"""Calls a function of the header for a parity case: through the package's extension wherever that has the function and
can express the arguments, else by ctypes in the same library."""
import ctypes
import os

import gpustream
from support import native, signatures
from support.parity_values import Failure

CURRENT = 0x7000000000000001
# Reference counts are the cases' subject; Python's objects keep their own.
BY_CTYPES = {"gs_current_stream", "gs_stream_retain", "gs_stream_destroy", "gs_event_retain", "gs_event_destroy", "gs_kernel_launch",
             "gs_module_load"}
routes = {"package": set(), "ctypes": set()}


class Result:
    def __init__(self, status=None, returned=None, outputs=()):
        self.status, self.returned, self.outputs = status, returned, list(outputs)


class Call:
    """One step's function, inputs and outputs."""

    def __init__(self, names, step):
        self.names = names
        self.step = step
        self.function = signatures.functions().get(step["op"])
        if self.function is None:
            raise Failure(f"no operation {step['op']}")
        inputs = step.get("args", [])
        if len(inputs) > len(self.function.inputs):
            raise Failure("too many arguments")
        if len(inputs) < len(self.function.inputs):
            raise Failure("too few arguments")
        self.inputs = list(zip(self.function.inputs, inputs))
        self.kept = []

    def perform(self):
        if self._package_can():
            try:
                result = self._by_package()
                routes["package"].add(self.function.name)
                return result
            except (TypeError, OverflowError):
                pass  # what Python cannot even express goes to the library itself
        routes["ctypes"].add(self.function.name)
        return self._by_ctypes()

    # ---- through the package
    def _package_can(self):
        name = self.function.name
        if name in BY_CTYPES or not hasattr(gpustream._core, name) or None in self.step.get("out", []):
            return False
        for parameter, value in self.inputs:
            value = self.names.resolve(value) if not isinstance(value, (list, dict)) else value
            if parameter.kind == "function" or (parameter.kind in ("struct", "text") and value is None):
                return False
            if parameter.base == "gs_device_t" and value < -1:
                return False
        return True

    def _package_argument(self, parameter, value):
        if isinstance(value, list):
            return [self._package_argument(parameter, one) for one in value]
        if isinstance(value, dict):
            resolved = {name: self.names.resolve(one) for name, one in value.items()}
            return resolved | ({"event": gpustream._core.borrow_event(resolved["event"] or 0)} if "event" in resolved else {})
        value = self.names.resolve(value)
        if parameter.base == "gs_stream_t":
            return None if value == CURRENT else gpustream._core.borrow_stream(value or 0)
        if parameter.base == "gs_event_t":
            return gpustream._core.borrow_event(value or 0)
        if parameter.base == "gs_stream_triple_t":
            return value["id"], value["device_index"], value["device_type"]
        return value

    def _by_package(self):
        arguments = [self._package_argument(parameter, value) for parameter, value in self.inputs]
        arguments += [0 for parameter in self.function.outputs if parameter.both]
        try:
            returned = getattr(gpustream._core, self.function.name)(*arguments)
        except gpustream.Error as error:
            return Result(int(error.status), None, [0] * len(self.function.outputs))
        if not self.function.has_status:
            return Result(None, *((returned[0], returned[1:]) if self.function.outputs else (returned,)))
        outputs = [] if not self.function.outputs else returned if len(self.function.outputs) > 1 else [returned]
        return Result(0, None, [self._from_package(value, parameter) for value, parameter in zip(outputs, self.function.outputs)])

    @staticmethod
    def _from_package(value, parameter):
        if parameter.base in ("gs_stream_t", "gs_event_t"):
            return gpustream._core.detach(value)
        if parameter.base == "gs_stream_triple_t":
            return dict(zip(("id", "device_index", "device_type"), value))
        return int(value) if isinstance(value, bool) else value

    # ---- by ctypes
    def _keep(self, value):
        self.kept.append(value)
        return ctypes.addressof(value)

    def _arguments_of_kernel(self, values):
        cells = []
        for kind, value in values:
            cells.append((ctypes.c_uint32 if kind == "u32" else ctypes.c_uint64)(self.names.resolve(value)))
        self.kept += cells
        return self._keep((ctypes.c_void_p * len(cells))(*(ctypes.addressof(cell) for cell in cells)))

    def _array(self, parameter, values):
        """Of numbers, handles or structs; an empty one has an address too."""
        kind = parameter.ctype if parameter.kind == "struct" else signatures.ctype(parameter.base)
        return self._keep((kind * max(1, len(values)))(*(self._struct(kind, one) if isinstance(one, dict) else self.names.resolve(one)
                                                         for one in values)))

    def _struct(self, kind, fields):
        sized = {"struct_size": ctypes.sizeof(kind)} if hasattr(kind, "struct_size") else {}
        return kind(**sized | {name: self.names.resolve(one) for name, one in fields.items()})

    def _ctypes_argument(self, parameter, value):
        if isinstance(value, list):
            return self._arguments_of_kernel(value) if parameter.name == "arguments" else self._array(parameter, value)
        if parameter.kind == "function":
            return None if value is None else ctypes.cast(getattr(native.helpers(), value), ctypes.c_void_p).value
        value = self.names.resolve(value)
        if parameter.kind == "struct" and value is not None:
            kind = parameter.ctype
            if isinstance(value, dict):
                value = self._struct(kind, value)
            return self._keep(kind.from_buffer_copy(value) if isinstance(value, bytes) else value)
        if isinstance(value, str):
            return self._keep(ctypes.create_string_buffer(os.fsencode(value))) if parameter.kind == "pointer" else value.encode()
        return 0 if value is None and parameter.kind == "input" else value

    def _by_ctypes(self):
        symbol = getattr(native.library(), self.function.name)
        symbol.restype = ctypes.c_char_p if self.function.result == "text" else self.function.result
        symbol.argtypes = [parameter.argtype for parameter in self.function.parameters]
        places, arguments, inputs = [], [], iter(self.inputs)
        wanted = self.step.get("out", [])
        for parameter in self.function.parameters:
            if not parameter.output:
                arguments.append(self._ctypes_argument(*next(inputs)))
                continue
            place = parameter.ctype()
            if hasattr(place, "struct_size"):
                place.struct_size = ctypes.sizeof(place)
            null = len(places) < len(wanted) and wanted[len(places)] is None
            arguments.append(None if null else ctypes.addressof(place))
            places.append(place)
        returned = symbol(*arguments)
        if not self.function.has_status:
            return Result(None, returned.decode() if isinstance(returned, bytes) else returned)
        return Result(returned, None, [self._from_ctypes(place) for place in places])

    @staticmethod
    def _from_ctypes(place):
        if type(place).__name__ in ("gs_ipc_handle_t", "gs_token_t"):
            return bytes(place)
        if isinstance(place, ctypes.Structure):
            return {key: getattr(place, key) for key, *_ in place._fields_}
        return place.value.decode() if isinstance(place.value, bytes) else place.value
