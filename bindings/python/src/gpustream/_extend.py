# SPDX-License-Identifier: Apache-2.0
"""Adds what is written in Python to the extension's classes.

A class derived in Python would be known to the garbage collector, and each object would cost more; so the classes are
the extension's own, and their attributes that are not hot come from here.
"""
from gpustream.errors import Error


def extend(target, name, module):
    """Class decorator: moves the members of a class to `target`, which from then on goes by that name."""

    def move(source):
        for key, value in vars(source).items():
            if key not in ("__dict__", "__weakref__", "__module__", "__qualname__", "__firstlineno__", "__static_attributes__"):
                setattr(target, key, value)
        target.__name__ = target.__qualname__ = name
        target.__module__ = module
        return target

    return move


def never_raises(show):
    """Decorator for __repr__: tracebacks and debuggers show objects in any state."""

    def __repr__(self):
        try:
            return show(self)
        except Error as error:
            state = f"unusable: {error.status.name}" if self.handle else "closed"
            return f"<gpustream.{type(self).__name__} {state}>"

    return __repr__


def refuse_copy(kind, way_out):
    """__reduce_ex__ for classes that cannot be copied or pickled. Copying asks for it as well."""

    def __reduce_ex__(self, protocol):
        raise TypeError(f"cannot pickle or copy '{type(self).__name__}' objects: {kind}; {way_out}")

    return __reduce_ex__
