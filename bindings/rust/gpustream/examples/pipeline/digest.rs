// SPDX-License-Identifier: Apache-2.0
//! CRC-32 and histogram of a range of bytes, combined from chunks in any order.
//!
//! Polynomials in CRC-32's bit order: bit 31 is the coefficient of x^0. A "raw" CRC starts with 0 and is not inverted
//! at the end; then the CRC of a concatenation is a sum of shifted CRCs.

const POLYNOMIAL: u32 = 0xedb8_8320;
const ONE: u32 = 0x8000_0000;
/// x^8.
const ONE_BYTE: u32 = 0x0080_0000;

/// Layout shared with the kernel: bytes per block of the grid, counters in front of the slices' CRCs.
pub const SLICE: usize = 16384;
pub const BINS: usize = 256;
pub const THREADS: u32 = 128;

const fn times_x(a: u32) -> u32 {
    if a & 1 == 0 { a >> 1 } else { (a >> 1) ^ POLYNOMIAL }
}

/// The contribution of a byte to an empty register.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut value, mut bit) = (byte as u32, 0);
        while bit < 8 {
            value = times_x(value);
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
};

fn multiply(a: u32, mut b: u32) -> u32 {
    let mut product = 0;
    for shift in (0..32).rev() {
        if a >> shift & 1 == 1 {
            product ^= b;
        }
        b = times_x(b);
    }
    product
}

/// x^(8 * bytes): the factor that this many further bytes multiply a raw CRC by.
fn power_of_bytes(mut bytes: u64) -> u32 {
    let (mut result, mut square) = (ONE, ONE_BYTE);
    while bytes != 0 {
        if bytes & 1 == 1 {
            result = multiply(result, square);
        }
        square = multiply(square, square);
        bytes >>= 1;
    }
    result
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    raw: u32,
    bytes: u64,
    histogram: [u64; BINS],
}

impl Default for Digest {
    fn default() -> Self {
        Self { raw: 0, bytes: 0, histogram: [0; BINS] }
    }
}

impl Digest {
    /// The digest of this many bytes, none of them placed yet.
    pub fn of_zeros(bytes: u64) -> Self {
        Self { bytes, ..Self::default() }
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends bytes.
    pub fn update(&mut self, data: &[u8]) {
        for &byte in data {
            self.raw = (self.raw >> 8) ^ TABLE[usize::from(self.raw as u8 ^ byte)];
            self.histogram[usize::from(byte)] += 1;
        }
        self.bytes += data.len() as u64;
    }

    /// Places a chunk's result, as the kernel wrote it, at its offset.
    pub fn place(&mut self, offset: u64, bytes: usize, result: &[u32]) {
        let (bins, slices) = result.split_at(BINS);
        let mut raw = 0;
        for (index, slice) in slices.iter().enumerate() {
            let length = (bytes - index * SLICE).min(SLICE);
            raw = multiply(raw, power_of_bytes(length as u64)) ^ slice;
        }
        // The range is the sum of its chunks, each padded with zeros.
        self.raw ^= multiply(raw, power_of_bytes(self.bytes - offset - bytes as u64));
        for (bin, count) in self.histogram.iter_mut().zip(bins) {
            *bin += u64::from(*count);
        }
    }

    /// The usual CRC starts with all ones and is inverted at the end.
    pub fn crc32(&self) -> u32 {
        self.raw ^ multiply(u32::MAX, power_of_bytes(self.bytes)) ^ u32::MAX
    }
}
