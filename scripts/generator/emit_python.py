# SPDX-License-Identifier: Apache-2.0
"""The flat parts of the Python package: what SWIG has to know of each function, struct and constant, the tables that the
extension's C needs, the stubs of gpustream._core's functions, and the package's enums."""
from . import python_c, python_docs, python_package, python_pxd, python_swig


def built(api):
    return {
        "bindings/swig/python_api.i": python_swig.interface(api),
        "bindings/python/native/description.h": python_c.header_text(api),
        "bindings/python/native/description.c": python_c.source_text(api),
        "bindings/python/native/docs.h": python_docs.text(api),
        python_pxd.PATH: python_pxd.text(api),
        "bindings/python/src/gpustream/_core/functions.pyi": python_package.stubs(api),
        "bindings/python/src/gpustream/_backend_names.py": python_package.backends(api),
        "bindings/python/src/gpustream/_enums.py": python_package.enums(api),
    }
