# SPDX-License-Identifier: Apache-2.0
"""The description: what api/gpustream.json holds and every emitter gets. api/README.md says what each field means."""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Type:
    """A C type apart: `const gs_launch_config_t *` is base gs_launch_config_t, pointers 1, const True."""

    text: str
    base: str
    pointers: int
    const: bool


@dataclass(frozen=True)
class Callback:
    """A pointer to a function: of a parameter, of a struct's field, or named by a typedef."""

    name: str
    result: str
    parameters: list  # of (name, type text)
    argument: str | None = None  # the parameter beside it that is passed on as `void *arg`
    doc: str = ""


@dataclass(frozen=True)
class Parameter:
    name: str
    type: Type
    direction: str  # "in", "out" or "inout"
    optional: bool  # NULL is allowed
    current: bool  # GS_STREAM_CURRENT or GS_DEVICE_CURRENT is allowed
    unit: str | None
    count: str | None  # the parameter that counts its elements (bytes for void)
    handle: str | None  # kind of handle that goes in or comes out
    struct: str | None
    callback: Callback | None
    doc: str


@dataclass(frozen=True)
class Function:
    name: str
    chapter: str  # the file that declares it: "gpustream/stream.h"
    tier: str  # "stable" or "preview"
    section: str
    result: str
    parameters: list
    statuses: list  # names in the order of their numbers; empty for a function that returns no status
    blocking: str  # "no", or what is waited for
    cost: str  # one of COSTS
    since: str
    thread: str
    host_function: bool  # may be called inside a host function
    notification: bool  # may be called inside a notification although it may wait
    forked_child: bool  # answers in a forked child
    ownership: str
    backends: str
    summary: str
    doc: str
    returns: str
    names: dict  # language: name, or "omitted: reason"
    line: int = 0


@dataclass(frozen=True)
class Field:
    name: str
    type: str
    offset: int
    size: int
    array: int | None
    unit: str | None
    doc: str


@dataclass(frozen=True)
class Struct:
    name: str
    doc: str
    size: int
    alignment: int
    sized: bool  # begins with struct_size
    fields: list


@dataclass(frozen=True)
class Constant:
    name: str
    value: int
    group: str
    type: str
    doc: str


@dataclass(frozen=True)
class Group:
    name: str
    type: str
    doc: str
    constants: list  # names


@dataclass(frozen=True)
class Macro:
    name: str
    parameters: list
    text: str
    doc: str


@dataclass(frozen=True)
class Named:
    """A handle (name, kind) or a scalar alias (name, type)."""

    name: str
    kind: str
    doc: str


@dataclass
class Api:
    version: str = ""
    abi: int = 0
    handles: list = field(default_factory=list)
    scalars: list = field(default_factory=list)
    groups: list = field(default_factory=list)
    constants: list = field(default_factory=list)
    macros: list = field(default_factory=list)
    structs: list = field(default_factory=list)
    callbacks: list = field(default_factory=list)
    sections: list = field(default_factory=list)
    functions: list = field(default_factory=list)

    def handle_kind(self, type_name):
        return next((handle.kind for handle in self.handles if handle.name == type_name), None)

    def plain_type(self, type_name):
        """An alias of an integer (gs_status_t, ...) as the integer that it is; any other name as it is."""
        named = {scalar.name: scalar.kind for scalar in self.scalars}
        while type_name in named:
            type_name = named[type_name]
        return type_name

    def struct(self, type_name):
        return next((struct for struct in self.structs if struct.name == type_name), None)

    def function(self, name):
        return next((function for function in self.functions if function.name == name), None)

    def constants_of(self, group):
        return [constant for constant in self.constants if constant.group == group]

    def functions_of(self, section):
        return [function for function in self.functions if function.section == section]
