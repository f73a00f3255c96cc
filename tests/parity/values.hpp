// SPDX-License-Identifier: Apache-2.0
// What steps pass around: a number, the bytes of a struct, or a text; and how JSON names and describes them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gpustream.h"
#include "json.hpp"

namespace parity {

struct Value {
    uint64_t bits = 0; // of an integer, a handle or an address; sign-extended
    double real = 0;   // of a double output
    bool is_real = false;
    std::vector<unsigned char> bytes; // of a struct
    const char *struct_name = nullptr;
    std::string text; // of a text
    bool is_text = false;
    std::vector<Value> items; // of an array that came out
    bool is_list = false;
};

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Names {
public:
    explicit Names(const Json &constants) {
        for (const auto &[name, value] : constants.members) constants_[name] = number(value);
    }
    void set(const std::string &name, Value value) { variables_[name] = std::move(value); }
    const Value &get(const std::string &name) const {
        const auto found = variables_.find(name);
        if (found == variables_.end()) throw Failure("no variable '" + name + "'");
        return found->second;
    }

    // A JSON number, "$variable", "GS_CONSTANT", or digits as text for what JSON's numbers cannot hold.
    Value resolve(const Json &json) const {
        Value value;
        if (json.is(Json::Type::Null)) return value;
        if (json.is(Json::Type::Number)) {
            value.bits = number(json);
            value.real = json.number;
            return value;
        }
        if (!json.is(Json::Type::Text)) throw Failure("a number, a name or null is wanted");
        if (json.text.rfind('$', 0) == 0) return get(json.text.substr(1));
        const auto constant = constants_.find(json.text);
        if (constant != constants_.end()) {
            value.bits = constant->second;
            return value;
        }
        if (json.text.rfind("0x", 0) == 0) {
            value.bits = std::stoull(json.text, nullptr, 16);
            return value;
        }
        value.is_text = true;
        value.text = json.text;
        return value;
    }

private:
    static uint64_t number(const Json &json) {
        if (json.is(Json::Type::Text)) return std::stoull(json.text, nullptr, 16);
        return json.number < 0 ? static_cast<uint64_t>(static_cast<int64_t>(json.number))
                               : static_cast<uint64_t>(json.number);
    }

    std::map<std::string, uint64_t> constants_;
    std::map<std::string, Value> variables_;
};

// A field of a struct value as a value of its own.
Value read_field(const Value &value, const std::string &name);
// The bytes of a struct with these members, the others 0; struct_size is set.
std::vector<unsigned char> make_struct(const Names &names, const std::string &struct_name, const Json &members);
// Throws Failure, saying what was found, unless the value is as described: see README.md, "Expected values".
void check_value(const Names &names, const Json &wanted, const Value &found, const std::string &what);
std::string show(const Value &value);

} // namespace parity
