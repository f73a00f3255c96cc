// SPDX-License-Identifier: Apache-2.0
// What streams wait for, as text. Async-signal-safe: works without locks, allocations, driver calls and error records.
#pragma once

#include <cstddef>

#include "base/status.hpp"
#include "gpustream.h"
#include "tools/recorder/evidence.hpp"
#include "tools/recorder/text_sink.hpp"

namespace gs::recorder {

// SYSTEM: a write failed.
Status write_dump(int fd) noexcept;
// The same of the process that writes, or wrote, the log file. INVALID_ARGUMENT, SYSTEM, OUT_OF_MEMORY.
Status write_log_file_dump(const char *path, int fd) noexcept;
// All streams of which something is known.
void write_streams(TextSink &out, const Evidence &evidence) noexcept;
// The part of a dump that is about one stream, with a NUL, as much as fits. Returns how many bytes the whole has.
size_t explain_stream(uint64_t stream, char *out, size_t capacity) noexcept;

// When a process says by itself what its streams wait for: at a signal (GPUSTREAM_DUMP_SIGNAL), or once, when a call fails
// (GPUSTREAM_DUMP_ON).

// Only warns if the signal cannot be caught, or the program catches it.
void install_dump_signal() noexcept;

// The function returns that code, STICKY or TIMEOUT. With no lock held. errno stays.
void dump_on_failure(const char *function, gs_status_t code) noexcept __attribute__((cold));

} // namespace gs::recorder
