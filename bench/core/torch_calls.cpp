// SPDX-License-Identifier: Apache-2.0
// PyTorch's C++ classes: c10::cuda::CUDAStream and at::cuda::CUDAEvent. Its pool hands out the same 32 driver streams
// in turn, so "stream create + destroy" yields a shared stream.
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "suite.hpp"

namespace bench {
namespace {

using at::cuda::CUDAEvent;
using c10::cuda::CUDAStream;
using c10::cuda::getStreamFromPool;

void record(benchmark::State &state) {
    CUDAStream stream = getStreamFromPool();
    CUDAEvent event;
    for (auto _ : state) event.record(stream);
}

void wait_other(benchmark::State &state) {
    CUDAStream stream = getStreamFromPool();
    CUDAStream other = getStreamFromPool();
    CUDAEvent event;
    event.record(other);
    other.synchronize();
    for (auto _ : state) event.block(stream);
}

void wait_same(benchmark::State &state) {
    CUDAStream stream = getStreamFromPool();
    CUDAEvent event;
    event.record(stream);
    for (auto _ : state) event.block(stream);
}

void query_complete(benchmark::State &state) {
    CUDAStream stream = getStreamFromPool();
    CUDAEvent event;
    event.record(stream);
    event.synchronize();
    for (auto _ : state) benchmark::DoNotOptimize(event.query());
}

void stream_query(benchmark::State &state) {
    CUDAStream stream = getStreamFromPool();
    for (auto _ : state) benchmark::DoNotOptimize(stream.query());
}

void wait_stream(benchmark::State &state) {
    CUDAStream stream = getStreamFromPool();
    CUDAStream other = getStreamFromPool();
    for (auto _ : state) {
        CUDAEvent event; // as torch.cuda.Stream.wait_stream creates one
        event.record(other);
        event.block(stream);
    }
}

void event_life(benchmark::State &state) {
    CUDAStream stream = getStreamFromPool();
    for (auto _ : state) {
        CUDAEvent event;
        event.record(stream);
    }
}

void stream_create_destroy(benchmark::State &state) {
    for (auto _ : state) benchmark::DoNotOptimize(getStreamFromPool());
}

void stream_life(benchmark::State &state) {
    CUDAEvent event;
    for (auto _ : state) event.record(getStreamFromPool());
}

void current_stream(benchmark::State &state) {
    for (auto _ : state) benchmark::DoNotOptimize(c10::cuda::getCurrentCUDAStream());
}

void push_pop(benchmark::State &state) {
    CUDAStream stream = getStreamFromPool();
    for (auto _ : state) {
        c10::cuda::CUDAStreamGuard guard(stream);
        benchmark::DoNotOptimize(guard);
    }
}

} // namespace

const char *add_torch() {
    if (c10::cuda::device_count() == 0) return "PyTorch sees no device";
    add("event record", "torch", State::Idle, record);
    add("wait, other stream", "torch", State::Idle, wait_other);
    add("wait, complete event", "torch", State::Idle, wait_other);
    add("wait, same stream", "torch", State::Idle, wait_same);
    add("query complete event", "torch", State::Idle, query_complete);
    add("stream query", "torch", State::Idle, stream_query);
    add("wait_stream", "torch", State::Idle, wait_stream);
    add("event create, record, destroy", "torch", State::Idle, event_life);
    add("stream create + destroy", "torch", State::Idle, stream_create_destroy);
    add("stream create, record, destroy", "torch", State::Idle, stream_life);
    add("current stream", "torch", State::Idle, current_stream);
    add("current stream push + pop", "torch", State::Idle, push_pop);
    return nullptr;
}

} // namespace bench
