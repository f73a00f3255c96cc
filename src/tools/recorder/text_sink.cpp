// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/text_sink.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.hpp"

namespace gs::recorder {
namespace {

// Of a pipe that others have made non-blocking, as Node.js does with stderr. Its reader may be this very thread, so there is a limit.
bool has_room(int fd) noexcept {
    constexpr int kMostMs = 1000;
    pollfd pipe{fd, POLLOUT, 0};
    const int ready = poll(&pipe, 1, kMostMs);
    return ready > 0 || (ready < 0 && errno == EINTR);
}

} // namespace

void TextSink::put(char one) noexcept {
    if (used_ == sizeof buffer_) flush();
    buffer_[used_++] = one;
    ++bytes_;
}

void TextSink::flush() noexcept {
    if (fd_ < 0) {
        const size_t before = bytes_ - used_;
        if (before < capacity_) std::memcpy(out_ + before, buffer_, std::min(used_, capacity_ - before));
        used_ = 0;
        return;
    }
    for (size_t written = 0; written < used_ && !failed_;) {
        const ssize_t done = ::write(fd_, buffer_ + written, used_ - written);
        if (done > 0)
            written += static_cast<size_t>(done);
        else if (done == 0 || (errno != EINTR && !(errno == EAGAIN && has_room(fd_))))
            failed_ = true;
    }
    used_ = 0;
}

TextSink &TextSink::operator<<(const char *text) noexcept {
    while (*text != '\0') {
        bool cut = false;
        const size_t length = printable_character(text, Lines::Many, &cut);
        for (size_t i = 0; i < length; ++i) put(text[i]);
        if (length == 0) put('?');
        text += length == 0 ? 1 : length;
    }
    return *this;
}

TextSink &TextSink::operator<<(uint64_t number) noexcept {
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = static_cast<char>('0' + number % 10);
        number /= 10;
    } while (number != 0);
    while (count != 0) put(digits[--count]);
    return *this;
}

TextSink &TextSink::hex(uint64_t number) noexcept {
    *this << "0x";
    int shift = 60;
    while (shift != 0 && (number >> shift) == 0) shift -= 4;
    for (; shift >= 0; shift -= 4) put("0123456789abcdef"[number >> shift & 0xF]);
    return *this;
}

TextSink &TextSink::object(const char *kind, uint64_t handle, const NameText &name) noexcept {
    *this << kind << " ";
    hex(handle);
    if (name.text[0] != '\0') *this << " (\"" << name.text << "\")";
    return *this;
}

TextSink &TextSink::thousandths(uint64_t number) noexcept {
    *this << number / 1000 << ".";
    const uint64_t rest = number % 1000;
    put(static_cast<char>('0' + rest / 100));
    put(static_cast<char>('0' + rest / 10 % 10));
    put(static_cast<char>('0' + rest % 10));
    return *this;
}

bool TextSink::finish() noexcept {
    flush();
    if (capacity_ != 0) {
        out_[std::min(bytes_, capacity_ - 1)] = '\0';
        if (bytes_ >= capacity_) make_printable(out_);
    }
    return !failed_;
}

} // namespace gs::recorder
