# SPDX-License-Identifier: Apache-2.0
"""Takes a file through a device in chunks and shows how streams overlap.

Each lane is a thread with three streams: copy in, kernel (CRC-32 and byte histogram), copy out. Order comes from events
alone; the same events, timed, give the picture. Each slice's CRC is checked against zlib's.
"""
from __future__ import annotations

import collections
import ctypes
import importlib
import io
import json
import os
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import gpustream
from gpustream import _trace_page

SLICE, BINS, THREADS = 16384, 256, 128  # what the kernel is written for (examples/pipeline/kernel_layout.hpp)
STAGES = ("copy in", "kernel", "copy out")
HERE = Path(__file__).parent

Bar = tuple[int, str, float, float, int]  # row, stage, start ms, end ms, chunk


class _Slot:
    """One chunk in flight: host and device memory for its bytes and for its result, and its events."""

    def __init__(self, chunk_bytes: int, stream: gpustream.Stream) -> None:
        self.result_bytes = 4 * (BINS + -(-chunk_bytes // SLICE))
        self.input, self.output = gpustream._malloc_host(chunk_bytes), gpustream._malloc_host(self.result_bytes)
        self.device_input = gpustream._malloc_async(chunk_bytes, stream)
        self.device_output = gpustream._malloc_async(self.result_bytes, stream)
        self.events = [(gpustream.Event(enable_timing=True), gpustream.Event(enable_timing=True)) for _ in range(3)]
        self.number: int | None = None
        self.size = 0

    def free(self, stream: gpustream.Stream) -> None:
        gpustream._free_async(self.device_input, stream)
        gpustream._free_async(self.device_output, stream)
        stream.synchronize()
        gpustream._free_host(self.input)
        gpustream._free_host(self.output)


class _Lane:
    def __init__(self, run: _Run, index: int) -> None:
        self.run = run
        self.streams = [gpustream.Stream() for _ in range(3)]
        self.slots = [_Slot(run.chunk, self.streams[0]) for _ in range(2)]
        self.index = index
        for stream in self.streams[1:]:
            stream.wait_stream(self.streams[0])  # the memory exists in the first stream's order

    def work(self) -> None:
        with self.streams[1], open(self.run.path, "rb", buffering=0) as file:
            for turn, number in enumerate(self.run.numbers()):
                slot = self.slots[turn % len(self.slots)]
                self.deliver(slot)
                self.submit(slot, number, self.read(file, slot, number))
            for slot in self.slots:
                self.deliver(slot)
        for slot in self.slots:
            slot.free(self.streams[0])

    def read(self, file: io.FileIO, slot: _Slot, number: int) -> int:
        size = min(self.run.chunk, self.run.size - number * self.run.chunk)
        view = memoryview((ctypes.c_char * size).from_address(slot.input)).cast("B")
        file.seek(number * self.run.chunk)
        got = 0
        while got < size:
            step = file.readinto(view[got:])
            if not step:
                raise OSError(f"{self.run.path} became shorter while it was read")
            got += step
        return size

    def submit(self, slot: _Slot, number: int, size: int) -> None:
        copy_in, kernel, copy_out = self.streams
        (in_start, in_end), (kernel_start, kernel_end), (out_start, out_end) = slot.events
        blocks = -(-size // SLICE)
        in_start.record(copy_in)
        gpustream._memcpy_async(slot.device_input, slot.input, size, copy_in)
        in_end.record(copy_in)

        kernel.wait_event(in_end)
        kernel_start.record()  # the lane's current stream
        gpustream._memset_async(slot.device_output, 0, slot.result_bytes)
        self.run.kernel.launch((blocks,), (THREADS,), [ctypes.c_void_p(slot.device_input), ctypes.c_uint32(size),
                                                      ctypes.c_void_p(slot.device_output)])
        kernel_end.record()

        copy_out.wait_event(kernel_end)
        out_start.record(copy_out)
        gpustream._memcpy_async(slot.output, slot.device_output, 4 * (BINS + blocks), copy_out)
        out_end.record(copy_out)
        slot.number, slot.size = number, size

    def deliver(self, slot: _Slot) -> None:
        """Waits for the chunk in the slot and takes its result. Does nothing if the slot is empty."""
        if slot.number is None:
            return
        slot.events[2][1].synchronize()
        blocks = -(-slot.size // SLICE)
        words = struct.unpack(f"={BINS + blocks}I", ctypes.string_at(slot.output, 4 * (BINS + blocks)))
        bars = [(self.index * 3 + row, stage, self.run.zero.elapsed_time(start), self.run.zero.elapsed_time(end), slot.number)
                for row, (stage, (start, end)) in enumerate(zip(STAGES, slot.events))]
        chunk = ctypes.string_at(slot.input, slot.size)
        right = all(crc == _raw_crc(chunk[at * SLICE:(at + 1) * SLICE]) for at, crc in enumerate(words[BINS:]))
        self.run.take(slot.size, words[:BINS], right, bars)
        slot.number = None


def _raw_crc(data: bytes) -> int:
    """The CRC-32 that begins at 0 and is not inverted at the end, as the kernel makes it of each slice."""
    return zlib.crc32(data, 0xFFFFFFFF) ^ 0xFFFFFFFF


def _kernels() -> Path:
    """The file of kernels for the current device's backend."""
    backend = gpustream.current_stream().device.type
    file = next(HERE.glob(f"kernels_{backend}.*"), None)
    if file is None:
        raise FileNotFoundError(f"the demonstration has no kernels for {backend}")
    return file


class _Run:
    def __init__(self, path: Path, lanes: int, chunk: int, progress: Callable[[int], object]) -> None:
        self.path, self.size, self.chunk, self.progress = path, os.path.getsize(path), chunk, progress
        self.lock, self.next, self.seconds = threading.Lock(), 0, 0.0
        self.failures: list[BaseException] = []
        self.histogram = [0] * BINS
        self.right = True
        self.bars: list[Bar] = []
        self.module = gpustream._Module(_kernels())
        self.kernel = self.module.kernel("crc_and_histogram")
        self.zero = gpustream.Event(enable_timing=True)
        self.zero.record()
        self.zero.synchronize()
        self.lanes = [_Lane(self, index) for index in range(lanes)]

    def numbers(self) -> Iterator[int]:
        while True:
            with self.lock:
                if self.failures or self.next * self.chunk >= self.size:
                    return
                number, self.next = self.next, self.next + 1
            yield number

    def take(self, size: int, histogram: Sequence[int], right: bool, bars: list[Bar]) -> None:
        with self.lock:
            self.histogram = [a + b for a, b in zip(self.histogram, histogram)]
            self.right &= right
            self.bars += bars
            self.progress(size)

    def go(self) -> None:
        """Runs all lanes."""

        def lane(one: _Lane) -> None:
            try:
                one.work()
            except BaseException as error:
                self.failures.append(error)

        began = time.perf_counter()
        threads = [threading.Thread(target=lane, args=(one,)) for one in self.lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.failures:
            raise self.failures[0]
        self.seconds = time.perf_counter() - began


def _expected(path: Path) -> tuple[int, list[int]]:
    """CRC-32 and histogram, by one thread and without gpustream."""
    crc = 0
    histogram: collections.Counter[int] = collections.Counter()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            crc = zlib.crc32(block, crc)
            histogram.update(block)
    return crc, [histogram[value] for value in range(BINS)]


def _trace(rows: Sequence[str], bars: Sequence[Bar]) -> dict[str, list[dict[str, object]]]:
    """For trace viewers (Perfetto, chrome://tracing), and for the picture: times in microseconds."""
    events: list[dict[str, object]] = [{"ph": "M", "pid": "demo", "tid": number, "name": "thread_name", "args": {"name": name}} for number, name in enumerate(rows)]
    events += [{"ph": "X", "pid": "demo", "tid": row, "name": f"{stage} of chunk {chunk}", "cat": "gpu_user_annotation", "ts": start * 1e3,
                "dur": (stop - start) * 1e3, "args": {"chunk": chunk}}
               for row, stage, start, stop, chunk in bars]
    return {"traceEvents": events}


def _bar(total: int) -> tuple[Callable[[int], object], Callable[[], object]]:
    try:
        tqdm = importlib.import_module("tqdm").tqdm
    except ImportError:
        print("no progress bar: pip install 'gpustream[demo]' brings tqdm")
        return lambda size: None, lambda: None
    bar = tqdm(total=total, unit="B", unit_scale=True, unit_divisor=1024, desc="pipeline")
    return bar.update, bar.close


def main(path: Path, lanes: int = 2, chunk: int = 4 << 20, timeline: str | None = None) -> int:
    """Runs it. Returns the exit status: 0 right, 1 wrong."""
    update, close = _bar(os.path.getsize(path))
    try:
        run = _Run(path, lanes, chunk, update)
        run.go()
    finally:
        close()
    busy = sum(end - start for _, _, start, end, _ in run.bars)
    wall = max((bar[3] for bar in run.bars), default=0) - min((bar[2] for bar in run.bars), default=0)
    device = gpustream.current_stream().device
    print(f"{device} ({gpustream.get_device_name()}), {3 * lanes} streams in {lanes} threads, chunks of {chunk} bytes")
    print(f"{run.size} bytes in {run.seconds * 1e3:.1f} ms: {run.size / max(run.seconds, 1e-9) / 1e9:.3f} GB/s; "
          f"operations under way on average: {busy / max(wall, 1e-9):.2f}")
    crc, histogram = _expected(path)
    right = run.right and run.histogram == histogram
    print(f"CRC-32 {crc:08x}, histogram of {sum(run.histogram)} bytes: {'as zlib and a plain count have it' if right else 'WRONG'}")
    if timeline:
        trace = _trace([f"lane {lane} {stage}" for lane in range(lanes) for stage in STAGES], run.bars)
        Path(f"{timeline}.svg").write_text(_trace_page.picture(trace), encoding="utf-8")
        Path(f"{timeline}.json").write_text(json.dumps(trace), encoding="utf-8")
        print(f"timeline: {timeline}.svg, {timeline}.json")
    return 0 if right else 1
