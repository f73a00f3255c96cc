// SPDX-License-Identifier: Apache-2.0
// The kernel for CUDA. kernels.ptx is made from this file by compile_ptx.py, and embedded into the program.
#include "crc_math.hpp"
#include "kernel_layout.hpp"

using namespace pipeline;

namespace {

__device__ void take(unsigned &crc, unsigned byte, const unsigned *table, unsigned *bins) {
    crc = table[(crc ^ byte) & 0xFFu] ^ (crc >> 8);
    atomicAdd(&bins[byte], 1u);
}

__device__ void take_word(unsigned &crc, unsigned word, const unsigned *table, unsigned *bins) {
    for (int i = 0; i < 4; ++i, word >>= 8) take(crc, word & 0xFFu, table, bins);
}

} // namespace

// Each thread does kBytesPerThread neighbouring bytes, then neighbours are combined pairwise. A short slice is aligned
// to the end of the block: the first threads get fewer bytes or none, as leading zeros leave the CRC as it is.
extern "C" __global__ void crc_and_histogram(const unsigned char *data, unsigned bytes, unsigned *result) {
    __shared__ unsigned table[256];
    __shared__ unsigned bins[kBins];
    __shared__ unsigned parts[kThreadsPerBlock];
    const unsigned me = threadIdx.x;
    for (unsigned i = me; i < 256; i += kThreadsPerBlock) table[i] = table_entry(i);
    for (unsigned i = me; i < kBins; i += kThreadsPerBlock) bins[i] = 0;
    __syncthreads();

    const unsigned begin = blockIdx.x * kSliceBytes;
    const unsigned size = min(bytes - begin, kSliceBytes);
    const unsigned char *slice = data + begin;
    unsigned crc = 0;
    if (size == kSliceBytes) {
        const uint4 *words = reinterpret_cast<const uint4 *>(slice) + me * (kBytesPerThread / sizeof(uint4));
        for (unsigned i = 0; i < kBytesPerThread / sizeof(uint4); ++i) {
            const uint4 four = words[i];
            take_word(crc, four.x, table, bins);
            take_word(crc, four.y, table, bins);
            take_word(crc, four.z, table, bins);
            take_word(crc, four.w, table, bins);
        }
    } else {
        const unsigned behind = (kThreadsPerBlock - 1 - me) * kBytesPerThread;
        const unsigned stop = size > behind ? size - behind : 0;
        const unsigned start = stop > kBytesPerThread ? stop - kBytesPerThread : 0;
        for (unsigned i = start; i < stop; ++i) take(crc, slice[i], table, bins);
    }

    parts[me] = crc;
    constexpr unsigned kNextThread = power_of_bytes(kBytesPerThread);
    unsigned shift = kNextThread;
#pragma unroll 1
    for (unsigned distance = 1; distance < kThreadsPerBlock; distance *= 2) {
        __syncthreads();
        if (me % (2 * distance) == 0) parts[me] = multiply(parts[me], shift) ^ parts[me + distance];
        shift = multiply(shift, shift);
    }
    __syncthreads();
    if (me == 0) result[kBins + blockIdx.x] = parts[0];
    for (unsigned i = me; i < kBins; i += kThreadsPerBlock) {
        if (bins[i] != 0) atomicAdd(&result[i], bins[i]);
    }
}
