# SPDX-License-Identifier: Apache-2.0
"""Puts the CRCs of pieces of a file together, for the demonstration.

A "raw" CRC-32 starts at 0 and is not inverted at the end, which makes it linear: raw(a + b) is raw(a) times
x^(8 * len(b)), as polynomials over two elements modulo CRC-32's, plus raw(b).
"""
from __future__ import annotations

import functools

_POLYNOMIAL = 0xEDB88320  # IEEE 802.3, reflected: bit 31 is the coefficient of x^0
_ONE = 0x80000000
_ONE_BYTE = 0x00800000


def _multiply(a: int, b: int) -> int:
    product, bit = 0, _ONE
    while bit:
        if a & bit:
            product ^= b
        b = (b >> 1) ^ _POLYNOMIAL if b & 1 else b >> 1
        bit >>= 1
    return product


@functools.lru_cache(maxsize=64)
def _power(count: int) -> int:
    """x^(8 * count)."""
    result, square = _ONE, _ONE_BYTE
    while count:
        if count & 1:
            result = _multiply(result, square)
        square = _multiply(square, square)
        count >>= 1
    return result


def append(raw: int, more: int, count: int) -> int:
    """The raw CRC of bytes followed by `count` others whose raw CRC is `more`."""
    return _multiply(raw, _power(count)) ^ more


def finish(raw: int, count: int) -> int:
    """zlib.crc32 of `count` bytes with that raw CRC."""
    return _multiply(0xFFFFFFFF, _power(count)) ^ raw ^ 0xFFFFFFFF
