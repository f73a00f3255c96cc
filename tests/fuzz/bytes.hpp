// SPDX-License-Identifier: Apache-2.0
// An input of a harness, taken apart from the front. Behind its end everything is 0, so that every input means something
// and a shorter one is a simpler one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gs::fuzz {

class Bytes {
public:
    Bytes(const uint8_t *data, size_t size) : data_(data), left_(size) {}

    bool empty() const { return left_ == 0; }
    size_t left() const { return left_; }

    uint8_t byte() {
        if (left_ == 0) return 0;
        --left_;
        return *data_++;
    }
    bool flag() { return (byte() & 1) != 0; }
    uint32_t below(uint32_t limit) { return limit <= 256 ? byte() % limit : static_cast<uint32_t>(word() % limit); }
    uint16_t half() {
        const unsigned low = byte();
        return static_cast<uint16_t>(low | static_cast<unsigned>(byte()) << 8);
    }
    uint64_t word() {
        uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 8) value |= static_cast<uint64_t>(byte()) << shift;
        return value;
    }

    // Up to the next line feed, or to the end.
    std::string line() {
        std::string text;
        while (left_ > 0) {
            const char next = static_cast<char>(byte());
            if (next == '\n') break;
            text += next;
        }
        return text;
    }
    std::string text(size_t most) {
        std::string text;
        while (left_ > 0 && text.size() < most) text += static_cast<char>(byte());
        return text;
    }
    std::string rest() { return text(left_); }

private:
    const uint8_t *data_;
    size_t left_;
};

} // namespace gs::fuzz
