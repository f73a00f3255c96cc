// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_SYNCS: which callers block threads, how often and how long; and which use the default stream.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/rare_state.hpp"
#include "tools/call_stack.hpp"
#include "tools/recorder/text_sink.hpp"

namespace gs::recorder {

void watch_syncs() noexcept; // once
// A call has blocked (core/hooks/tool_hooks.hpp).
void note_sync(const char *function, uint64_t took_ns) noexcept;
// At that place of a program, which its call stack does not tell from another one: the lines of an interpreter.
void note_sync_at(const std::string &place, const char *function, uint64_t took_ns) noexcept;
// The place, and the functions that have called the library, innermost first.
inline constexpr size_t kCallersBytes = kWholePaths ? 1024 : 256;
void describe_callers(const Frames &frames, char (&out)[kCallersBytes], const std::string &place = {});

// Of the default stream (default_stream.cpp).
void watch_default_stream() noexcept; // once
// The stream is one that work was submitted to, or that waits. Warns once for each caller.
void note_use_of_stream(uint64_t stream) noexcept;
bool warns_of_default_stream() noexcept;
// From a signal handler too.
void write_syncs(TextSink &out) noexcept;

} // namespace gs::recorder
