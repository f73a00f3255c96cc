# SPDX-License-Identifier: Apache-2.0
"""gpustream run --learn FILE, and --check=kernels --learnt FILE: what kernels write is learnt from a run, and known in others."""
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from front_support import COMMAND, USER, Program, ptx, run

FAR = 100  # words behind an address
STRUCT = 130  # words of an argument


class Kernels(Program):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.event = self.stream, self.new("StreamCreate", 1), self.new("EventCreate", 2)
        self.move, self.put = self.kernel(ptx("move", 2), b"move"), self.kernel(ptx("put", 3), b"put")
        self.nothing = self.kernel(ptx("nothing", 1, "align 8 .b8", f"[{8 * STRUCT}]"), b"nothing")
        self.a, self.b, self.c = (self.new("MemAlloc_v2", ctypes.c_size_t(4096)) for _ in range(3))
        for number, memory in enumerate((self.a, self.b, self.c)):
            self.call("MemsetD8_v2", memory, number, ctypes.c_size_t(4096))
        self.call("CtxSynchronize")

    def order(self):
        self.call("EventRecord", self.event, self.one)
        self.call("StreamWaitEvent", self.two, self.event, 0)

    def moves(self, stream, to, source):
        self.launch(self.move, stream, to, source)

    def puts(self, stream, words, at, value=7):
        self.launch(self.put, stream, words, ctypes.c_uint64(at), ctypes.c_uint64(value))

    def learns(self):
        """The second launch changes nothing, and the third one gets one address twice."""
        for source in self.a, self.a, self.b:
            self.moves(self.one, self.b, source)
        self.puts(self.two, self.c, FAR)
        inner = ctypes.c_void_p(self.a.value + 1024)  # the same allocation
        self.moves(self.two, inner, self.a)

    def learns_in_a_capture(self):
        self.call("StreamBeginCapture_v2", self.one, 2)
        self.learns_once()
        self.call("GraphLaunch", self.captured(self.one), self.one)

    def learns_behind_a_wait(self):
        self.call("StreamWaitValue32_v2", self.one, self.c, 0xFFFFFFFF, 0)
        self.learns_once()
        self.call("StreamWriteValue32_v2", self.two, self.c, 0xFFFFFFFF, 0)

    def learns_once(self):
        self.moves(self.one, self.b, self.a)

    def learns_in_place(self):
        self.moves(self.one, self.b, self.b)

    def gets(self, stream, number, address):
        """A struct with padding in the middle, and an address at the end."""
        struct = (ctypes.c_uint64 * STRUCT)()
        struct[3], struct[STRUCT - 1] = number, address.value
        self.launch(self.nothing, stream, struct)

    def learns_a_struct(self, *paddings):
        self.gets(self.one, self.c.value, self.a)
        for padding in paddings:
            self.gets(self.one, int(padding), self.a)

    # Work of two streams.
    def both_read(self):
        self.moves(self.one, self.b, self.a)
        self.moves(self.two, self.c, self.a)

    def one_writes(self, *order):
        self.moves(self.one, self.b, self.a)
        for _ in order:
            self.order()
        self.moves(self.two, self.c, self.b)

    def in_place(self, *order):
        self.moves(self.one, self.b, self.b)
        for _ in order:
            self.order()
        self.moves(self.two, self.c, self.b)

    def both_write(self, *order):
        self.moves(self.one, self.c, self.a)
        for _ in order:
            self.order()
        self.moves(self.two, self.c, self.b)

    def copied(self, *order):
        self.moves(self.one, self.b, self.a)
        for _ in order:
            self.order()
        self.call("MemcpyAsync", self.c, self.b, ctypes.c_size_t(512), self.two)

    def launched(self, *order):
        self.call("StreamBeginCapture_v2", self.one, 2)
        self.moves(self.one, self.b, self.a)
        self.call("GraphLaunch", self.captured(self.one), self.one)
        for _ in order:
            self.order()
        self.moves(self.two, self.c, self.b)

    def parts(self):
        """Of one array, each stream writes a part."""
        for stream, at in (self.one, FAR), (self.two, 2 * FAR):
            self.puts(stream, self.c, at)

    def padded(self):
        self.gets(self.one, self.b.value, self.a)
        self.call("MemsetD8Async", self.b, 0, ctypes.c_size_t(512), self.two)

    def behind_padding(self):
        self.gets(self.one, 0, self.b)
        self.call("MemsetD8Async", self.b, 0, ctypes.c_size_t(512), self.two)

    def number(self):
        """A number that is the address of another array by chance."""
        self.puts(self.one, self.c, FAR, self.b.value)
        self.call("MemsetD8Async", self.b, 0, ctypes.c_size_t(512), self.two)


