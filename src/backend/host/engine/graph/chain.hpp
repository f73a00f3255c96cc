// SPDX-License-Identifier: Apache-2.0
// Operations on their way into a stream's queue. Moving them there cannot fail.
#pragma once

#include <utility>

#include "backend/host/engine/stream_queue.hpp"

namespace gs::host {

class Chain {
public:
    Chain() noexcept = default;
    Chain(Chain &&other) noexcept
        : first_(std::exchange(other.first_, nullptr)), last_(std::exchange(other.last_, nullptr)) {}
    Chain &operator=(Chain &&) = delete;
    Chain(const Chain &) = delete;
    Chain &operator=(const Chain &) = delete;
    ~Chain(); // drops what was not moved

    bool empty() const noexcept { return first_ == nullptr; }
    void mark_first() noexcept { first_->first = true; } // of one that is not empty
    // Throws bad_alloc; the caller then still owns what the op refers to.
    void add(const Op &op);
    // With a reference of its own.
    void add_wait(Record &record);
    void add_marker(Record &record, bool timed);
    // Appends all of it to the queue. A stream that was idle has to be started then.
    void move_to(Stream &stream) noexcept GS_REQUIRES(stream.lock);

private:
    Op *first_ = nullptr, *last_ = nullptr;
};

} // namespace gs::host
