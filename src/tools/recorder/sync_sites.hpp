// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_SYNCS: which callers block threads, how often and how long; and which use the default stream.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/rare_state.hpp"
#include "tools/recorder/text_sink.hpp"

namespace gs::recorder {

void watch_syncs(bool warn_of_default_stream) noexcept;          // once
void note_sync(const char *function, uint64_t took_ns) noexcept; // a call has blocked (core/hooks/sync_watch.hpp)
// The stream is one that work was submitted to, or that waits. Warns once for each caller.
void note_use_of_stream(uint64_t stream) noexcept;
bool warns_of_default_stream() noexcept;
// From a signal handler too.
void write_syncs(TextSink &out) noexcept;

} // namespace gs::recorder