class Learn(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "uses"

    def run_here(self, method, *options, order=()):
        options = ("--simulate", "--kernels", os.environ["FILL_KERNELS"], *options)
        ended = run(sys.executable, __file__, method, *order, options=options)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        return ended.stderr

    def learn(self, method="learns"):
        self.run_here(method, "--learn", str(self.file))
        return sorted(self.file.read_text().splitlines())

    def races(self, method, *options, order=()):
        text = self.run_here(method, "--check=kernels", *options, order=order)
        found = re.findall(r"later: (\w+) .*\"(\w+)\".*\n(?: {6}.*\n)*  earlier: (\w+) .*\"(\w+)\"", text)
        self.assertIn(f"check: {len(found)} race", text)
        return found

    def test_what_is_learnt(self):
        learnt = ["r 1 0 move", "u 0 0 put", "w 0 0 move"]
        self.assertEqual(self.learn(), learnt)
        self.assertEqual(self.learn(), learnt)  # a second run has no news

    def test_what_is_known_then(self):
        self.learn()
        kernel = "cuLaunchKernel"
        races = {"one_writes": ("read", kernel, "write", kernel), "both_write": ("write", kernel, "write", kernel),
                 "copied": ("read", "cuMemcpyAsync", "write", kernel), "launched": ("read", kernel, "write", kernel)}
        for method, race in races.items():
            with self.subTest(method):
                self.assertEqual(self.races(method, "--learnt", str(self.file)), [race])
                self.assertEqual(self.races(method), [])  # not known to write
                self.assertEqual(self.races(method, "--learnt", str(self.file), order=("ordered",)), [])
        for method in "both_read", "parts":
            self.assertEqual(self.races(method, "--learnt", str(self.file)), [])

    def test_words_that_never_held_an_address(self):
        self.learn()
        self.assertEqual(self.races("number"), [("write", "cuMemsetD8Async", "access", "cuLaunchKernel")])
        self.assertEqual(self.races("number", "--learnt", str(self.file)), [])

    def test_padding_that_held_an_address(self):
        last, race = f"r 0 {8 * STRUCT - 8} nothing", ("write", "cuMemsetD8Async", "read", "cuLaunchKernel")
        self.assertEqual(self.learn("learns_a_struct"), [last, "r 0 24 nothing"])
        self.assertEqual(self.races("padded", "--learnt", str(self.file)), [race])
        self.run_here("learns_a_struct", "--learn", str(self.file), order=("0",))  # an address may be absent
        self.assertEqual(self.races("padded", "--learnt", str(self.file)), [race])
        self.run_here("learns_a_struct", "--learn", str(self.file), order=(str(1 << 60),))
        self.assertEqual(sorted(self.file.read_text().splitlines()), ["- 0 24 nothing", last, "r 0 24 nothing"])
        self.assertEqual(self.races("padded", "--learnt", str(self.file)), [])
        self.assertEqual(self.races("behind_padding", "--learnt", str(self.file)), [race])

    def test_one_address_in_two_words(self):
        self.assertEqual(self.learn("learns_in_place"), ["s 0 0 move", "s 1 0 move"])
        self.assertEqual(self.races("one_writes", "--learnt", str(self.file)), [])  # which of the two writes is unknown
        race = ("access", "cuLaunchKernel", "write", "cuLaunchKernel")
        self.assertEqual(self.races("in_place", "--learnt", str(self.file)), [race])
        self.assertEqual(self.races("in_place", "--learnt", str(self.file), order=("ordered",)), [])

    def test_when_nothing_can_be_learnt(self):
        for method in "learns_in_a_capture", "learns_behind_a_wait":
            self.assertEqual(self.learn(method), [])
        self.assertEqual(self.learn("learns_once"), ["r 1 0 move", "w 0 0 move"])

    def test_programs_work_as_before(self):
        for program in (("threads", "8"), ("capture",), ("changed",), ("forks", USER), ("kernel", "right"), ("work", "100")):
            with self.subTest(program):
                ended = run(USER, *program, options=("--learn", str(self.file), "--stats", "--log", "--check=kernels"))
                self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
                self.assertNotIn("race on", ended.stderr)

    def test_wrong_options(self):
        for options, text in ((("--learn",), "--learn needs a file"), (("--learnt", str(self.file)), "--learnt needs a file that"),
                              (("--learnt", __file__), "--learnt is for --check=kernels")):
            ended = subprocess.run([COMMAND, "run", *options, "--", "true"], capture_output=True, text=True, check=False)
            self.assertEqual((ended.returncode, text in ended.stderr), (2, True), ended.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in vars(Kernels):
        getattr(Kernels(), sys.argv[1])(*sys.argv[2:])
    else:
        unittest.main()
