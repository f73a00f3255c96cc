// SPDX-License-Identifier: Apache-2.0
// Text that is written to a file descriptor from anywhere, also a signal handler: no allocation, no lock, no stdio.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gs::recorder {

class TextSink {
public:
    explicit TextSink(int fd) noexcept : fd_(fd) {}
    TextSink(const TextSink &) = delete;
    TextSink &operator=(const TextSink &) = delete;

    TextSink &operator<<(const char *text) noexcept;
    TextSink &operator<<(uint64_t number) noexcept; // decimal
    TextSink &hex(uint64_t number) noexcept;
    // What it is, its number, and its name in quotation marks if it has one.
    TextSink &object(const char *kind, uint64_t handle) noexcept;
    // Thousandths, as "12.034".
    TextSink &thousandths(uint64_t number) noexcept;
    // Writes what is left. False if a write has failed: what came after it was dropped.
    bool finish() noexcept;

private:
    void put(char one) noexcept;
    void flush() noexcept;

    const int fd_;
    bool failed_ = false;
    size_t used_ = 0;
    char buffer_[512];
};

} // namespace gs::recorder
