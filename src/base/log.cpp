// SPDX-License-Identifier: Apache-2.0
#include "base/log.hpp"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "base/mutex.hpp"
#include "base/utf8.hpp"

namespace gs {
namespace {

struct Sink {
    LogFunction fn;
    void *arg;
};

Mutex g_log_mutex;
Sink g_sink GS_GUARDED_BY(g_log_mutex){nullptr, nullptr};

void write_to_stderr(int32_t level, const char *text) noexcept {
    if (level > GS_LOG_WARNING) return;
    char line[640];
    const int length =
        std::snprintf(line, sizeof line, "gpustream: %s: %s\n", level == GS_LOG_ERROR ? "error" : "warning", text);
    const size_t size = std::strlen(line);
    if (length >= static_cast<int>(sizeof line)) line[size - 1] = '\n';
    // One write keeps the lines of several threads whole. A failure cannot be reported anywhere.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line, size);
}

} // namespace

void set_log_function(LogFunction fn, void *arg) noexcept {
    MutexLock lock(g_log_mutex);
    g_sink = {fn, arg};
}

void log_message(int32_t level, const char *format, ...) noexcept {
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    make_utf8(text);
    Sink sink;
    {
        MutexLock lock(g_log_mutex);
        sink = g_sink;
    }
    // Called without the lock, so that the callback may log or replace itself.
    if (sink.fn)
        sink.fn(sink.arg, level, text);
    else
        write_to_stderr(level, text);
}

Mutex &log_mutex() noexcept { return g_log_mutex; }

} // namespace gs
