# SPDX-License-Identifier: Apache-2.0
"""gpustream run: forwarding, what is counted and named, processes of all kinds."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

from front_support import COMMAND, FAKE, HERE, NAMES, USER, counts, explained_hang, run, simulate

SIMULATED = NAMES.parents[1] / "simulated/functions.inc"
# ctypes gives the interpreter's lock up around a call.
WAITS = """
import ctypes, threading
driver, made = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
assert driver.cuInit(0) == 0 and driver.cuDevicePrimaryCtxRetain(ctypes.byref(made), 0) == 0
def warte_müde(times):
    if times:
        return [warte_müde(times - 1) for _ in range(1)]
    assert driver.cuCtxSynchronize() == 0
class Many:
    def __iter__(self):
        yield driver.cuCtxSynchronize()
def work():
    assert driver.cuCtxSetCurrent(made) == 0
    warte_müde(3)
    list(sorted(Many(), key=lambda _: driver.cuCtxSynchronize()))
for thread in threading.Thread(target=work), threading.Thread(target=work):
    thread.start()
    thread.join()
"""
# The thread is in the driver when it is cancelled, with no function of Python on its stack.
CANCELLED = """
import ctypes, time
driver, libc, context, stream, thread = ctypes.CDLL("libcuda.so.1"), ctypes.CDLL(None), *(ctypes.c_void_p() for _ in range(3))
assert driver.cuInit(0) == 0 and driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0 and driver.cuCtxSetCurrent(context) == 0
assert driver.cuStreamCreate(ctypes.byref(stream), 1) == 0
assert driver.cuLaunchHostFunc(stream, libc.usleep, ctypes.c_void_p(300000)) == 0
assert libc.pthread_create(ctypes.byref(thread), None, driver.cuStreamSynchronize, stream) == 0
time.sleep(0.05)
assert libc.pthread_cancel(thread) == 0 and libc.pthread_join(thread, None) == 0
print("joined")
"""


class Forwarding(unittest.TestCase):
    def test_each_name_arrives(self):
        listed = re.findall(r"F\((\w+)\)", NAMES.read_text())
        has = {name + suffix for name, suffix in re.findall(r'X\(\w+, (\w+), \d+, "(\w*)"\)', SIMULATED.read_text())}
        fake = subprocess.run(["readelf", "--dyn-syms", "-W", os.environ["GPUSTREAM_LIBCUDA"]], capture_output=True, text=True, check=True)
        exported = set(re.findall(r" (cu[A-Z]\w*)$", fake.stdout, re.M))
        wanted = [name for name in listed if name in exported - has]
        self.assertGreater(len(wanted), 250)
        for options in ((), ("--stats",)):
            with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
                file.write("\n".join(name for name in wanted if not options or name not in self.watched()))
                file.flush()
                ended = run(USER, "forwards", file.name, options=options)
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
            self.assertRegex(ended.stdout, r"^\d+ called, 0 wrong")

    def watched(self):
        """Wrappers read their arguments, of which these calls have none."""
        text = (NAMES.parent / "driver_calls.inc").read_text()
        return {name + suffix for name, suffix in re.findall(r"^(?:ONE|BOTH)\((\w+), (\w*),", text, re.M)}

    def test_forms_of_one_name(self):
        ended = run(USER, "versions", options=("--stats",), GPUSTREAM_LIBCUDA=os.environ["OTHER_DRIVER"])
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        seen = counts(ended.stderr)
        self.assertEqual(seen, {"cuEventRecord": 1, "cuEventRecord_ptsz": 2, "cuMemcpyBatchAsync": 1}, ended.stderr)
        self.assertEqual(run(USER, "versions", GPUSTREAM_LIBCUDA=os.environ["OTHER_DRIVER"]).returncode, 0)

    def test_a_launch_that_the_driver_refuses(self):
        program = """if True:
            from front_support import Program
            Program().call("LaunchKernelEx", None, None, None, None, wanted=1)
            """
        for option in ("--stats", "--check=kernels", "--captures"):
            ended = run(sys.executable, "-c", program, options=("--simulate", option), PYTHONPATH=str(HERE))
            self.assertEqual(ended.returncode, 0, option + ended.stdout + ended.stderr)

    def test_exit_codes(self):
        self.assertEqual(run(USER, "unknown program").returncode, 2)
        self.assertEqual(run(USER, "leaves", "signal").returncode, 128 + signal.SIGKILL)
        missing = run("/no/such/program")
        self.assertEqual(missing.returncode, 127)
        self.assertIn("cannot be started: No such file", missing.stderr)
        self.assertEqual(run(USER, "work", "1", options=("--wrong",)).returncode, 2)
        none = run(USER, "work", "1", GPUSTREAM_LIBCUDA="/no/driver.so")
        self.assertIn("'/no/driver.so' cannot be opened", none.stderr)
        self.assertIn("returned 100", none.stdout)  # cuInit: no device

    def test_an_unseen_program_is_told(self):
        ended = run("/bin/true", options=("--stats",))
        self.assertEqual(ended.returncode, 0)
        self.assertIn("'/bin/true' ended without opening libcuda.so.1 by its name", ended.stderr)
        self.assertNotIn("without opening", run(USER, "nothing").stderr)

    def test_a_program_that_calls_nothing_is_told(self):
        told = f"gpustream run: '{sys.executable}' opened libcuda.so.1 and called none of the functions that are watched; calls by another way, as through the driver's path, are not seen\n"
        opens = "import ctypes; ctypes.CDLL('libcuda.so.1')"
        by_path = f"; driver = ctypes.CDLL('{FAKE}'); driver.cuInit(0); driver.cuStreamQuery(None)"
        for program, options, lines in (opens, ("--captures",), 1), (opens + by_path, ("--captures",), 1), (opens, (), 0), (opens + ".cuStreamQuery(None)", ("--captures",), 0):
            ended = run(sys.executable, "-c", program, options=options)
            self.assertEqual((ended.returncode, ended.stderr.count(told)), (0, lines), ended.stderr)

    def test_a_program_that_opens_the_driver_by_its_path_is_told(self):
        open_it = f"import ctypes; ctypes.CDLL('{FAKE}').cuInit(0)"
        by_name = "; ctypes.CDLL('libcuda.so.1').cuInit(0)"  # which is that library then, since it has this name
        for program in open_it, open_it + by_name:
            ended = run(sys.executable, "-c", program, options=("--stats",))
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertRegex(ended.stderr, r"^gpustream run: '[^']*' ended without opening libcuda.so.1 by its name, so no call was seen\n$")

    def test_no_file_is_left(self):
        with tempfile.TemporaryDirectory() as folder:
            run(USER, "work", "1", options=("--log", "--stats"), TMPDIR=folder)
            self.assertEqual(os.listdir(folder), [])


class Stats(unittest.TestCase):
    def test_numbers_are_exact(self):
        seen = counts(run(USER, "work", "7", options=("--stats",)).stderr)
        self.assertEqual(
            seen,
            {"cuMemsetD8Async": 7, "cuEventRecord": 7, "cuStreamWaitEvent": 7, "cuStreamSynchronize": 1, "cuMemAlloc_v2": 1,
             "cuMemFree_v2": 1, "cuEventCreate": 1, "cuEventDestroy_v2": 1, "cuStreamCreate": 1, "cuStreamCreateWithPriority": 1,
             "cuStreamDestroy_v2": 2})

    def test_threads(self):
        ended = run(USER, "threads", "8", options=("--stats", "--log", "--leaks"))
        self.assertEqual(ended.returncode, 0, ended.stdout)
        self.assertEqual(counts(ended.stderr)["cuEventRecord"], 8000)
        self.assertNotIn("live at exit", ended.stderr)

    def test_processes(self):
        ended = run(USER, "forks", USER, options=("--stats", "--log"))
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertEqual(counts(ended.stderr)["cuEventRecord"], 2 + 1)  # of the program that was executed, and of the parent
        self.assertEqual(len(re.findall(r"^gpustream: process \d+ \(\S*front_user\)", ended.stderr, re.M)), 2)

    def test_the_end(self):
        for how in ("_exit", "thread"):
            with self.subTest(how):
                self.assertEqual(run(USER, "leaves", how, options=("--stats", "--syncs", "--leaks", "--log")).returncode, 0)


    def test_a_thread_that_is_cancelled(self):
        for options in (), ("--stats", "--syncs", "--leaks", "--log", "--check"):
            ended = simulate(sys.executable, "-c", CANCELLED, options=options)
            self.assertEqual((ended.returncode, ended.stdout), (0, "joined\n"), ended.stderr)


class Callers(unittest.TestCase):
    def test_leaks(self):
        text = run(USER, "leak", options=("--leaks",)).stderr
        self.assertIn("live at exit: 1 stream, 1 event, 1 block of memory with 1000 bytes", text)
        self.assertRegex(text, r"device memory 0x[0-9a-f]+ of 1000 bytes, made by thread \d+\n    [^\n]*front_user")
        self.assertNotIn("live at exit", run(USER, "work", "3", options=("--leaks",)).stderr)

    def test_syncs(self):
        text = run(USER, "work", "3", options=("--syncs",)).stderr
        self.assertRegex(text, r"thread \d+ was blocked by cuStreamSynchronize 1 times, .*; called from .*front_user")
        self.assertRegex(text, r"blocked by cuMemFree_v2 1 times")

    def test_lines_of_the_source(self):
        lines = r"front_user\.c:\d+ in work, from front_user\.c:\d+ in main"
        for path, place in (os.environ["PATH"], lines), ("/none", r"\S*\(gpustream_front_user\+0x[0-9a-f]+\)"):  # which has no symbolizer
            text = run(USER, "work", "1", options=("--syncs",), PATH=path).stderr
            self.assertRegex(text, "blocked by cuStreamSynchronize 1 times, .*; called from " + place)

    def test_lines_of_python(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "wartet.py"
            file.write_text(WAITS, encoding="utf-8")
            text = run(sys.executable, str(file), options=("--syncs",), PYTHONUTF8="1").stderr
        places = re.findall(r"blocked by cuCtxSynchronize 1 times, .*; called from wartet.py:(\d+) in ([^,]*),", text)
        müde = r"m\xfcde" if sys.version_info[:2] in ((3, 11), (3, 12)) or sys.version_info >= (3, 15) else "müde"  # as Python writes tracebacks
        self.assertEqual(sorted(places), sorted(2 * [("11", "__iter__"), ("15", "<lambda>"), ("8", "warte_" + müde)]), text)

    def test_captures(self):
        text = run(USER, "broken", options=("--captures",)).stderr
        self.assertRegex(text, r"thread \d+: cuStreamSynchronize returned CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED; called from .*front_user")
        self.assertRegex(text, r"    while thread \d+ captures CUstream 0x[0-9a-f]+, begun at .*front_user")
        self.assertIn("1 captures ended broken", text)
        whole = run(USER, "capture", options=("--captures", "--log", "--stats", "--syncs", "--leaks", "--check=kernels"))
        alone = subprocess.run([USER, "capture"], capture_output=True, text=True, check=True,
                               env={**os.environ, "LD_LIBRARY_PATH": os.path.dirname(os.environ["GPUSTREAM_LIBCUDA"])})
        self.assertEqual(whole.stdout, alone.stdout)
        self.assertIn("0 calls were refused, 0 captures ended broken", whole.stderr)


class Hang(unittest.TestCase):
    def test_is_explained(self):
        text = explained_hang(self)
        self.assertRegex(text, r'stream 0x[0-9a-f]+ \("CUstream 0x[0-9a-f]+"\) may wait for event 0x[0-9a-f]+, recorded in stream '
                               r'0x[0-9a-f]+ \("CUstream 0x[0-9a-f]+"\), which may wait for a word of memory')
        self.assertIn('is in "cuStreamSynchronize"', text)

    def test_is_explained_later(self):
        with tempfile.TemporaryDirectory() as folder:
            run(USER, "work", "3", options=(f"--log={folder}/%p.gpuslog",))
            (log,) = pathlib.Path(folder).iterdir()
            text = subprocess.run([COMMAND, "explain", str(log)], capture_output=True, text=True, check=True).stdout
        self.assertIn("which has ended", text)
        self.assertIn("fills 1000 bytes", text)


if __name__ == "__main__":
    unittest.main()
