// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "failure.hpp"

namespace pipeline {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD"; // U+FFFD

// Length of the well-formed UTF-8 sequence at the start of text, 0 if there is none.
size_t utf8_length(std::string_view text) {
    const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const auto follows = [&](size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        const bool overlong = first == 0xE0 && byte(1) < 0xA0;
        const bool surrogate = first == 0xED && byte(1) >= 0xA0;
        return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        const bool overlong = first == 0xF0 && byte(1) < 0x90;
        const bool beyond = first == 0xF4 && byte(1) >= 0x90;
        return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
    }
    return 0;
}

template <class EscapeByte>
std::string escape(std::string_view text, EscapeByte escape_byte) {
    std::string out;
    while (!text.empty()) {
        const size_t length = utf8_length(text);
        if (length == 0) {
            out += kReplacement;
        } else if (length == 1) {
            out += escape_byte(text[0]);
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

} // namespace

std::string format(const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    char *text = nullptr;
    const int length = vasprintf(&text, pattern, arguments);
    va_end(arguments);
    if (length < 0) throw std::bad_alloc();
    std::string result(text, static_cast<size_t>(length));
    free(text);
    return result;
}

std::string xml_escape(std::string_view text) {
    return escape(text, [](char byte) -> std::string {
        switch (byte) {
        case '&': return "&amp;";
        case '<': return "&lt;";
        case '>': return "&gt;";
        case '"': return "&quot;";
        case '\'': return "&#39;";
        default: break;
        }
        // XML 1.0 has no way to write most control characters.
        return static_cast<unsigned char>(byte) < 0x20 ? std::string(kReplacement) : std::string(1, byte);
    });
}

std::string json_escape(std::string_view text) {
    return escape(text, [](char byte) -> std::string {
        if (byte == '"' || byte == '\\') return {'\\', byte};
        if (static_cast<unsigned char>(byte) < 0x20) return format("\\u%04x", static_cast<unsigned>(byte));
        return std::string(1, byte);
    });
}

void write_file(const std::string &path, std::string_view content) {
    const auto fail = [&] { throw Failure(Exit::kFile, "cannot write '" + path + "': " + std::strerror(errno)); };
    std::FILE *file = std::fopen(path.c_str(), "wbe");
    if (file == nullptr) fail();
    const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
    const int reason = errno;
    // What was buffered is written by fclose, which may fail when the disk is full.
    if (std::fclose(file) != 0) fail();
    if (!written) {
        errno = reason;
        fail();
    }
}

} // namespace pipeline
