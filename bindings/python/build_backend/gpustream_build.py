# SPDX-License-Identifier: Apache-2.0
"""The build backend: scikit-build-core, told where the C++ tree is.

In the source tree that is two folders up. A source distribution carries a copy of it in core/, since nothing above this
folder gets into one.
"""
import contextlib
import re
import shutil
import sys
from pathlib import Path

from scikit_build_core import build as backend

HERE = Path(__file__).resolve().parent.parent
CARRIED = HERE / "core"
ABOVE = HERE.parent.parent
PARTS = ("CMakeLists.txt", "LICENSE", "cmake", "include", "src", "tools", "bindings/native", "bindings/swig",
         "bindings/python/CMakeLists.txt", "bindings/python/native", "bindings/python/src", "scripts/generate", "scripts/generator", "api/names.json",
         "examples/pipeline/kernels_host.cpp",
         "examples/pipeline/kernels.ptx", "examples/pipeline/crc_math.hpp", "examples/pipeline/crc_tables.hpp", "examples/pipeline/kernel_layout.hpp")


def _tree():
    return CARRIED if CARRIED.is_dir() else ABOVE


def _cuda_headers():
    """The folder that the header wheel of build-system.requires was installed to."""
    for place in sys.path:
        folder = Path(place) / "nvidia/cuda_runtime/include"
        if (folder / "cudaTypedefs.h").is_file():
            return folder
    return None


def _settings(given):
    settings = dict(given or {})
    settings.setdefault("cmake.source-dir", str(_tree()))
    headers = _cuda_headers()
    if headers:
        settings.setdefault("cmake.define.GPUSTREAM_CUDA_INCLUDE_DIR", str(headers))
    return settings


@contextlib.contextmanager
def _carried():
    """core/ while a source distribution is packed."""
    if CARRIED.is_dir():
        yield  # packing an unpacked one again
        return
    try:
        for part in PARTS:
            source, target = ABOVE / part, CARRIED / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
            else:
                shutil.copy2(source, target)
        yield
    finally:
        shutil.rmtree(CARRIED, ignore_errors=True)


def dynamic_metadata(field, settings=None):
    """The version stands in the public header only."""
    header = (_tree() / "include/gpustream.h").read_text(encoding="utf-8")
    return ".".join(re.search(rf"#define GS_VERSION_{part} (\d+)", header).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return backend.build_wheel(wheel_directory, _settings(config_settings), metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return backend.build_editable(wheel_directory, _settings(config_settings), metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    with _carried():
        return backend.build_sdist(sdist_directory, config_settings)


def get_requires_for_build_wheel(config_settings=None):
    return backend.get_requires_for_build_wheel(_settings(config_settings))


def get_requires_for_build_editable(config_settings=None):
    return backend.get_requires_for_build_editable(_settings(config_settings))


def get_requires_for_build_sdist(config_settings=None):
    return backend.get_requires_for_build_sdist(config_settings)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    return backend.prepare_metadata_for_build_wheel(metadata_directory, _settings(config_settings))


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel
