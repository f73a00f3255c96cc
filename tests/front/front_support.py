# SPDX-License-Identifier: Apache-2.0
"""Runs the command and small programs, of front_user.c and in Python."""
import ctypes
import os
import pathlib
import re
import signal
import subprocess

COMMAND = os.environ["GPUSTREAM_COMMAND"]
USER = os.environ["FRONT_USER"]
RACER = os.environ["FRONT_RACER"]
FAKE = os.environ.get("GPUSTREAM_LIBCUDA", "")
HERE = pathlib.Path(__file__).parent
NAMES = HERE.parent.parent / "src/front/driver_names.inc"


class Program:
    """The driver in a program that `gpustream run` has started: a file of tests with the name of one of its methods."""

    def __init__(self):
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.call("Init", 0)
        self.call("CtxSetCurrent", self.new("DevicePrimaryCtxRetain", 0))
        self.stream, self.memory = self.new("StreamCreate", 1), self.new("MemAlloc_v2", 4096)

    def call(self, name, *arguments, wanted=0):
        code = getattr(self.driver, "cu" + name)(*arguments)
        assert code == wanted, f"cu{name} returned {code}"

    def new(self, name, *arguments):
        """What the call stores a handle of."""
        made = ctypes.c_void_p()
        self.call(name, ctypes.byref(made), *arguments)
        return made

    def captured(self, stream):
        """The end of a capture, and what can be launched."""
        graph = ctypes.c_void_p()
        self.call("StreamEndCapture", stream, ctypes.byref(graph))
        return self.new("GraphInstantiateWithFlags", graph, ctypes.c_ulonglong(0))

    def kernel(self, image, name):
        return self.new("ModuleGetFunction", self.new("ModuleLoadData", image + b"\0"), name)

    def launch(self, kernel, stream, *values, grid=1, block=1):
        arguments = (ctypes.c_void_p * max(len(values), 1))(*(ctypes.addressof(value) for value in values))
        self.call("LaunchKernel", kernel, grid, 1, 1, block, 1, 1, 0, stream, arguments, None)


def ptx(name, parameters, kind="u64", array=""):
    """A kernel that does nothing, with so many parameters: pointers, or of another kind."""
    listed = ", ".join(f".param .{kind} p{number}{array}" for number in range(parameters))
    return f".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry {name}({listed}) {{ ret; }}\n".encode()


def run(*arguments, options=(), command="run", **environment):
    """What `gpustream run OPTIONS -- ARGUMENTS` wrote and returned."""
    return subprocess.run([COMMAND, command, *options, "--", *arguments], capture_output=True, text=True, timeout=200,
                          env={**os.environ, **environment}, check=False)


def simulate(*arguments, options=(), command="run"):
    """As on a machine without CUDA: no driver is named."""
    del os.environ["GPUSTREAM_LIBCUDA"]
    try:
        return run(*arguments, options=("--simulate", *options), command=command)
    finally:
        os.environ["GPUSTREAM_LIBCUDA"] = FAKE


def counts(text):
    """{function: calls} of the report of --stats, all processes together."""
    found = {}
    for calls, name in re.findall(r"^ +(\d+) calls +[\d.]+ ms +(\w+)", text, re.M):
        found[name] = found.get(name, 0) + int(calls)
    return found


def explained_hang(test, *options):
    """What `gpustream explain` prints of a program that hangs."""
    with subprocess.Popen([COMMAND, "run", *options, "--log", "--", USER, "hang"], stdout=subprocess.PIPE, text=True) as process:
        test.assertEqual(process.stdout.readline(), "waiting\n")
        child = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0]
        for _ in range(200):
            text = subprocess.run([COMMAND, "explain", child], capture_output=True, text=True, check=True).stdout
            if 'is in "cuStreamSynchronize"' in text:
                break
        process.send_signal(signal.SIGTERM)
        test.assertEqual(process.wait(60), 128 + signal.SIGTERM)
    return text
