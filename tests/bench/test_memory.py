# SPDX-License-Identifier: Apache-2.0
"""bench/memory on made-up programs: recording from stand-ins for torch and CuPy, traces, their replay on the host backend and on the
fake driver, and the report.

usage: test_memory.py [TEST...]      GPUSTREAM_LIBRARY: the library; GPUSTREAM_LIBCUDA: the fake driver, if there is one
"""
import contextlib
import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_loader
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
BENCH = Path(__file__).resolve().parents[2] / "bench" / "memory"
sys.path[:0] = [str(BENCH), str(BENCH.parent)]
import allocators  # noqa: E402
import traces  # noqa: E402
from fake_gpu_libraries import FakeCupy, FakeTorch  # noqa: E402


def script(name):
    loader = SourceFileLoader(f"memory_{name}", str(BENCH / name))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def main(self, module, *arguments):
        out, error = io.StringIO(), io.StringIO()
        with mock.patch.object(sys, "argv", ["program", *map(str, arguments)]), contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            return module.main(), out.getvalue(), error.getvalue()


class RecordTest(Folder):
    def setUp(self):
        super().setUp()
        self.record = script("record")

    def with_torch(self, program, torch=None):
        with mock.patch.dict(sys.modules, torch=torch or FakeTorch()):
            return self.record.with_torch(program)

    def test_of_torch(self):
        def program(torch):
            first, second = torch.caching_allocator_alloc(1000), torch.caching_allocator_alloc(5, stream=0x77)
            torch.caching_allocator_delete(first)
            torch.caching_allocator_delete(second, completed=False)  # another stream uses it to the end
            self.assertEqual(torch.caching_allocator_alloc(900), first)
            return 3

        events, about = self.with_torch(program)
        self.assertEqual(events, [(1000, 0), (5, 1), 0, (900, 0)])
        self.assertEqual((about["result"], about["reserved"], about["requested"]), (3, 1536, 1005))

    def test_of_torch_that_cannot_be_complete(self):
        for torch in (FakeTorch(backend="cudaMallocAsync"), FakeTorch(held=512)):
            with self.assertRaisesRegex(traces.TraceError, "before the program, or does not use its own"):
                self.with_torch(lambda torch: 0, torch)
        alloc, free = {"action": "alloc", "addr": 512, "size": 8, "stream": 0}, {"action": "free_completed", "addr": 512, "size": 8, "stream": 0}
        for entries, text in [([free], "0x200 is freed but was not allocated"), ([alloc, alloc], "0x200 is allocated twice"),
                              ([alloc, {**free, "action": "oom"}], "'oom'"), ([alloc] * 9, "dropped the oldest")]:
            with self.assertRaisesRegex(traces.TraceError, text):
                traces.of_torch(entries, 9)

    def test_of_cupy(self):
        def program(cupy):
            first = cupy.malloc(100)
            cupy.malloc(1 << 40, fails=True)
            cupy.stream = 0x77
            second = cupy.malloc(300)
            cupy.free(first)
            cupy.free(second)
            return 1.5

        with mock.patch.dict(sys.modules, cupy=FakeCupy()):
            events, about = self.record.with_cupy(program)
        self.assertEqual((events, about["result"]), ([(100, 0), (300, 1), 0, 1], 1.5))
        with mock.patch.dict(sys.modules, cupy=FakeCupy()), self.assertRaisesRegex(traces.TraceError, "0x5 is freed but was not allocated"):
            self.record.with_cupy(lambda cupy: cupy.free(5))
        with mock.patch.dict(sys.modules, cupy=FakeCupy(total=1)), self.assertRaisesRegex(traces.TraceError, "before the program"):
            self.record.with_cupy(lambda cupy: 0)

    def test_the_program_writes_a_file(self):
        path = self.path / "training.trace.gz"
        program = mock.patch.dict(self.record.programs.OF_TORCH, training=lambda torch: torch.caching_allocator_alloc(700))
        with program, mock.patch.dict(sys.modules, torch=FakeTorch()):
            code, out, _ = self.main(self.record, "training", path)
        trace = traces.read(path)
        self.assertEqual((code, trace.events, trace.about["program"], trace.about["reserved"]), (0, [(700, 0)], "training", 1024))
        self.assertIn("training: 1 allocations in 1 streams, peak 700 bytes", out)


