# SPDX-License-Identifier: Apache-2.0
"""Runs the command and small programs, of front_user.c and in Python."""
import ctypes
import os
import pathlib
import re
import subprocess

COMMAND = os.environ["GPUSTREAM_COMMAND"]
USER = os.environ["FRONT_USER"]
RACER = os.environ["FRONT_RACER"]
HERE = pathlib.Path(__file__).parent
NAMES = HERE.parent.parent / "src/front/driver_names.inc"


class Program:
    """The driver in a program that `gpustream run` has started: a file of tests with the name of one of its methods."""

    def __init__(self):
        self.driver = ctypes.CDLL("libcuda.so.1")
        context, self.stream, self.memory = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.call("Init", 0)
        self.call("DevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("CtxSetCurrent", context)
        self.call("StreamCreate", ctypes.byref(self.stream), 1)
        self.call("MemAlloc_v2", ctypes.byref(self.memory), 4096)

    def call(self, name, *arguments, wanted=0):
        code = getattr(self.driver, "cu" + name)(*arguments)
        assert code == wanted, f"cu{name} returned {code}"


def run(*arguments, options=(), command="run", **environment):
    """What `gpustream run OPTIONS -- ARGUMENTS` wrote and returned."""
    return subprocess.run([COMMAND, command, *options, "--", *arguments], capture_output=True, text=True, timeout=200,
                          env={**os.environ, **environment}, check=False)


def counts(text):
    """{function: calls} of the report of --stats, all processes together."""
    found = {}
    for calls, name in re.findall(r"^ +(\d+) calls +[\d.]+ ms +(\w+)", text, re.M):
        found[name] = found.get(name, 0) + int(calls)
    return found
