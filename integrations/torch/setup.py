# SPDX-License-Identifier: Apache-2.0
"""Builds the extension against the PyTorch and the gpustream of this environment (or GPUSTREAM_LIBRARY and GPUSTREAM_INCLUDE)."""
import os
import sys
from pathlib import Path

from setuptools import setup


def extension():
    from torch.utils.cpp_extension import BuildExtension, CppExtension

    library, include = os.environ.get("GPUSTREAM_LIBRARY"), os.environ.get("GPUSTREAM_INCLUDE")
    if not library or not include:
        import gpustream

        library, include = gpustream.get_library(), gpustream.get_include()
    return {
        "ext_modules": [CppExtension(
            "gpustream_torch._C", sorted(str(path) for path in Path("csrc").glob("*.cpp")), include_dirs=[include],
            extra_compile_args=["-O1", "-std=c++20", "-Wall", "-Wno-unused-parameter"],
            # The core by its SONAME: the process has one, which the package gpustream has loaded.
            extra_link_args=[library],
        )],
        "cmdclass": {"build_ext": BuildExtension},
    }


# The source archive needs neither of the two.
setup(**({} if "sdist" in sys.argv else extension()))