class TraceTest(Folder):
    EVENTS = [(1000, 0), (5, 2), 0, (513, 0), 2]

    def test_numbers(self):
        trace = traces.Trace({}, self.EVENTS)
        self.assertEqual((trace.allocations(), trace.streams(), trace.peak(), trace.peak(512)), (3, 3, 1005, 1536))
        self.assertEqual((traces.Trace({}, []).streams(), traces.Trace({}, []).peak()), (1, 0))

    def test_files(self):
        one, other = self.path / "one.trace.gz", self.path / "other.trace.gz"
        for path in (one, other):
            traces.write(path, traces.Trace({"program": "x"}, self.EVENTS))
        read = traces.read(one)
        self.assertEqual((read.events, read.about), (self.EVENTS, {"program": "x"}))
        self.assertEqual(one.read_bytes(), other.read_bytes())

    def test_what_is_no_trace(self):
        first = json.dumps({"format": traces.FORMAT})
        path = self.path / "wrong.trace.gz"
        for text in ["", "{}", '{"format": "another"}', "[]", first + "\n+ 0 0", first + "\n+ 1 -1", first + "\n+ 1", first + "\n- 0",
                     first + "\n+ 1 0\n- 0\n- 0", first + "\n* 1 0", first + "\n+ x 0", first + "\n\n"]:
            path.write_bytes(gzip.compress(text.encode()))
            with self.assertRaisesRegex(traces.TraceError, "wrong.trace.gz", msg=text):
                traces.read(path)
        for content in (b"text", gzip.compress(first.encode())[:-9]):
            path.write_bytes(content)
            with self.assertRaises(traces.TraceError):
                traces.read(path)
        code, _, error = self.main(script("replay"), path)
        self.assertEqual((code, "wrong.trace.gz" in error), (2, True))


