// SPDX-License-Identifier: Apache-2.0
#include "collector.hpp"

#include <algorithm>

namespace pipeline {

void Collector::add(const Chunk &chunk, const uint32_t *result, const std::array<Span, kStages> &spans) {
    {
        const std::lock_guard lock(mutex_);
        result_.digest.place(chunk.offset, chunk.bytes, result, total_bytes_);
        const bool first = result_.chunks++ == 0;
        const bool kept = result_.spans.size() + spans.size() <= kMostSpans;
        for (const Span &span : spans) {
            StageTotal &total = result_.stages[static_cast<size_t>(span.stage)];
            total.bytes += span.bytes;
            total.ms += span.duration_ms;
            if (kept) result_.spans.push_back(span);
        }
        const double start = spans[kCopyIn].start_ms;
        const double end = spans[kCopyOut].end_ms();
        result_.first_ms = first ? start : std::min(result_.first_ms, start);
        result_.last_ms = first ? end : std::max(result_.last_ms, end);
    }
    if (progress_ != nullptr) progress_->add(chunk.bytes);
}

} // namespace pipeline
