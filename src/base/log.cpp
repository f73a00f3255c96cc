// SPDX-License-Identifier: Apache-2.0
#include "base/log.hpp"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>

#include "base/testing.hpp"
#include "base/text.hpp"

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

namespace {

// Without the lock, so that the function may log or replace itself.
void send(int32_t level, const char *text) noexcept {
    Sink sink;
    {
        MutexLock lock(g_log_mutex);
        sink = g_sink;
    }
    if (!sink.fn) return write_to_stderr(level, text);
    GS_CHECK(testing::locks_held() == 0);
    sink.fn(sink.arg, level, text);
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
    make_printable(text);
    const ThreadBlock *thread = t_block;
    if (thread && thread->later && thread->later->keep(level, text)) return;
    send(level, text);
}

struct LaterMessages::Message {
    Message *next = nullptr;
    int32_t level = 0;
    char text[600] = {};
};

bool LaterMessages::keep(int32_t level, const char *text) noexcept {
    auto *message = new (std::nothrow) Message;
    if (!message) return false;
    message->level = level;
    std::snprintf(message->text, sizeof message->text, "%s", text);
    *last_ = message;
    last_ = &message->next;
    return true;
}

void LaterMessages::end() noexcept {
    thread_->later = nullptr;
    if (!first_) return;
    const gs_error_info_t pending = thread_->pending; // of the call, which the function's own calls must leave
    while (Message *message = first_) {
        first_ = message->next;
        send(message->level, message->text);
        delete message;
    }
    thread_->pending = pending;
}

Mutex &log_mutex() noexcept { return g_log_mutex; }

} // namespace gs
