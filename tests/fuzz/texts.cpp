// SPDX-License-Identifier: Apache-2.0
#include "fuzz/texts.hpp"

#include <cstdio>
#include <cstring>

#include "fuzz/harness.hpp"
#include "gpustream.h"

namespace gs::fuzz {
namespace {

// Length of the character that begins here; 0 if it is none (RFC 3629).
size_t character(const unsigned char *at, size_t left) {
    if (at[0] < 0x80) return (at[0] >= 0x20 && at[0] != 0x7F) || at[0] == '\n' || at[0] == '\t' ? 1 : 0;
    const size_t length = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
    if (at[0] < 0xC2 || at[0] > 0xF4 || left < length) return 0;
    for (size_t i = 1; i < length; ++i)
        if ((at[i] & 0xC0) != 0x80) return 0;
    const bool control = at[0] == 0xC2 && at[1] < 0xA0;
    const bool overlong = (at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xF0 && at[1] < 0x90);
    const bool surrogate = at[0] == 0xED && at[1] > 0x9F, beyond = at[0] == 0xF4 && at[1] > 0x8F;
    return control || overlong || surrogate || beyond ? 0 : length;
}

template <size_t N>
std::string checked(const char *function, const char *field, const char (&text)[N]) {
    FUZZ_REQUIRE(std::memchr(text, '\0', N), std::string(function) + ": " + field + " does not end");
    FUZZ_REQUIRE(is_text(text), std::string(function) + ": " + field + ": " + printable(text));
    return text;
}

} // namespace

std::string printable(const std::string &text) {
    std::string out;
    for (const char c : text) {
        char code[8];
        std::snprintf(code, sizeof code, c >= ' ' && c <= '~' && c != '\\' ? "%c" : "\\x%02x",
                      static_cast<unsigned char>(c));
        out += code;
    }
    return "'" + out + "'";
}

bool is_text(const std::string &text) {
    const auto *at = reinterpret_cast<const unsigned char *>(text.data());
    for (size_t i = 0; i < text.size();) {
        const size_t length = character(at + i, text.size() - i);
        if (length == 0) return false;
        i += length;
    }
    return true;
}

void check_error_record(const char *function, int status) {
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    FUZZ_REQUIRE(gs_last_error(&info) == GS_OK, function);
    FUZZ_REQUIRE(info.status == status, std::string(function) + " gave " + gs_status_name(status) +
                                            ", and the record has " + gs_status_name(info.status));
    FUZZ_REQUIRE(checked(function, "function", info.function) == function, info.function);
    FUZZ_REQUIRE(!checked(function, "message", info.message).empty(), function);
    checked(function, "native_function", info.native_function);
    checked(function, "origin", info.origin);
}

} // namespace gs::fuzz
