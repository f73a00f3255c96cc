// SPDX-License-Identifier: Apache-2.0
// Text that is written from anywhere, also a signal handler: no allocation, no lock, no stdio. It goes to a file descriptor
// or, as much as fits, to memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/names.hpp"

namespace gs::recorder {

class TextSink {
public:
    explicit TextSink(int fd) noexcept : fd_(fd) {}
    TextSink(char *out, size_t capacity) noexcept : out_(out), capacity_(capacity) {}
    TextSink(const TextSink &) = delete;
    TextSink &operator=(const TextSink &) = delete;

    TextSink &operator<<(const char *text) noexcept;
    TextSink &operator<<(uint64_t number) noexcept; // decimal
    TextSink &hex(uint64_t number) noexcept;
    // What it is, its number, and its name in quotation marks if it has one.
    TextSink &object(const char *kind, uint64_t handle, const NameText &name) noexcept;
    // Thousandths, as "12.034".
    TextSink &thousandths(uint64_t number) noexcept;
    // Writes what is left, in memory with a NUL behind it, between characters. False if a write has failed: what came after
    // it was dropped.
    bool finish() noexcept;
    size_t bytes() const noexcept { return bytes_; } // of the whole text, without a NUL

private:
    void put(char one) noexcept;
    void flush() noexcept;

    const int fd_ = -1;
    char *const out_ = nullptr;
    const size_t capacity_ = 0;
    size_t bytes_ = 0;
    bool failed_ = false;
    size_t used_ = 0;
    char buffer_[512];
};

} // namespace gs::recorder
