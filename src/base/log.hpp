// SPDX-License-Identifier: Apache-2.0
// Messages that cannot be returned to a caller: warnings, and failures in destroy paths.
#pragma once

#include <cstdint>

#include "base/mutex.hpp"
#include "base/status.hpp"

namespace gs {

using LogFunction = void (*)(void *arg, int32_t level, const char *text);

// fn == nullptr restores the default: warnings and errors go to stderr, one write each.
void set_log_function(LogFunction fn, void *arg) noexcept;
void log_message(int32_t level, const char *format, ...) noexcept GS_PRINTF(2, 3);

Mutex &log_mutex() noexcept; // for core/fork_locks.cpp

} // namespace gs
