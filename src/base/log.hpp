// SPDX-License-Identifier: Apache-2.0
// Messages that cannot be returned to a caller: warnings, and failures in destroy paths.
#pragma once

#include <cstdint>

#include "base/lock.hpp"
#include "base/status.hpp"
#include "base/thread_block.hpp"

namespace gs {

using LogFunction = void (*)(void *arg, int32_t level, const char *text);

// fn == nullptr restores the default: warnings and errors go to stderr, one write each.
void set_log_function(LogFunction fn, void *arg) noexcept;
// Sends it at once, unless the thread has a LaterMessages.
void log_message(int32_t level, const char *format, ...) noexcept GS_PRINTF(2, 3);

// Stands before a lock under which something may be logged, and so outlives it: the thread's messages are kept until the
// outermost one ends. The program's function for messages may call the library, or wait for another thread that does. A message
// for which there is no memory is sent at once.
class LaterMessages {
public:
    LaterMessages() noexcept : thread_(t_block) {
        if (thread_ && !thread_->later)
            thread_->later = this;
        else
            thread_ = nullptr;
    }
    ~LaterMessages() {
        if (thread_) end();
    }
    LaterMessages(const LaterMessages &) = delete;
    LaterMessages &operator=(const LaterMessages &) = delete;

    bool keep(int32_t level, const char *text) noexcept;
    void end() noexcept; // once

private:
    struct Message;
    ThreadBlock *thread_; // nullptr: an outer one keeps them
    Message *first_ = nullptr, **last_ = &first_;
};

Mutex &log_mutex() noexcept; // for core/fork_locks.cpp

} // namespace gs
