# SPDX-License-Identifier: Apache-2.0
"""gpustream run --check: copies and fills of rows, layers and lists access what they name, and not what lies in between."""
import ctypes
import re
import sys
import unittest

from front_support import Program, run

WIDTH, ROWS, PITCH, LAYERS = 64, 4, 256, 2  # the second layer begins 2 * ROWS rows behind the first
BYTES = PITCH * ROWS * 2 * LAYERS
DEVICE, UNIFIED = 2, 4
STREAM_ORDER, DURING_CALL, ANY_ORDER = 1, 2, 3
AT_END = (ROWS - 1) * PITCH + WIDTH - 1  # the last byte of the first layer


def words(*values):
    return (ctypes.c_uint64 * len(values))(*values)


def rows(source, target):
    """A CUDA_MEMCPY2D; both begin in the second row and column of an array that begins ahead of them."""
    side = lambda address: (1, 1, DEVICE, 0, address - PITCH - 1, 0, PITCH)
    return words(*side(source), *side(target), WIDTH, ROWS)


def layers(source, target, kind=UNIFIED):
    side = lambda address: (0, 0, 0, 0, kind, 0, address, 0, 0, PITCH, 2 * ROWS)
    return words(*side(source), *side(target), WIDTH, ROWS, LAYERS)


def operation(source, target):
    """A CUDA_MEMCPY3D_BATCH_OP."""
    side = lambda address: (1, address, PITCH, 2 * ROWS, 0)
    return words(*side(source), *side(target), WIDTH, ROWS, LAYERS, STREAM_ORDER)


