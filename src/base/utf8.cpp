// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.hpp"

#include <cstddef>

namespace gs {
namespace {

// The first bytes of a character: how many bytes it has, and which second bytes it allows (RFC 3629, section 4). The
// limits of second bytes exclude overlong forms, surrogates and numbers beyond the last character.
struct Lead {
    unsigned char first, last, length, least_second, greatest_second;
};
constexpr Lead kLeads[] = {
    {0x00, 0x7F, 1, 0, 0},       {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF},
    {0xE1, 0xEC, 3, 0x80, 0xBF}, {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF},
    {0xF0, 0xF0, 4, 0x90, 0xBF}, {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

// Length of the character that begins here, 0 if none does. *out_cut: one may begin, but the text ends within it.
size_t character(const unsigned char *at, bool *out_cut) noexcept {
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

} // namespace

void make_utf8(char *text) noexcept {
    auto *at = reinterpret_cast<unsigned char *>(text);
    while (*at != '\0') {
        if (*at < 0x80) { // nearly always
            ++at;
            continue;
        }
        bool cut = false;
        if (const size_t length = character(at, &cut)) {
            at += length;
        } else if (cut) {
            *at = '\0';
        } else {
            *at++ = '?';
        }
    }
}

} // namespace gs
