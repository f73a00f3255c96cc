// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/used_streams.hpp"

#include "tools/recorder/event_log.hpp"

namespace gs::trace {
namespace {

bool is_work(recorder::LogCall call) noexcept {
    using recorder::LogCall;
    return call == LogCall::Submit || call == LogCall::Launch || call == LogCall::HostFunction ||
           call == LogCall::Copy || call == LogCall::Fill;
}

} // namespace

size_t streams_used(const ThreadBlock &thread, UsedStream (&out)[kMostUsed], uint64_t *out_beyond) noexcept {
    size_t count = 0, inside = 0;
    const LogRing *ring = recorder::ring_of_thread(thread);
    if (!ring) return 0;
    ring->newest_first([&](const recorder::LogEntry &entry) noexcept {
        if (entry.call == recorder::LogCall::RangePush && inside-- == 0) return false;
        if (entry.call == recorder::LogCall::RangePop) ++inside;
        if (!is_work(entry.call)) return true;
        size_t i = 0;
        while (i < count && out[i].stream != entry.stream) ++i;
        if (i == kMostUsed) {
            ++*out_beyond;
            return true;
        }
        if (i == count) out[count++].stream = entry.stream;
        out[i].first_ns = entry.time_ns;
        return true;
    });
    return count;
}

} // namespace gs::trace
