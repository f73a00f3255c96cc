// SPDX-License-Identifier: Apache-2.0
// The default streams of threads: for each (thread, device) one blocking stream.
#pragma once

#include <atomic>
#include <cstdint>

#include "backend/host/engine/stream_queue.hpp"
#include "base/thread_block.hpp"

namespace gs::host {

// Used by its thread alone: ids are unique among live threads, and a block changes hands under a lock.
struct PerThreadStreams {
    Stream **by_device = nullptr; // one entry per device of the engine
};

class PerThreadTable {
public:
    // nullptr when memory is out.
    PerThreadStreams *of(const ThreadBlock &thread, bool create) noexcept;

private:
    static constexpr uint32_t kChunk = 64;
    static constexpr uint32_t kChunks = 4096; // 262144 threads at a time
    std::atomic<PerThreadStreams *> chunks_[kChunks] = {};
};

} // namespace gs::host
