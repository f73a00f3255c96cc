# SPDX-License-Identifier: Apache-2.0
"""Values of the parity cases: constants, variables, and what a step expects."""
import ctypes


class Failure(Exception):
    """A step did not go as described."""


class Names:
    def __init__(self, constants):
        self._constants = {name: int(value, 0) if isinstance(value, str) else value for name, value in constants.items()}
        self.variables = {}

    def resolve(self, value):
        if isinstance(value, str) and value.startswith("$"):
            if value[1:] not in self.variables:
                raise Failure(f"no variable {value}")
            return self.variables[value[1:]]
        if isinstance(value, str) and value in self._constants:
            return self._constants[value]
        if isinstance(value, str) and value.startswith("0x"):
            return int(value, 16)
        return value


def field(value, name):
    if isinstance(value, ctypes.Structure):
        value = {key: getattr(value, key) for key, *_ in value._fields_}
    if not isinstance(value, dict) or name not in value:
        raise Failure(f"the value has no field {name}")
    found = value[name]
    return found.decode() if isinstance(found, bytes) and name != "uuid" else found


def same(left, right):
    if isinstance(left, ctypes.Structure) and isinstance(right, ctypes.Structure):
        return bytes(left) == bytes(right)
    if isinstance(left, int) and isinstance(right, int):  # the same 64 bits, signed or not
        return left % 2**64 == right % 2**64
    return type(left) is type(right) and left == right or isinstance(left, float) and left == right


def show(value):
    return f"'{value}'" if isinstance(value, str) else "a struct" if isinstance(value, (dict, ctypes.Structure, bytes)) else str(value)


def check(names, wanted, found, what):
    def require(condition, rule):
        if not condition:
            raise Failure(f"{what} is {show(found)}, wanted {rule}")

    def expected(value):
        return value if isinstance(found, str) and not str(value).startswith("$") else names.resolve(value)

    if not isinstance(wanted, dict):
        require(same(found, expected(wanted)), show(expected(wanted)))
        return
    for rule, operand in wanted.items():
        if rule == "not":
            require(not same(found, expected(operand)), "anything else")
        elif rule == "min":
            require(found >= names.resolve(operand), f"at least {show(names.resolve(operand))}")
        elif rule == "max":
            require(found <= names.resolve(operand), f"at most {show(names.resolve(operand))}")
        elif rule == "contains":
            require(isinstance(found, str) and operand in found, f"a text with '{operand}'")
        elif rule == "fields":
            for name, inner in operand.items():
                check(names, inner, field(found, name), f"{what}.{name}")
        else:
            raise Failure(f"unknown rule '{rule}'")
