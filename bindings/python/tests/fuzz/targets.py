# SPDX-License-Identifier: Apache-2.0
"""Every public callable: functions, constructors, methods, properties and operators, and the flat functions of gpustream._core."""
import inspect
import types

import gpustream

from support import wrong_arguments

from . import values

OBJECTS = ["stream", "other", "far", "event", "timed", "shared", "contradicting", "any_stream", "any_event", "default", "external", "context",
           "guard", "device", "closed_stream", "closed_event", "victim_stream", "victim_event"]
PRIVATE = ["_exchange_device", "_maybe_exchange_device", "_exchange_stream", "_set_stream_by_id", "_DeviceGuard", "_lazy_call",
           "_device_check", "_stats", "_is_in_bad_fork", "_is_compiled", "_set_sync_debug_scope", "_get_sync_debug_scope", "_trim", "_instance_count",
           "_parse_visible_devices", "_transform_uuid_to_ordinals", "_device_count_nvml", "_get_nvml_device_index", "_Module"]
# object's own, without anything of the package in them; the last three leave a class or a cycle behind on purpose.
INHERITED = {"__class__", "__new__", "__init_subclass__", "__subclasshook__", "__getattribute__", "__doc__", "__module__", "__dir__", "__getstate__",
             "__sizeof__", "__slots__", "__weakref__", "__dict__", "__weaklistoffset__"}
ONLY_VICTIMS = {"close", "__init__"}  # they would spoil the pool


class Target:
    """call(pool, arguments, names) makes the call."""

    def __init__(self, name, call, suits=None, names=()):
        self.name, self.call, self.names = name, call, list(names)
        self.suits = suits or (lambda arguments: True)

    def __repr__(self):
        return self.name


def parameter_names(thing):
    try:
        return [one.name for one in inspect.signature(thing).parameters.values() if one.kind == one.POSITIONAL_OR_KEYWORD]
    except (TypeError, ValueError):
        return []


def function(name, thing, suits=None):
    return Target(name, lambda pool, arguments, names: thing(*arguments, **names), suits, parameter_names(thing))


def raw_numbers_are_live(arguments):
    """A number that is taken for another library's stream is the caller's promise; those of no stream at all are refused."""
    first = arguments[0] if arguments else None
    return not isinstance(first, int) or isinstance(first, bool) or -5 <= first < 4096 or first >= 2**64


def method(name, attribute):
    def call(pool, arguments, names):
        return getattr(getattr(pool, name), attribute)(*arguments, **names)

    return Target(f"{name}.{attribute}", call)


def get(name, attribute):
    return Target(f"get {name}.{attribute}", lambda pool, arguments, names: getattr(getattr(pool, name), attribute))


def change(name, attribute):
    def call(pool, arguments, names):
        if arguments:
            setattr(getattr(pool, name), attribute, arguments[0])
        else:
            delattr(getattr(pool, name), attribute)

    return Target(f"set {name}.{attribute}", call)


def of_objects(pool):
    for name in OBJECTS:
        thing = getattr(pool, name)
        for attribute in dir(type(thing)):
            member = inspect.getattr_static(type(thing), attribute, None)
            if attribute in INHERITED or (attribute in ONLY_VICTIMS and not name.startswith("victim")):
                continue
            if callable(member) or isinstance(member, (classmethod, staticmethod)) or hasattr(type(member), "__get__") and \
                    not isinstance(member, (property, types.GetSetDescriptorType, types.MemberDescriptorType)):
                yield method(name, attribute)
            else:
                yield get(name, attribute)
                yield change(name, attribute)


def of_the_module():
    for name in [*gpustream.__all__, *PRIVATE]:
        thing = getattr(gpustream, name)
        if callable(thing) and name != "reset_device":  # it would end the program's devices
            yield function(name, thing, raw_numbers_are_live if name in ("ExternalStream", "get_stream_from_external") else None)
    for name, thing in vars(gpustream.interop).items():
        if isinstance(thing, types.FunctionType) and not name.startswith("_") and name not in ("hook", "get_stream_from_external"):
            yield function(f"interop.{name}", thing, raw_numbers_are_live)
    for name in ("Stream", "Event"):
        yield function(f"generic.{name}", getattr(gpustream.generic, name))


def flat():
    for name, parameters in wrong_arguments.functions().items():
        if name in wrong_arguments.LEFT_OUT:
            continue

        def suits(arguments, parameters=parameters):
            return all(wrong_arguments.fits(parameter, value, parameters) for parameter, value in zip(parameters, arguments))

        yield function(f"_core.{name}", getattr(gpustream._core, name), suits)


def block():
    def call(pool, arguments, names):
        with arguments[0] if arguments else pool.stream:
            pass

    return Target("with", call)


def all_targets(pool):
    return [*of_the_module(), *of_objects(pool), *flat(), block(), block()]


# Arguments that are more likely to be taken: by the parameter's name.
LIKELY = {
    "device": ["0", "1", "device", "'cuda:1'"], "peer_device": ["0", "1"], "stream": ["stream", "external", "any_stream", "victim_stream"],
    "event": ["event", "timed", "victim_event"], "end_event": ["timed"], "obj": ["stream", "event"], "data_ptr": ["raw", "stream"],
    "stream_ptr": ["raw"], "number": ["1"], "index": ["0", "1"], "fn": ["event_class"], "debug_mode": ["0"], "type": ["'cuda:1'", "device"],
}


def likely(name):
    return [values.constant(word) if word in values.POOL else eval(word) for word in LIKELY.get(name, [])]
