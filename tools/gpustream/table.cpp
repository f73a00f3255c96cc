// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <algorithm>
#include <cstdio>

namespace command {

namespace {

// Number of bytes of the UTF-8 character at this place; 0 if there is none. (Overlong forms and surrogates pass.)
size_t utf8_length(const std::string &text, size_t at) {
    const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned first = byte(at);
    size_t length = 0;
    if (first < 0x80)
        length = 1;
    else if (first >= 0xC2 && first < 0xE0)
        length = 2;
    else if (first >= 0xE0 && first < 0xF0)
        length = 3;
    else if (first >= 0xF0 && first < 0xF5)
        length = 4;
    for (size_t i = 1; i < length; ++i)
        if ((byte(at + i) & 0xC0) != 0x80) return 0;
    return length;
}

bool is_control(const std::string &text, size_t at) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    return (byte(at) < 0x20 && text[at] != '\n') || byte(at) == 0x7F ||
           (byte(at) == 0xC2 && at + 1 < text.size() && byte(at + 1) < 0xA0);
}

} // namespace

std::string printable(const std::string &text) {
    std::string clean;
    for (size_t at = 0; at < text.size();) {
        const size_t length = is_control(text, at) ? 0 : utf8_length(text, at);
        if (length == 0)
            clean += '?';
        else
            clean.append(text, at, length);
        at += length == 0 ? 1 : length;
    }
    return clean;
}

std::vector<std::string> table_lines(const std::vector<Row> &rows) {
    std::vector<size_t> widths;
    for (const Row &row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::vector<std::string> lines;
    for (const Row &row : rows) {
        std::string line;
        for (size_t i = 0; i < row.size(); ++i) {
            if (i > 0) line += "  ";
            line += row[i];
            if (i + 1 < row.size()) line.append(widths[i] - row[i].size(), ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        lines.push_back(printable(line) + "\n");
    }
    return lines;
}

std::string wrapped(std::string text, size_t indent, LongWord long_word) {
    std::string lines;
    while (text.size() > kWidth) {
        const size_t first = text.find_first_not_of(' ');
        size_t cut = text.rfind(' ', kWidth);
        if (cut == std::string::npos || cut < first) {
            cut = long_word == LongWord::Break ? kWidth : text.find(' ', kWidth);
            // Not inside a multi-byte character.
            while (cut < text.size() && cut > indent + 1 && (text[cut] & 0xC0) == 0x80) --cut;
        }
        const size_t rest = text.find_first_not_of(' ', cut);
        if (rest == std::string::npos) break;
        lines += text.substr(0, cut) + "\n";
        text = std::string(indent, ' ') + text.substr(rest);
    }
    return printable(lines + text) + "\n";
}

// An environment may contain any bytes and a name may be truncated inside a character, but JSON must be UTF-8.
std::string json_text(const std::string &text) {
    std::string quoted = "\"";
    for (size_t at = 0; at < text.size();) {
        const char c = text[at];
        const size_t length = utf8_length(text, at);
        if (length == 0) {
            quoted += "\\ufffd";
        } else if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
            quoted += escaped;
        } else {
            quoted.append(text, at, length);
        }
        at += length == 0 ? 1 : length;
    }
    return quoted + "\"";
}

JsonObject &JsonObject::add(const char *name, const std::string &json) {
    if (!members_.empty()) members_ += ", ";
    members_ += json_text(name) + ": " + json;
    return *this;
}

std::string json_list(const std::vector<std::string> &elements) {
    std::string text = "[";
    for (const std::string &element : elements) text += (text.size() > 1 ? ", " : "") + element;
    return text + "]";
}

std::string bytes_text(unsigned long long bytes) {
    constexpr const char *kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = static_cast<double>(bytes);
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
    char text[32];
    std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.2f %s", value, kUnits[unit]);
    return text;
}

} // namespace command
