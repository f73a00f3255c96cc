// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

namespace gs {

std::string decimal(uint64_t number) {
    char digits[20]; // of 2^64
    char *first = digits + sizeof digits;
    do {
        *--first = static_cast<char>('0' + number % 10);
        number /= 10;
    } while (number != 0);
    return std::string(first, digits + sizeof digits);
}

namespace {

// The first bytes of a character: how many bytes it has, and which second bytes it allows (RFC 3629, section 4). The
// limits of second bytes exclude control characters (U+0080 to U+009F), overlong forms, surrogates and numbers beyond the last
// character.
struct Lead {
    unsigned char first, last, length, least_second, greatest_second;
};
constexpr Lead kLeads[] = {
    {0x20, 0x7E, 1, 0, 0},       {0xC2, 0xC2, 2, 0xA0, 0xBF}, {0xC3, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF},
    {0xE1, 0xEC, 3, 0x80, 0xBF}, {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF}, {0xF0, 0xF0, 4, 0x90, 0xBF},
    {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

} // namespace

size_t printable_character(const char *text, Lines lines, bool *out_cut) noexcept {
    const auto *at = reinterpret_cast<const unsigned char *>(text);
    *out_cut = false;
    if (*at == '\n' || *at == '\t') return lines == Lines::Many ? 1 : 0;
    for (const Lead &lead : kLeads) {
        if (*at < lead.first || *at > lead.last) continue;
        for (size_t i = 1; i < lead.length; ++i) {
            *out_cut = at[i] == '\0';
            const unsigned char least = i == 1 ? lead.least_second : 0x80,
                                greatest = i == 1 ? lead.greatest_second : 0xBF;
            if (at[i] < least || at[i] > greatest) return 0;
        }
        return lead.length;
    }
    return 0;
}

void make_printable(char *text, Lines lines) noexcept {
    while (*text != '\0') {
        if (*text >= 0x20 && *text < 0x7F) { // nearly always
            ++text;
            continue;
        }
        bool cut = false;
        if (const size_t length = printable_character(text, lines, &cut)) {
            text += length;
        } else if (cut) {
            *text = '\0';
        } else {
            *text++ = '?';
        }
    }
}

} // namespace gs
