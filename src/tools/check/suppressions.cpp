// SPDX-License-Identifier: Apache-2.0
#include "tools/check/suppressions.hpp"

namespace gs::check {
namespace {

struct Prefix {
    const char *text;
    Suppression::Of of;
};
constexpr Prefix kPrefixes[] = {
    {"label:", Suppression::Of::Label}, {"stream:", Suppression::Of::Stream}, {"stack:", Suppression::Of::Stack}};

// '*' and '?' only: names of C++ functions and labels have brackets and backslashes, which fnmatch() takes for more. After a
// mismatch the last '*' takes one byte more, which is enough: those before it have what they need.
bool matches(const std::string &pattern, const std::string &text) noexcept {
    if (text.empty()) return false;
    size_t at = 0, in = 0, star = std::string::npos, tried = 0;
    while (in < text.size()) {
        if (at < pattern.size() && pattern[at] == '*') {
            star = at++;
            tried = in;
        } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[in])) {
            ++in;
            if (pattern[at++] == '?') // all bytes of a character
                while (in < text.size() && (static_cast<unsigned char>(text[in]) & 0xC0) == 0x80) ++in;
        } else if (star != std::string::npos) {
            at = star + 1;
            in = ++tried;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', at) == std::string::npos;
}

bool matches(const Suppression &one, const RaceSide &side) noexcept {
    if (one.of == Suppression::Of::Label) return matches(one.pattern, side.label);
    if (one.of == Suppression::Of::Stream) return matches(one.pattern, side.stream_name);
    for (const std::string &frame : side.stack)
        if (matches(one.pattern, frame)) return true;
    return false;
}

bool parse_line(std::string line, Suppressions *out) {
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t')) line.pop_back();
    if (line.empty() || line.front() == '#') return true;
    for (const Prefix &prefix : kPrefixes) {
        if (line.rfind(prefix.text, 0) != 0) continue;
        std::string pattern = line.substr(std::char_traits<char>::length(prefix.text));
        if (pattern.empty()) return false;
        out->push_back({prefix.of, std::move(pattern)});
        return true;
    }
    return false;
}

} // namespace

Status parse_suppressions(const std::string &text, Suppressions *out) {
    size_t begin = 0;
    for (int number = 1; begin < text.size(); ++number) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        if (!parse_line(text.substr(begin, end - begin), out))
            return fail(GS_ERROR_INVALID_ARGUMENT,
                        "line %d of the suppressions needs label:, stream: or stack:, and a pattern behind it", number);
        begin = end + 1;
    }
    return kOk;
}

bool is_suppressed(const Suppressions &all, const Race &race) noexcept {
    for (const Suppression &one : all)
        if (matches(one, race.earlier) || matches(one, race.later)) return true;
    return false;
}

} // namespace gs::check
