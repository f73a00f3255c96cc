// SPDX-License-Identifier: Apache-2.0
// gpustream_philox.h in kernels, for philox.py: compiled by nvcc as a shared object. Functions return the runtime's status.
#include "gpustream.h"
#include "gpustream_philox.h"

#include <cuda_runtime.h>
#include <curand_kernel.h>

struct Begin {
    uint64_t seed, sequence, offset;
};

namespace {

constexpr int threads = 256;

// Each thread draws from one beginning with both generators: numbers first, uniform ones behind them.
__global__ void both(const Begin *begins, int count, int draws, uint32_t *differing) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    curandStatePhilox4_32_10_t theirs;
    curand_init(begins[i].seed, begins[i].sequence, begins[i].offset, &theirs);
    gs_philox_sequence_t ours;
    gs_philox_begin(&ours, begins[i].seed, begins[i].sequence, begins[i].offset);
    uint32_t wrong = 0;
    for (int n = 0; n < draws; ++n) wrong += gs_philox_next(&ours) != curand(&theirs);
    for (int n = 0; n < draws; ++n) wrong += gs_philox_uniform(&ours) != curand_uniform(&theirs);
    if (wrong != 0) atomicAdd(differing, wrong);
}

// The numbers of the header alone, which the host compares with its own.
__global__ void numbers(const Begin *begins, int count, int draws, uint32_t *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    gs_philox_sequence_t state;
    gs_philox_begin(&state, begins[i].seed, begins[i].sequence, begins[i].offset);
    for (int n = 0; n < draws; ++n) out[i * draws + n] = gs_philox_next(&state);
}

// What the documentation of the header shows: the first uniform number of each thread.
__global__ void first(gs_philox_t p, int count, float *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    uint64_t seed = p.seed, offset = p.offset;
    if (p.captured) {
        seed = *(const uint64_t *)p.seed_address;
        offset = *(const uint64_t *)p.offset_address + p.offset_in_graph;
    }
    gs_philox_sequence_t state;
    gs_philox_begin(&state, seed, i, offset);
    out[i] = gs_philox_uniform(&state);
}

int blocks(int count) { return (count + threads - 1) / threads; }

} // namespace

extern "C" {

// How many of 2 * draws numbers for each beginning differ from cuRAND's.
int philox_beside_curand(const Begin *begins, int count, int draws, uint32_t *out_differing) {
    Begin *there = nullptr;
    uint32_t *differing = nullptr;
    cudaError_t failed = cudaMalloc(&there, count * sizeof(Begin));
    if (failed == cudaSuccess) failed = cudaMalloc(&differing, sizeof *differing);
    if (failed == cudaSuccess) failed = cudaMemcpy(there, begins, count * sizeof(Begin), cudaMemcpyHostToDevice);
    if (failed == cudaSuccess) failed = cudaMemset(differing, 0, sizeof *differing);
    if (failed == cudaSuccess) {
        both<<<blocks(count), threads>>>(there, count, draws, differing);
        failed = cudaGetLastError();
    }
    if (failed == cudaSuccess) failed = cudaMemcpy(out_differing, differing, sizeof *differing, cudaMemcpyDeviceToHost);
    cudaFree(there);
    cudaFree(differing);
    return failed;
}

// The same header on the device and, as nvcc's host compiler sees it, on the host.
int philox_beside_host(const Begin *begins, int count, int draws, uint32_t *out_differing) {
    Begin *there = nullptr;
    uint32_t *out = nullptr;
    const size_t size = size_t(count) * draws * sizeof *out;
    cudaError_t failed = cudaMalloc(&there, count * sizeof(Begin));
    if (failed == cudaSuccess) failed = cudaMallocManaged(&out, size);
    if (failed == cudaSuccess) failed = cudaMemcpy(there, begins, count * sizeof(Begin), cudaMemcpyHostToDevice);
    if (failed == cudaSuccess) {
        numbers<<<blocks(count), threads>>>(there, count, draws, out);
        failed = cudaDeviceSynchronize();
    }
    *out_differing = 0;
    for (int i = 0; failed == cudaSuccess && i < count; ++i) {
        gs_philox_sequence_t state;
        gs_philox_begin(&state, begins[i].seed, begins[i].sequence, begins[i].offset);
        for (int n = 0; n < draws; ++n) *out_differing += gs_philox_next(&state) != out[size_t(i) * draws + n];
    }
    cudaFree(there);
    cudaFree(out);
    return failed;
}

// Submits to a stream, captured or not: out is the device's.
int philox_first(const gs_philox_t *reserved, int count, float *out, cudaStream_t stream) {
    first<<<blocks(count), threads, 0, stream>>>(*reserved, count, out);
    return cudaGetLastError();
}
}
