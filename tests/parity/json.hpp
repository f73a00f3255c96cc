// SPDX-License-Identifier: Apache-2.0
// Just enough JSON for cases.json: strict, no comments; escapes of one character and \u00XX only.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parity {

struct Json {
    enum class Type { Null, Boolean, Number, Text, Array, Object };
    Type type = Type::Null;
    bool boolean = false;
    double number = 0;
    std::string text;
    std::vector<Json> items;                           // of an array
    std::vector<std::pair<std::string, Json>> members; // of an object, in the file's order

    bool is(Type wanted) const { return type == wanted; }
    const Json *find(std::string_view name) const {
        for (const auto &[key, value] : members)
            if (key == name) return &value;
        return nullptr;
    }
    const Json &at(std::string_view name) const {
        if (const Json *value = find(name)) return *value;
        throw std::runtime_error("no member '" + std::string(name) + "'");
    }
};

class JsonReader {
public:
    explicit JsonReader(std::string_view text) : text_(text) {}

    Json read() {
        Json value = read_value();
        skip_space();
        if (position_ != text_.size()) fail("text after the end");
        return value;
    }

private:
    [[noreturn]] void fail(const char *what) const {
        throw std::runtime_error("JSON, byte " + std::to_string(position_) + ": " + what);
    }
    void skip_space() {
        while (position_ < text_.size() && std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos)
            ++position_;
    }
    char peek() {
        skip_space();
        if (position_ == text_.size()) fail("unexpected end");
        return text_[position_];
    }
    bool take(char wanted) {
        if (peek() != wanted) return false;
        ++position_;
        return true;
    }
    void expect(char wanted) {
        if (!take(wanted)) fail("unexpected character");
    }
    bool take_word(std::string_view word) {
        if (text_.substr(position_, word.size()) != word) return false;
        position_ += word.size();
        return true;
    }

    Json read_value() {
        Json value;
        switch (peek()) {
        case '{': return read_object();
        case '[': return read_array();
        case '"':
            value.type = Json::Type::Text;
            value.text = read_text();
            return value;
        default: break;
        }
        if (take_word("null")) return value;
        value.type = Json::Type::Boolean;
        if (take_word("false")) return value;
        value.boolean = true;
        if (take_word("true")) return value;
        size_t used = 0;
        value.type = Json::Type::Number;
        try {
            value.number = std::stod(std::string(text_.substr(position_, 40)), &used);
        } catch (const std::exception &) {
            fail("neither a value nor a number");
        }
        position_ += used;
        return value;
    }

    Json read_object() {
        Json value;
        value.type = Json::Type::Object;
        expect('{');
        while (!take('}')) {
            if (!value.members.empty()) expect(',');
            if (peek() != '"') fail("a name is wanted");
            std::string name = read_text();
            expect(':');
            value.members.emplace_back(std::move(name), read_value());
        }
        return value;
    }

    Json read_array() {
        Json value;
        value.type = Json::Type::Array;
        expect('[');
        while (!take(']')) {
            if (!value.items.empty()) expect(',');
            value.items.push_back(read_value());
        }
        return value;
    }

    std::string read_text() {
        std::string out;
        ++position_;
        for (;;) {
            if (position_ == text_.size()) fail("a text does not end");
            char c = text_[position_++];
            if (c == '"') return out;
            if (c == '\\') {
                if (position_ == text_.size()) fail("a text does not end");
                c = text_[position_++];
                if (c == 'n')
                    c = '\n';
                else if (c == 't')
                    c = '\t';
                else if (c == 'u') {
                    c = static_cast<char>(std::stoi(std::string(text_.substr(position_, 4)), nullptr, 16));
                    position_ += 4;
                }
            }
            out += c;
        }
    }

    std::string_view text_;
    size_t position_ = 0;
};

} // namespace parity
