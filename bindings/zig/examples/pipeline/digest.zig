// SPDX-License-Identifier: Apache-2.0
//! CRC-32 and histogram of a range of bytes, combined from chunks in any order. Polynomials are in CRC-32's bit order: bit 31
//! is the coefficient of x^0. A raw CRC starts with 0 and is not inverted at the end; then the CRC of a concatenation is a
//! sum of shifted CRCs.
const std = @import("std");

/// Layout shared with the kernel: bytes per block of the grid, counters in front of the slices' CRCs.
pub const slice_bytes = 16384;
pub const bins = 256;
pub const threads_per_block = 128;

const polynomial: u32 = 0xedb88320;
const one: u32 = 0x80000000;
const one_byte: u32 = 0x00800000; // x^8

pub fn slicesOf(bytes: u64) u64 {
    return std.math.divCeil(u64, bytes, slice_bytes) catch unreachable;
}
/// 32-bit words of a chunk's result.
pub fn resultWords(bytes: u64) u64 {
    return bins + slicesOf(bytes);
}

fn timesX(a: u32) u32 {
    return if (a & 1 == 0) a >> 1 else (a >> 1) ^ polynomial;
}

/// The contribution of a byte to an empty register.
const table: [256]u32 = made: {
    @setEvalBranchQuota(10_000);
    var all: [256]u32 = undefined;
    for (&all, 0..) |*entry, byte| {
        entry.* = byte;
        for (0..8) |_| entry.* = timesX(entry.*);
    }
    break :made all;
};

fn multiply(a: u32, b: u32) u32 {
    var product: u32 = 0;
    var shifted = b;
    var mask: u32 = 1 << 31;
    while (mask != 0) : (mask >>= 1) {
        if (a & mask != 0) product ^= shifted;
        shifted = timesX(shifted);
    }
    return product;
}

/// x^(8 * bytes): the factor that this many further bytes multiply a raw CRC by.
fn powerOfBytes(bytes: u64) u32 {
    var power = one;
    var square = one_byte;
    var rest = bytes;
    while (rest != 0) : (rest >>= 1) {
        if (rest & 1 == 1) power = multiply(power, square);
        square = multiply(square, square);
    }
    return power;
}

pub const Digest = struct {
    raw: u32 = 0,
    bytes: u64 = 0,
    histogram: [bins]u64 = @splat(0),

    /// Appends bytes.
    pub fn update(self: *Digest, data: []const u8) void {
        for (data) |byte| {
            self.raw = (self.raw >> 8) ^ table[(self.raw ^ byte) & 255];
            self.histogram[byte] += 1;
        }
        self.bytes += data.len;
    }
    /// Adds a chunk's result, as the kernel wrote it, at its offset in the range.
    pub fn place(self: *Digest, offset: u64, bytes: u64, words: []const u32) void {
        var raw: u32 = 0;
        for (words[bins..], 0..) |crc, i| raw = multiply(raw, powerOfBytes(@min(bytes - i * slice_bytes, slice_bytes))) ^ crc;
        // The range is the sum of its chunks, each padded with zeros.
        self.raw ^= multiply(raw, powerOfBytes(self.bytes - offset - bytes));
        for (&self.histogram, words[0..bins]) |*count, more| count.* += more;
    }
    /// The usual CRC, which starts with all ones and is inverted at the end.
    pub fn crc32(self: *const Digest) u32 {
        return ~(self.raw ^ multiply(0xffffffff, powerOfBytes(self.bytes)));
    }
};