class ReplayTest(Folder):
    def replay(self, events, backend="host", *arguments):
        traces.write(self.path / "made-up.trace.gz", traces.Trace({}, events))
        done = subprocess.run([sys.executable, str(BENCH / "replay"), *arguments, str(self.path / "made-up.trace.gz")], capture_output=True,
                              text=True, timeout=300, env={**os.environ, "GPUSTREAM_BACKEND": backend}, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)["traces"]["made-up"]

    def backends(self):
        return ["host", "cuda"] if os.environ.get("GPUSTREAM_LIBCUDA") else ["host"]

    def test_peaks_are_exact(self):
        # 3 blocks of 1000 in two streams, one of which is given out again in its stream, and one that is left at the end.
        events = [(1000, 0), (1000, 1), 0, (600, 0), (5000, 1), 1, 2]
        for backend in self.backends():
            for arguments in ((), ("--fill",)):
                found = self.replay(events, backend, *arguments)
                wanted = {"allocated": 1024 + 1024 + 5120, "requested": 6600, "allocations": 4, "hits": 1, "driver": 3, "rounded": 7168, "peak": 6600}
                self.assertEqual({key: found[key] for key in wanted}, wanted, backend)
                self.assertGreaterEqual(found["reserved"], 7168)
                if backend == "host":
                    self.assertEqual(found["reserved"], 7168)

    def test_what_streams_keep_is_a_small_part_of_the_peak(self):
        # A step of training: results of each layer in the way forth, gradients in the way back, and memory in between that is
        # freed at once. The host backend has no allocator below the caches, so that what is above the blocks in use is theirs.
        kib = 1 << 10
        events, held, count = [], [], 0

        def allocate(size, keep):
            nonlocal count
            events.append((size, 0))
            count += 1
            held.append(count - 1) if keep else events.append(count - 1)

        for step in range(6):
            for layer in range(12):
                for part in range(6):
                    allocate((3 + part) * 96 * kib + step * 8 * kib, keep=True)
                    allocate((7 - part) * 80 * kib + step * 4 * kib, keep=False)
            while held:
                allocate(64 * kib * (1 + len(held) % 9), keep=False)
                events.append(held.pop())
        found = self.replay(events)
        self.assertLessEqual(found["reserved"], 1.05 * found["rounded"])
        self.assertGreater(found["hits"], found["allocations"] // 4)

    @unittest.skipUnless(os.environ.get("GPUSTREAM_LIBCUDA"), "there is no fake driver")
    def test_without_what_streams_keep(self):
        events = [(1000, 0), (1000, 1), 0, 1, (1000, 0), (1000, 1), 2, 3]
        for arguments, hits in ((), 2), (("--uncached",), 0):
            found = self.replay(events, "cuda", *arguments)
            self.assertEqual((found["hits"], found["driver"], found["allocated"]), (hits, 4 - hits, 2048))

    def test_caches_that_grow(self):
        # Text is generated: of each layer of a sentence two caches are copied into larger ones with every word, so that no size is
        # asked for again. The small memory in between is.
        kib, layers, words = 1 << 10, 12, 40
        events, count = [], 0

        def allocate(size):
            nonlocal count
            events.append((size, 0))
            count += 1
            return count - 1

        caches = {(sentence, layer): [allocate(sentence * 640 * kib) for _ in range(2)] for sentence in (1, 2, 3, 4) for layer in range(layers)}
        for word in range(1, words):
            for (sentence, layer), cache in caches.items():
                small = [allocate(size) for size in (6 * kib, 512)]
                longer = [allocate((sentence * 640 + 4 * word) * kib) for _ in range(2)]
                events.extend(cache)
                small += [allocate(size) for size in (4 * kib, kib)]
                events.extend(small)
                caches[sentence, layer] = longer
        found = self.replay(events)
        self.assertLessEqual(found["reserved"], 1.02 * found["rounded"])
        self.assertLess(found["driver"], 0.4 * found["allocations"])  # the caches are a third

    def test_on_torch(self):
        trace, torch = traces.Trace({}, [(1000, 0), (2000, 1), 0, (700, 0), 1]), FakeTorch()
        allocator = allocators.Torch(torch)
        for _ in range(2):  # each replay begins without memory
            peaks = allocators.replay(trace, allocator)
            self.assertEqual((peaks["reserved"], peaks["allocated"], peaks["requested"], peaks["allocations"]), (3072, 3072, 3000, 3))
            self.assertEqual(torch.live, {})
        with self.assertRaisesRegex(RuntimeError, "cudaMallocAsync"):
            allocators.Torch(FakeTorch(backend="cudaMallocAsync"))
        with self.assertRaisesRegex(RuntimeError, "before the replay"):
            allocators.replay(trace, allocators.Torch(FakeTorch(held=512)))


class ReportTest(Folder):
    def compare(self, ours, theirs):
        paths = []
        for name, reserved in (("gpustream", ours), ("torch", theirs)):
            rows = {trace: {"about": {"library": "torch 2"}, "streams": 1, "rounded": 1 << 20, "reserved": size, "allocations": 200, "hits": 50}
                    for trace, size in reserved.items()}
            paths.append(self.path / f"{name}.json")
            paths[-1].write_text(json.dumps({"allocator": name, "traces": rows}))
        return self.main(script("report"), *paths)

    def test_the_goal(self):
        code, out, _ = self.compare({"a": 105 << 20, "b": 1 << 20}, {"a": 100 << 20, "b": 2 << 20})
        self.assertEqual(code, 0)
        self.assertIn("| a | torch 2 | 200 | 1 | 1.0 | – | 100.0 | 105.0 | 1.050 | 25 % |", out)
        code, out, _ = self.compare({"a": 106 << 20, "b": 1 << 20}, {"a": 100 << 20, "b": 2 << 20})
        self.assertEqual((code, out.splitlines()[-1]), (1, "More than 1.05 of torch: a"))

    def test_other_traces(self):
        for ours, theirs in [({"a": 1}, {"b": 1}), ({}, {})]:
            self.assertEqual(self.compare(ours, theirs)[0], 2)


@unittest.skipUnless(os.environ.get("GPUSTREAM_LIBCUDA"), "needs the fake driver, which GPUSTREAM_LIBCUDA names")
class RunTest(Folder):
    """The whole of bench/memory/run, with programs for the stand-ins, on the fake driver."""

    PROGRAMS = """
def some(allocate, free):
    made = [allocate(1000 * number + 1) for number in range(20)]
    for one in made[:15]:
        free(one)
    return len(made)
def of_torch(torch): return some(torch.caching_allocator_alloc, torch.caching_allocator_delete)
def of_cupy(cupy): return some(cupy.malloc, cupy.free)
OF_TORCH, OF_CUPY = {"training": of_torch, "generation": of_torch}, {"pictures": of_cupy}
"""

    def run_with(self, *libraries):
        shutil.copytree(BENCH.parent, self.path / "bench", ignore=shutil.ignore_patterns("__pycache__"))
        (self.path / "api").symlink_to(allocators.API.parent)
        (self.path / "bench" / "memory" / "programs.py").write_text(self.PROGRAMS)
        site = self.path / "site"
        site.mkdir()
        for name in libraries:
            (site / f"{name}.py").write_text(f"import sys, fake_gpu_libraries\nsys.modules['{name}'] = fake_gpu_libraries.Fake{name.title()}()\n")
        done = subprocess.run([str(self.path / "bench" / "memory" / "run"), str(self.path / "out")], capture_output=True, text=True, timeout=300,
                              env={**os.environ, "PYTHONPATH": f"{site}:{Path(__file__).parent}"}, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_all(self):
        code, out, error = self.run_with("torch", "cupy")
        self.assertEqual((code, error), (0, ""))
        for name in ("training", "generation", "pictures"):
            self.assertRegex(out, rf"(?m)^\| {name} \| \w+ 0.fake \| 20 \| 1 \|.* 1\.\d\d\d \| 0 % \|$")
            self.assertEqual(traces.read(self.path / "out" / f"{name}.trace.gz").allocations(), 20)

    @unittest.skipIf(find_spec("cupy"), "CuPy is installed here")
    def test_without_a_library(self):
        code, out, _ = self.run_with("torch")
        self.assertEqual((code, "pictures is left out: python3 has no cupy" in out, "| generation |" in out), (1, True, True))

    @unittest.skipIf(find_spec("torch"), "torch is installed here")
    def test_without_torch(self):
        code, out, error = self.run_with("cupy")
        self.assertEqual((code, out, error), (1, "", "bench/memory/run: python3 has no torch\n"))


if __name__ == "__main__":
    unittest.main()
