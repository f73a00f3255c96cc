#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pipeline example computes what zlib computes; see pipeline_support.py."""
import os
import random
import re
import zlib

import pipeline_support as support
from pipeline_support import MIB, PipelineTest


class Results(PipelineTest):
    def check(self, content, *arguments, **more):
        path = self.file(content)
        return self.expect_digest(zlib.crc32(content), len(content), path, *arguments, **more)

    def test_sizes_around_a_chunk(self):
        source = random.Random(1).randbytes(5 * 65536 + 1)
        for size in (1, 2, 65535, 65536, 65537, 2 * 65536 - 1, 5 * 65536, 5 * 65536 + 1):
            with self.subTest(size=size):
                self.check(source[:size], "--chunk", "64K")

    def test_sizes_around_a_slice(self):
        source = random.Random(2).randbytes(40000)
        for size in (127, 128, 129, 16383, 16384, 16385, 32768, 32769):
            with self.subTest(size=size):
                self.check(source[:size])

    def test_every_number_of_streams(self):
        content = random.Random(3).randbytes(3 * MIB + 17)
        for streams in (*range(1, 10), 64):
            with self.subTest(streams=streams):
                self.check(content, "--streams", streams, "--chunk", "100000")

    def test_chunks_of_one_byte(self):
        self.check(random.Random(4).randbytes(3000), "--chunk", "1")

    def test_chunk_larger_than_the_file(self):
        self.check(b"abc", "--chunk", "1G")

    def test_equal_bytes(self):
        for byte in (b"\0", b"\xff"):
            self.check(byte * (2 * MIB + 1), "--chunk", "300K")

    def test_nothing_elided(self):
        self.check(random.Random(5).randbytes(MIB), "--chunk", "10K", variables={"GPUSTREAM_ELIDE": "0"})

    def test_table(self):
        content = random.Random(6).randbytes(MIB)
        output = self.check(content, "--chunk", "64K", "--streams", "3").stdout
        rows = {line.split("  ")[0]: line.split() for line in output.splitlines()}
        self.assertEqual(int(rows["copy-in"][1]), MIB)
        self.assertEqual(int(rows["kernel"][1]), MIB)
        # 16 chunks of 4 slices each: 256 bins and 4 CRCs, 4 bytes each.
        self.assertEqual(int(rows["copy-out"][1]), 16 * (256 + 4) * 4)
        self.assertRegex(output, r"(?m)^overlap factor against one stream: \d+\.\d\d$")

    def test_offsets_beyond_4_gib(self):
        if os.environ.get("PIPELINE_TEST_LARGE") == "0":
            self.skipTest("more than 4 GiB take too long in an instrumented build")
        tail = random.Random(7).randbytes(MIB + 3)
        path = self.folder / "sparse"
        with path.open("wb") as file:
            file.truncate(4 << 30)
            file.seek(4 << 30)
            file.write(tail)
        crc = 0
        zeros = bytes(64 * MIB)
        for _ in range(64):
            crc = zlib.crc32(zeros, crc)
        self.expect_digest(zlib.crc32(tail, crc), (4 << 30) + len(tail), path, "--chunk", "16M")


if __name__ == "__main__":
    support.main()
