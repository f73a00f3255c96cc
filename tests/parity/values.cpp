// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include <algorithm>
#include <cstring>

#include "struct_fields.hpp"

namespace parity {
namespace {

const FieldInfo &field_of(const StructInfo &info, const std::string &name) {
    for (const FieldInfo &field : info.fields)
        if (field.name == name) return field;
    throw Failure("the struct has no field " + name);
}

// The integer of `size` bytes at `from`, sign-extended if it is signed.
uint64_t read_integer(const unsigned char *from, size_t size, bool is_signed) {
    uint64_t bits = 0;
    std::memcpy(&bits, from, size); // little-endian, as every platform of the library
    const unsigned unused = 64 - 8 * static_cast<unsigned>(size);
    if (!is_signed || unused == 0) return bits;
    return static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
}

void require(bool condition, const std::string &what, const Value &found, const std::string &rule) {
    if (!condition) throw Failure(what + " is " + show(found) + ", wanted " + rule);
}

bool same(const Value &left, const Value &right) {
    if (left.is_text || right.is_text) return left.is_text && right.is_text && left.text == right.text;
    if (!left.bytes.empty() || !right.bytes.empty()) return left.bytes == right.bytes;
    if (left.is_real || right.is_real) return left.real == right.real;
    return left.bits == right.bits;
}

// Where a text was found, a text is meant, even if a constant has that name.
Value expected_value(const Names &names, const Json &wanted, const Value &found) {
    if (!found.is_text || !wanted.is(Json::Type::Text) || wanted.text.rfind('$', 0) == 0) return names.resolve(wanted);
    Value expected;
    expected.is_text = true;
    expected.text = wanted.text;
    return expected;
}

double as_real(const Value &value) {
    return value.is_real ? value.real : static_cast<double>(static_cast<int64_t>(value.bits));
}

} // namespace

Value read_field(const Value &value, const std::string &name) {
    const auto info = struct_infos().find(value.struct_name ? value.struct_name : "");
    if (info == struct_infos().end() || value.bytes.size() != info->second.size)
        throw Failure("the value is no struct");
    const FieldInfo &field = field_of(info->second, name);
    const unsigned char *from = value.bytes.data() + field.offset;
    Value result;
    switch (field.kind) {
    case FieldKind::Text:
        result.is_text = true;
        result.text = std::string(reinterpret_cast<const char *>(from),
                                  strnlen(reinterpret_cast<const char *>(from), field.size));
        break;
    case FieldKind::Bytes: result.bytes.assign(from, from + field.size); break;
    case FieldKind::Real:
        result.is_real = true;
        std::memcpy(&result.real, from, sizeof result.real);
        break;
    default: result.bits = read_integer(from, field.size, field.kind == FieldKind::Signed);
    }
    return result;
}

std::vector<unsigned char> make_struct(const Names &names, const std::string &struct_name, const Json &members) {
    const StructInfo &info = struct_infos().at(struct_name);
    std::vector<unsigned char> bytes(info.size);
    const auto size = static_cast<uint32_t>(info.size);
    if (info.sized) std::memcpy(bytes.data(), &size, sizeof size);
    for (const auto &[name, json] : members.members) {
        const FieldInfo &field = field_of(info, name);
        const Value value = names.resolve(json);
        unsigned char *to = bytes.data() + field.offset;
        if (value.is_text)
            std::memcpy(to, value.text.c_str(), std::min(field.size, value.text.size() + 1));
        else if (field.kind == FieldKind::Real)
            std::memcpy(to, &value.real, sizeof value.real);
        else
            std::memcpy(to, &value.bits, std::min(field.size, sizeof value.bits));
    }
    return bytes;
}

std::string show(const Value &value) {
    if (value.is_text) return "'" + value.text + "'";
    if (value.is_list) return "a list of " + std::to_string(value.items.size());
    if (!value.bytes.empty()) return "a struct";
    if (value.is_real) return std::to_string(value.real);
    return std::to_string(static_cast<int64_t>(value.bits));
}

void check_value(const Names &names, const Json &wanted, const Value &found, const std::string &what) {
    if (wanted.is(Json::Type::Object)) {
        for (const auto &[rule, operand] : wanted.members) {
            if (rule == "not")
                require(!same(found, expected_value(names, operand, found)), what, found, "anything else");
            else if (rule == "min")
                require(as_real(found) >= as_real(names.resolve(operand)), what, found,
                        "at least " + show(names.resolve(operand)));
            else if (rule == "max")
                require(as_real(found) <= as_real(names.resolve(operand)), what, found,
                        "at most " + show(names.resolve(operand)));
            else if (rule == "contains")
                require(found.is_text && found.text.find(operand.text) != std::string::npos, what, found,
                        "a text with '" + operand.text + "'");
            else if (rule == "fields")
                for (const auto &[field, inner] : operand.members)
                    check_value(names, inner, read_field(found, field), what + "." + field);
            else
                throw Failure("unknown rule '" + rule + "'");
        }
        return;
    }
    if (found.is_list && wanted.is(Json::Type::Array)) {
        require(wanted.items.size() <= found.items.size(), what, found,
                std::to_string(wanted.items.size()) + " elements");
        for (size_t i = 0; i < wanted.items.size(); ++i)
            check_value(names, wanted.items[i], found.items[i], what + "[" + std::to_string(i) + "]");
        return;
    }
    const Value expected = expected_value(names, wanted, found);
    require(same(found, expected), what, found, show(expected));
}

} // namespace parity
