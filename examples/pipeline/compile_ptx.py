#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels.cu to kernels.ptx with NVRTC, which needs neither a GPU nor the rest of the CUDA toolkit.

Needs the wheel nvidia-cuda-nvrtc-cu12 in the Python that runs it. Its release decides which drivers accept the PTX:
12.0 writes PTX ISA 8.0, which every driver for CUDA 12.0 and later compiles for any GPU from compute capability 7.5 on.

  compile_ptx.py           writes kernels.ptx
  compile_ptx.py --check   exits with 1 if kernels.ptx is not what this NVRTC makes of kernels.cu
"""
import argparse
import ctypes
import importlib.util
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = ["crc_math.hpp", "kernel_layout.hpp"]
# The headers are plain C++: here their definitions count as device code.
OPTIONS = ["--gpu-architecture=compute_75", "--std=c++17", "--device-as-default-execution-space"]
BANNER = "// Made from kernels.cu by compile_ptx.py; do not edit.\n"


def load_nvrtc():
    spec = importlib.util.find_spec("nvidia.cuda_nvrtc")
    if spec is None:
        sys.exit("compile_ptx.py: no NVRTC here; install the wheel nvidia-cuda-nvrtc-cu12==12.0.*")
    folder = pathlib.Path(list(spec.submodule_search_locations)[0]) / "lib"
    return ctypes.CDLL(str(folder / "libnvrtc.so.12"), mode=ctypes.RTLD_GLOBAL)


def text_of(nvrtc, program, kind):
    size = ctypes.c_size_t()
    if getattr(nvrtc, f"nvrtcGet{kind}Size")(program, ctypes.byref(size)) != 0:
        sys.exit(f"compile_ptx.py: nvrtcGet{kind}Size failed")
    buffer = ctypes.create_string_buffer(size.value)
    if getattr(nvrtc, f"nvrtcGet{kind}")(program, buffer) != 0:
        sys.exit(f"compile_ptx.py: nvrtcGet{kind} failed")
    return buffer.value.decode()


def compile_ptx():
    nvrtc = load_nvrtc()
    program = ctypes.c_void_p()
    texts = [(HERE / name).read_bytes() for name in HEADERS]
    names = [name.encode() for name in HEADERS]
    array = ctypes.c_char_p * len(HEADERS)
    source = (HERE / "kernels.cu").read_bytes()
    created = nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), source, b"kernels.cu", len(HEADERS), array(*texts), array(*names)
    )
    if created != 0:
        sys.exit(f"compile_ptx.py: nvrtcCreateProgram failed with {created}")
    options = [option.encode() for option in OPTIONS]
    compiled = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    if compiled != 0:
        sys.exit(text_of(nvrtc, program, "ProgramLog"))
    return BANNER + text_of(nvrtc, program, "PTX").strip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    check = parser.parse_args().check
    target = HERE / "kernels.ptx"
    ptx = compile_ptx()
    if not check:
        target.write_text(ptx)
    elif not target.is_file() or target.read_text() != ptx:
        sys.exit("compile_ptx.py: kernels.ptx does not come from this kernels.cu")


if __name__ == "__main__":
    main()
