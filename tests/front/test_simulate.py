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

from front_support import COMMAND, HERE, RACER, Program, run, simulate

IMAGES = HERE.parent / "support/images"
LIBRARY = pathlib.Path(COMMAND).parent.parent / "libgpustream.so.0"
NOT_READY, NOT_FOUND = 600, 500
# Nothing else has initialised the driver here.
COUNTS = """
import ctypes, sys
library, count = ctypes.CDLL(sys.argv[1]), ctypes.c_int()
counts = []
for prepare in (int, library.gs_init):
    prepare()
    library.gs_device_count(0, ctypes.byref(count))
    counts.append(count.value)
print(*counts)
"""


class Kernels(Program):
    def fill_by(self, image):
        kernel = self.kernel((IMAGES / image).read_bytes(), b"fill")
        self.launch(kernel, self.stream, self.memory, ctypes.c_uint32(100), ctypes.c_uint32(7), grid=2, block=64)

    def takes_time(self):
        before = time.monotonic()
        event = self.new("EventCreate", 0)
        self.fill_by("fill.ptx")
        self.call("EventRecord", event, self.stream)
        self.call("EventQuery", event, wanted=NOT_READY)
        self.call("EventSynchronize", event)
        print(time.monotonic() - before >= 0.3)

    def fills(self):
        for image in ("fill.ptx", "fill.sm_90.cubin", "fill.sm_120.cubin"):
            out = (ctypes.c_uint32 * 128)()
            self.call("MemsetD8_v2", self.memory, 0, 4096)
            self.fill_by(image)
            self.call("StreamSynchronize", self.stream)
            self.call("MemcpyDtoH_v2", out, self.memory, 512)
            print(list(out) == 100 * [7] + 28 * [0])

    def copies_rows(self):
        """Rows out of an array whose rows have 8 bytes into one with 5, by a copy and by a graph, and back as layers."""
        given, back = (ctypes.c_ubyte * 32)(*range(32)), (ctypes.c_ubyte * 12)()
        there = (ctypes.c_uint64 * 16)(2, 1, 1, ctypes.addressof(given), 0, 0, 8, 1, 0, 2, 0, self.memory.value, 0, 5, 3, 2)
        side = (0, 0, 0, 0, 2, 0, self.memory.value + 1, 0, 0, 5, 2)
        again = (ctypes.c_uint64 * 25)(*side, 0, 0, 0, 0, 1, ctypes.addressof(back), 0, 0, 0, 3, 2, 3, 2, 2)
        self.call("MemsetD2D32Async", self.memory, ctypes.c_size_t(8), 0x09090909, ctypes.c_size_t(1), ctypes.c_size_t(3), self.stream)
        self.call("Memcpy2DAsync_v2", there, self.stream)
        self.call("StreamBeginCapture_v2", self.stream, 2)
        there[11] += 10  # the target's rows 2 and 3
        self.call("Memcpy2DAsync_v2", there, self.stream)
        self.call("GraphLaunch", self.captured(self.stream), self.stream)
        self.call("Memcpy3DAsync_v2", again, self.stream)
        self.call("StreamSynchronize", self.stream)
        print(list(back))
        first = (ctypes.c_ubyte * 21)()
        self.call("MemcpyDtoH_v2", first, self.memory, 21)
        print([first[at] for at in (0, 8, 9, 10, 16, 19)])

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


class Simulated(unittest.TestCase):
    def program(self, method, *options):
        ended = simulate(sys.executable, __file__, method, options=options)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        return ended.stdout

    def test_it_says_that_it_is_simulated(self):
        self.assertEqual(self.program("name"), "gpustream simulated GPU 0\n")
        os.environ["GPUSTREAM_BACKEND"] = "cuda"
        self.addCleanup(os.environ.pop, "GPUSTREAM_BACKEND")
        info = simulate(COMMAND, "info", options=("--simulate=3",))
        self.assertEqual(len(re.findall("gpustream simulated GPU [012]  ", info.stdout)), 3, info.stdout + info.stderr)

    def test_gpustream_takes_it_by_default(self):
        os.environ.pop("GPUSTREAM_BACKEND", None)
        info = simulate(COMMAND, "info", "--json")
        self.assertIn('"backend": "cuda"', info.stdout, info.stderr)

    def test_hidden_devices(self):
        self.addCleanup(os.environ.pop, "CUDA_VISIBLE_DEVICES", None)
        for visible, found in (("0,2", "2"), ("2", "1"), ("1,x,0", "1"), ("0,7,1", "1")):
            os.environ["CUDA_VISIBLE_DEVICES"] = visible
            self.assertEqual(self.program("devices", "--simulate=3"), found + "\n", visible)
        for visible in ("", "-1", "1,1"):
            os.environ["CUDA_VISIBLE_DEVICES"] = visible
            ended = simulate(sys.executable, __file__, "devices", options=("--simulate=3",))
            self.assertIn("cuInit returned 100", ended.stderr, visible)

    def test_devices_are_counted_alike_before_the_first_use(self):
        self.addCleanup(os.environ.pop, "CUDA_VISIBLE_DEVICES", None)
        for options, visible, found in (((), None, "1 1"), (("--simulate=3",), None, "3 3"), (("--simulate=3",), "2,0", "2 2")):
            if visible:
                os.environ["CUDA_VISIBLE_DEVICES"] = visible
            ended = simulate(sys.executable, "-c", COUNTS, str(LIBRARY), options=options)
            self.assertEqual(ended.stdout, found + "\n", ended.stderr)

    def test_a_run_in_a_simulated_run_has_its_devices(self):
        ended = simulate(COMMAND, "run", "--stats", "--", sys.executable, __file__, "devices", options=("--simulate=3",))
        self.assertEqual((ended.returncode, ended.stdout), (0, "3\n"), ended.stderr)

    def test_ranges_of_pinned_memory(self):
        self.assertEqual(self.program("range_of_pinned"), "True 4096\n")

    def test_kernels_take_their_time(self):
        self.assertEqual(self.program("takes_time", "--kernel-time", "300ms"), "True\n")

    def test_kernels_may_be_functions(self):
        self.assertEqual(self.program("fills", "--kernels", os.environ["FILL_KERNELS"]), 3 * "True\n")
        self.assertEqual(self.program("fills"), 3 * "False\n")  # they only take time

    def test_rows_and_layers(self):
        rows = [10, 11, 12, 18, 19, 20]
        self.assertEqual(self.program("copies_rows"), f"{rows + rows}\n[9, 20, 9, 9, 18, 9]\n")

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

    def test_they_are_no_copies_of_the_library(self):
        for name in ("front", "simulated"):
            notes = subprocess.run(["readelf", "-n", "-W", LIBRARY.parent / "gpustream" / name / "libcuda.so.1"], capture_output=True, text=True, check=True)
            self.assertNotIn("gpustream ", notes.stdout, name)


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1] in vars(Kernels):
        getattr(Kernels(), sys.argv[1])()
    else:
        unittest.main()