class Copies(Program):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.event = self.stream, self.new("StreamCreate", 1), self.new("EventCreate", 2)
        self.source, self.target, self.other = (self.allocated(BYTES + 2 * PITCH) + PITCH for _ in range(3))
        self.host = ctypes.create_string_buffer(2 * PITCH)

    def allocated(self, size):
        return self.new("MemAlloc_v2", ctypes.c_size_t(size)).value

    def order(self, first):
        self.call("EventRecord", self.event, first)
        self.call("StreamWaitEvent", self.two, self.event, 0)

    def fill(self, address, size=1, stream=None):
        self.call("MemsetD8Async", ctypes.c_void_p(address), 1, ctypes.c_size_t(size), stream or self.two)

    def read(self, address, size=1):
        self.call("MemcpyAsync", ctypes.c_void_p(self.other), ctypes.c_void_p(address), ctypes.c_size_t(size), self.two)

    # Each puts the same work in the first stream: rows of the source that become rows of the target.
    def of_rows(self):
        self.call("Memcpy2DAsync_v2", rows(self.source, self.target), self.one)

    def of_layers(self):
        self.call("Memcpy3DAsync_v2", layers(self.source, self.target), self.one)

    def of_peers(self):
        self.call("Memcpy3DPeerAsync", layers(self.source, self.target), self.one)

    def of_lists(self, order=STREAM_ORDER):
        starts = [row * PITCH for row in range(ROWS)]
        attributes = (ctypes.c_int * 12)(STREAM_ORDER, *[0] * 5, order)  # of the first copy, and of the others
        self.call("MemcpyBatchAsync", words(*(self.target + at for at in starts)), words(*(self.source + at for at in starts)),
                  words(*ROWS * [WIDTH]), ctypes.c_size_t(ROWS), attributes, words(0, 1), ctypes.c_size_t(2), None, self.one)

    def of_operations(self):
        self.call("Memcpy3DBatchAsync", ctypes.c_size_t(1), operation(self.source, self.target), None, 0, self.one)

    def fills(self):
        self.call("MemsetD2D8Async", ctypes.c_void_p(self.target), ctypes.c_size_t(PITCH), 1, ctypes.c_size_t(WIDTH), ctypes.c_size_t(ROWS), self.one)

    def fills_words(self):
        self.call("MemsetD2D32Async", ctypes.c_void_p(self.target), ctypes.c_size_t(PITCH), 1, ctypes.c_size_t(WIDTH // 4),
                  ctypes.c_size_t(ROWS), self.one)

    def launched(self):
        self.call("StreamBeginCapture_v2", self.one, 2)
        self.of_rows()
        self.call("GraphLaunch", self.captured(self.one), self.one)

    def at_once(self):
        self.call("Memcpy3D_v2", layers(self.source, self.target))  # between devices' memory: it may go on behind the call

    # Right programs.
    def columns_of_two_streams(self):
        for stream, column in (self.one, 0), (self.two, WIDTH):
            self.call("Memcpy2DAsync_v2", rows(self.source + column, self.target + column), stream)

    def many_rows(self, pitch):
        side = (0, 0, DEVICE, 0, self.allocated(5000 * 32), 0, pitch)
        self.call("Memcpy2DAsync_v2", words(*side, 0, 0, DEVICE, 0, self.allocated(5000 * 32), 0, pitch, 16, 5000), self.one)
        self.fill(side[4])

    def to_the_host(self, name, stream, *arguments):
        self.fill(self.source, stream=stream)
        copy = words(0, 0, DEVICE, 0, self.source, 0, PITCH, 0, 0, 1, ctypes.addressof(self.host), 0, 0, PITCH, WIDTH, 2)
        self.call(name, copy, *arguments)
        self.read(self.source)
        self.call("CtxSynchronize")

    def read_at_once(self, order):
        self.of_lists(order)
        self.fill(self.source + AT_END)

    def written_before(self, order):
        self.fill(self.source + AT_END, stream=self.one)
        self.of_lists(order)


FORMS = {
    "of_rows": "cuMemcpy2DAsync_v2", "of_layers": "cuMemcpy3DAsync_v2", "of_peers": "cuMemcpy3DPeerAsync", "of_lists": "cuMemcpyBatchAsync",
    "of_operations": "cuMemcpy3DBatchAsync", "fills": "cuMemsetD2D8Async", "fills_words": "cuMemsetD2D32Async", "launched": "cuMemcpy2DAsync_v2",
    "at_once": "cuMemcpy3D_v2",
}
HAS_LAYERS = "of_layers", "of_peers", "of_operations"


def right(program):
    """What accesses the same bytes is ordered."""
    for form in FORMS:
        getattr(program, form)()
        for where in program.source, program.target:
            for gap in (-1, WIDTH, PITCH - 1, AT_END + 1):
                program.fill(where + gap)
        program.order(None if form == "at_once" else program.one)
        program.fill(program.target, AT_END + 1)
        program.fill(program.source, AT_END + 1)
        program.call("StreamSynchronize", program.two)
    program.columns_of_two_streams()
    program.call("CtxSynchronize")
    program.many_rows(32)  # too many with gaps: left out
    program.to_the_host("Memcpy2DAsync_v2", program.one, program.one)
    program.to_the_host("Memcpy2D_v2", ctypes.c_void_p(1))  # in the default stream
    program.read_at_once(DURING_CALL)


class CheckCopies(unittest.TestCase):
    def races(self, *arguments):
        ended = run(sys.executable, __file__, *arguments, options=("--check",))
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        found = re.findall(r"race on (\d+) bytes.*\n  later: (\w+) .*\n(?: {6}.*\n)*  earlier: (\w+) of (\d+) bytes at \S+, \"(\w+)\"", ended.stderr)
        self.assertIn(f"check: {len(found)} race", ended.stderr)
        return found

    def test_right_programs(self):
        self.assertEqual(self.races("right"), [])

    def test_what_is_written(self):
        for form, name in FORMS.items():
            with self.subTest(form):
                (race,) = self.races(form, "read", "target", str(AT_END))
                self.assertEqual(race, ("1", "read", "write", str(WIDTH), name))

    def test_what_is_read(self):
        for form, name in FORMS.items():
            if not form.startswith("fills"):
                with self.subTest(form):
                    (race,) = self.races(form, "fill", "source", str(AT_END))
                    self.assertEqual(race, ("1", "write", "read", str(WIDTH), name))

    def test_layers(self):
        for form in HAS_LAYERS:
            with self.subTest(form):
                self.assertEqual(len(self.races(form, "fill", "source", str(2 * ROWS * PITCH + AT_END))), 1)
                self.assertEqual(self.races(form, "fill", "source", str(ROWS * PITCH)), [])  # between the layers

    def test_rows_without_gaps(self):
        self.assertEqual(self.races("many_rows", "16"), [("1", "write", "read", str(16 * 5000), "cuMemcpy2DAsync_v2")])

    def test_sources_that_are_read_in_order(self):
        self.assertEqual(len(self.races("read_at_once", str(STREAM_ORDER))), 1)
        self.assertEqual(self.races("written_before", str(STREAM_ORDER)), [])

    def test_sources_that_are_read_in_any_order(self):
        self.assertEqual(len(self.races("read_at_once", str(ANY_ORDER))), 1)
        for order in DURING_CALL, ANY_ORDER:
            with self.subTest(order):
                self.assertEqual(self.races("written_before", str(order)), [("1", "read", "write", "1", "cuMemsetD8Async")])


def main():
    if len(sys.argv) == 1 or sys.argv[1] == "-v":
        return unittest.main()
    program, name, arguments = Copies(), sys.argv[1], sys.argv[2:]
    if name == "right":
        return right(program)
    if len(arguments) == 1:
        return getattr(program, name)(int(arguments[0]))
    how, where, offset = arguments
    getattr(program, name)()
    getattr(program, how)(getattr(program, where) + int(offset))


if __name__ == "__main__":
    main()
