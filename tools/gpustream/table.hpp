// SPDX-License-Identifier: Apache-2.0
// Text for people and for programs: aligned columns, and JSON.
#pragma once

#include <string>
#include <vector>

namespace command {

using Row = std::vector<std::string>;

// The smallest width of a terminal. The tables fit; a message continues on the next line.
inline constexpr size_t kWidth = 80;

// A terminal obeys control bytes: each becomes '?', as does what is no character. Newlines stay. So it is with all texts below.
std::string printable(const std::string &text);

// A line for each row. Each column is as wide as its widest cell; plain ASCII.
std::vector<std::string> table_lines(const std::vector<Row> &rows);

// Wraps to lines of at most kWidth, those after the first one indented by so many blanks. A longer word is broken, or
// stays whole so that it can be copied.
enum class LongWord { Break, Keep };
std::string wrapped(std::string text, size_t indent, LongWord long_word);

std::string json_text(const std::string &text); // quoted and escaped

// {"name": value, ...} in the order of the calls; the values must be JSON.
class JsonObject {
public:
    JsonObject &add(const char *name, const std::string &json);
    JsonObject &add_text(const char *name, const std::string &text) { return add(name, json_text(text)); }
    template <typename Number>
    JsonObject &add_number(const char *name, Number number) {
        return add(name, std::to_string(number));
    }
    JsonObject &add_flag(const char *name, bool flag) { return add(name, flag ? "true" : "false"); }
    std::string str() const { return "{" + members_ + "}"; }

private:
    std::string members_;
};
std::string json_list(const std::vector<std::string> &elements);

// "1.50 GiB"
std::string bytes_text(unsigned long long bytes);

} // namespace command
