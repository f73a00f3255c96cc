// SPDX-License-Identifier: Apache-2.0
#include "chunk_work.hpp"

#include "kernel_layout.hpp"

namespace graphs {
namespace {

using namespace pipeline;

Event make_event() {
    gs_event_t event = nullptr;
    check(gs_event_create(0, &event));
    return Event(event);
}

size_t result_bytes(uint32_t bytes) { return result_words(bytes) * sizeof(uint32_t); }

} // namespace

ChunkWork::ChunkWork(gs_device_t device, const Kernels &kernels, uint32_t most_bytes)
    : kernels_(kernels), stream_(make_stream(device)), side_(make_stream(device)), scope_(stream_.get()),
      forked_(make_event()), joined_(make_event()), host_input_(make_pinned(most_bytes)),
      host_result_(make_pinned(result_bytes(most_bytes))), device_input_(most_bytes, stream_.get()),
      device_result_(result_bytes(most_bytes), stream_.get()) {
    check(gs_stream_synchronize(stream_.get())); // both streams may use the memory from here on
}

ChunkWork::~ChunkWork() { static_cast<void>(gs_stream_synchronize(stream_.get())); }

void ChunkWork::submit(uint32_t bytes) {
    check(gs_event_record(forked_.get(), stream_.get()));
    check(gs_stream_wait_event(side_.get(), forked_.get()));
    check(gs_memset_async(device_result_.get(), 0, kBins * sizeof(uint32_t), side_.get()));
    check(gs_event_record(joined_.get(), side_.get()));

    check(gs_memcpy_async(device_input_.get(), host_input_.get(), bytes, stream_.get()));
    check(gs_stream_wait_event(stream_.get(), joined_.get()));
    kernels_.launch(device_input_.get(), bytes, device_result_.get()); // into the current stream, which is stream_
    check(gs_memcpy_async(host_result_.get(), device_result_.get(), result_bytes(bytes), stream_.get()));
}

} // namespace graphs
