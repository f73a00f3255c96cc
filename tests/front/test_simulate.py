# SPDX-License-Identifier: Apache-2.0
"""gpustream run --simulate: programs of the driver's API without a GPU and without a driver."""
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from front_support import COMMAND, HERE, RACER, USER, counts, run

IMAGES = HERE.parent / "support/images"
LIBRARY = pathlib.Path(COMMAND).parent.parent / "libgpustream.so.0"
NOT_READY, NOT_FOUND = 600, 500


class Program:
    """The driver in a program that `gpustream run` has started: this file with the name of one of its methods."""

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

    def launch(self, image):
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("ModuleLoadData", ctypes.byref(module), (IMAGES / image).read_bytes() + b"\0")
        self.call("ModuleGetFunction", ctypes.byref(kernel), module, b"fill")
        values = self.memory, ctypes.c_uint32(100), ctypes.c_uint32(7)
        arguments = (ctypes.c_void_p * 3)(*(ctypes.addressof(value) for value in values))
        self.call("LaunchKernel", kernel, 2, 1, 1, 64, 1, 1, 0, self.stream, arguments, None)

    def takes_time(self):
        before = time.monotonic()
        event = ctypes.c_void_p()
        self.call("EventCreate", ctypes.byref(event), 0)
        self.launch("fill.ptx")
        self.call("EventRecord", event, self.stream)
        self.call("EventQuery", event, wanted=NOT_READY)
        self.call("EventSynchronize", event)
        print(time.monotonic() - before >= 0.3)

    def fills(self):
        for image in ("fill.ptx", "fill.sm_90.cubin", "fill.sm_120.cubin"):
            out = (ctypes.c_uint32 * 128)()
            self.call("MemsetD8_v2", self.memory, 0, 4096)
            self.launch(image)
            self.call("StreamSynchronize", self.stream)
            self.call("MemcpyDtoH_v2", out, self.memory, 512)
            print(list(out) == 100 * [7] + 28 * [0])

    def name(self):
        text = ctypes.create_string_buffer(100)
        self.call("DeviceGetName", text, 100, 0)
        print(text.value.decode())

    def devices(self):
        count = ctypes.c_int()
        self.call("DeviceGetCount", ctypes.byref(count))
        print(count.value)

    def range_of_pinned(self):
        pinned, start, size = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_size_t()
        self.call("MemHostAlloc", ctypes.byref(pinned), ctypes.c_size_t(4096), 2)
        self.call("MemGetAddressRange_v2", ctypes.byref(start), ctypes.byref(size), ctypes.c_uint64(pinned.value + 100))
        print(start.value == pinned.value, size.value)
        self.call("MemGetAddressRange_v2", ctypes.byref(start), ctypes.byref(size), ctypes.c_uint64(ctypes.addressof(size)), wanted=NOT_FOUND)


def simulate(*arguments, options=(), command="run"):
    """As on a machine without CUDA: no driver is named."""
    del os.environ["GPUSTREAM_LIBCUDA"]
    try:
        return run(*arguments, options=("--simulate", *options), command=command)
    finally:
        os.environ["GPUSTREAM_LIBCUDA"] = FAKE


FAKE = os.environ.get("GPUSTREAM_LIBCUDA", "")


class Simulated(unittest.TestCase):
    def program(self, method, *options):
        ended = simulate(sys.executable, __file__, method, options=options)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        return ended.stdout

    def test_a_program_of_the_drivers_api(self):
        ended = simulate(USER, "work", "3", options=("--stats",))
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertEqual(counts(ended.stderr)["cuMemsetD8Async"], 3, ended.stderr)
        traced = pathlib.Path(tempfile.mkdtemp()) / "trace.json"
        self.addCleanup(shutil.rmtree, traced.parent)
        self.assertEqual(simulate(USER, "work", "3", options=("--trace", str(traced))).returncode, 0)
        self.assertIn("cuStreamSynchronize", traced.read_text())

    def test_it_says_that_it_is_simulated(self):
        self.assertEqual(self.program("name"), "gpustream simulated GPU 0\n")
        os.environ["GPUSTREAM_BACKEND"] = "cuda"
        self.addCleanup(os.environ.pop, "GPUSTREAM_BACKEND")
        info = simulate(COMMAND, "info", options=("--simulate=3",))
        self.assertEqual(len(re.findall("gpustream simulated GPU [012]  ", info.stdout)), 3, info.stdout + info.stderr)

    def test_hidden_devices(self):
        self.addCleanup(os.environ.pop, "CUDA_VISIBLE_DEVICES", None)
        for visible, found in (("0,2", "2"), ("2", "1"), ("1,x,0", "1"), ("0,7,1", "1")):
            os.environ["CUDA_VISIBLE_DEVICES"] = visible
            self.assertEqual(self.program("devices", "--simulate=3"), found + "\n", visible)
        for visible in ("", "-1", "1,1"):
            os.environ["CUDA_VISIBLE_DEVICES"] = visible
            ended = simulate(sys.executable, __file__, "devices", options=("--simulate=3",))
            self.assertIn("cuInit returned 100", ended.stderr, visible)

    def test_ranges_of_pinned_memory(self):
        self.assertEqual(self.program("range_of_pinned"), "True 4096\n")

    def test_kernels_take_their_time(self):
        self.assertEqual(self.program("takes_time", "--kernel-time", "300ms"), "True\n")

    def test_kernels_may_be_functions(self):
        self.assertEqual(self.program("fills", "--kernels", os.environ["FILL_KERNELS"]), 3 * "True\n")
        self.assertEqual(self.program("fills"), 3 * "False\n")  # they only take time

    def test_wrong_options(self):
        for options, text in ((("--kernel-time", "50"), "needs a time with its unit"), (("--kernels", "/no/file"), "unlike '/no/file'"),
                              (("--simulate=0",), "from 1 to 64 devices")):
            ended = simulate("true", options=options)
            self.assertEqual((ended.returncode, text in ended.stderr), (2, True), ended.stderr)
        alone = run("true", options=("--kernel-time", "50us"))
        self.assertEqual((alone.returncode, alone.stderr.count("for the driver of --simulate")), (125, 1), alone.stderr)

    def test_a_package_without_it(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(LIBRARY, folder)
            shutil.copytree(LIBRARY.parent / "gpustream/front", pathlib.Path(folder) / "gpustream/front")
            ended = subprocess.run([COMMAND, "run", "--simulate", "--", "true"], capture_output=True, text=True, check=False,
                                   env={**os.environ, "LD_LIBRARY_PATH": folder})
        self.assertEqual(ended.returncode, 125)
        self.assertRegex(ended.stderr, r"gpustream/simulated/libcuda.so.1' cannot be read: it comes with the package")

    def test_shake_finds_a_missing_wait(self):
        found = simulate(RACER, "producer", "wrong", command="shake")
        self.assertEqual(found.returncode, 1, found.stdout + found.stderr)
        self.assertIn("late:  cuMemsetD8Async in stream 1", found.stdout)
        self.assertEqual(simulate(RACER, "producer", "right", command="shake", options=("--runs", "6")).returncode, 0)

    def test_controls_of_tests_stay_in_the_tests(self):
        driver = LIBRARY.parent / "gpustream/simulated/libcuda.so.1"
        symbols = subprocess.run(["readelf", "--dyn-syms", "-W", driver], capture_output=True, text=True, check=True).stdout
        self.assertIn(" cuLaunchKernel", symbols)
        self.assertNotIn("fake", symbols)


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1] in vars(Program):
        getattr(Program(), sys.argv[1])()
    else:
        unittest.main()
