/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file
 * Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011) for kernels in
 * CUDA C++ and for C and C++ on the host. It does not include gpustream.h.
 *
 * The numbers are those of cuRAND's curandStatePhilox4_32_10_t and of PyTorch's CUDA kernels: after
 * gs_philox_begin(&state, seed, sequence, offset) the calls of gs_philox_next() return what curand() does after
 * curand_init(seed, sequence, offset, &state). With gs_rng_reserve() a kernel begins with
 *
 *     uint64_t seed = p.seed, offset = p.offset;             // p: the gs_philox_t, an argument of the kernel
 *     if (p.captured) {
 *         seed = *(const uint64_t *)p.seed_address;
 *         offset = *(const uint64_t *)p.offset_address + p.offset_in_graph;
 *     }
 *     gs_philox_begin(&state, seed, thread_of_the_grid, offset);
 */
#ifndef GPUSTREAM_PHILOX_H
#define GPUSTREAM_PHILOX_H

#include <stdint.h>

#ifdef __CUDACC__
#define GS_PHILOX_API static __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define GS_PHILOX_API static inline __attribute__((unused))
#else
#define GS_PHILOX_API static inline
#endif

/** Numbers that one block of the generator has. */
#define GS_PHILOX_BLOCK 4

/** A sequence and how much of it has been drawn. */
typedef struct gs_philox_sequence {
    /** The seed, low half first. */
    uint32_t key[2];
    /** Number of the block, 64 bits, and number of the sequence, 64 bits; low halves first. */
    uint32_t counter[4];
    /** The block with this counter. */
    uint32_t block[4];
    /** How many numbers of it have been drawn, 0 to 3. */
    uint32_t drawn;
} gs_philox_sequence_t;

/** One block: ten rounds of the bijection with this key on the counter. */
GS_PHILOX_API void gs_philox_block(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]) {
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    for (int round = 0; round < 10; ++round) {
        const uint64_t p0 = (uint64_t)0xD2511F53u * c0;
        const uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/** Begins a sequence at a number of 32 bits. The number of the block wraps within the sequence, after 2^66 numbers. */
GS_PHILOX_API void gs_philox_begin(gs_philox_sequence_t *state, uint64_t seed, uint64_t sequence, uint64_t offset) {
    const uint64_t block = offset / GS_PHILOX_BLOCK;
    state->key[0] = (uint32_t)seed;
    state->key[1] = (uint32_t)(seed >> 32);
    state->counter[0] = (uint32_t)block;
    state->counter[1] = (uint32_t)(block >> 32);
    state->counter[2] = (uint32_t)sequence;
    state->counter[3] = (uint32_t)(sequence >> 32);
    state->drawn = (uint32_t)(offset % GS_PHILOX_BLOCK);
    gs_philox_block(state->key, state->counter, state->block);
}

/** The next number of the sequence: 32 uniformly distributed bits. */
GS_PHILOX_API uint32_t gs_philox_next(gs_philox_sequence_t *state) {
    const uint32_t number = state->block[state->drawn++];
    if (state->drawn == GS_PHILOX_BLOCK) {
        state->drawn = 0;
        if (++state->counter[0] == 0) ++state->counter[1];
        gs_philox_block(state->key, state->counter, state->block);
    }
    return number;
}

/** The next number as curand_uniform() has it: above 0, at most 1. */
GS_PHILOX_API float gs_philox_uniform(gs_philox_sequence_t *state) {
    return (float)gs_philox_next(state) * 2.3283064e-10f + 2.3283064e-10f / 2.0f;
}

#endif /* GPUSTREAM_PHILOX_H */
