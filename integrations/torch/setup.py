# SPDX-License-Identifier: Apache-2.0
"""Builds the extension against the PyTorch and the gpustream of this environment (or GPUSTREAM_LIBRARY and GPUSTREAM_INCLUDE)."""
import os
from pathlib import Path

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

LIBRARY = os.environ.get("GPUSTREAM_LIBRARY")
INCLUDE = os.environ.get("GPUSTREAM_INCLUDE")
if not LIBRARY or not INCLUDE:
    import gpustream

    LIBRARY, INCLUDE = gpustream.get_library(), gpustream.get_include()

setup(
    ext_modules=[CppExtension(
        "gpustream_torch._C", sorted(str(path) for path in Path("csrc").glob("*.cpp")), include_dirs=[INCLUDE],
        extra_compile_args=["-O1", "-std=c++20", "-Wall", "-Wno-unused-parameter"],
        # The core by its SONAME: the process has one, which the package gpustream has loaded.
        extra_link_args=[LIBRARY],
    )],
    cmdclass={"build_ext": BuildExtension},
)
