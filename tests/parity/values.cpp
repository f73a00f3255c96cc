// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace parity {
namespace {

template <typename T>
Value field_value(const T &field) {
    Value value;
    if constexpr (std::is_array_v<T>) {
        value.is_text = true;
        value.text = reinterpret_cast<const char *>(field);
    } else {
        value.bits = static_cast<uint64_t>(static_cast<int64_t>(field));
        value.real = static_cast<double>(field);
    }
    return value;
}

#define FIELD(field)                                                                                                   \
    if (name == #field) return field_value(object.field);

Value field_of(const gs_error_info_t &object, const std::string &name) {
    FIELD(struct_size)
    FIELD(status) FIELD(reason) FIELD(backend) FIELD(native_code) FIELD(sticky) FIELD(function) FIELD(native_function)
        FIELD(message) FIELD(origin) throw Failure("gs_error_info_t has no field " + name);
}

Value field_of(const gs_stats_t &object, const std::string &name) {
    FIELD(struct_size)
    FIELD(driver_calls) FIELD(records) FIELD(waits) FIELD(queries) FIELD(synchronizes) FIELD(elided_waits)
        FIELD(elided_queries) FIELD(elided_synchronizes) FIELD(events_created) FIELD(event_pool_hits)
            FIELD(event_pool_misses) FIELD(streams_created) FIELD(stream_pool_hits) FIELD(stream_pool_misses)
                FIELD(notifications) FIELD(reclaim_rounds) throw Failure("gs_stats_t has no field " + name);
}

Value field_of(const gs_device_info_t &object, const std::string &name) {
    FIELD(struct_size)
    FIELD(ordinal) FIELD(backend) FIELD(capability_major) FIELD(capability_minor) FIELD(multiprocessor_count)
        FIELD(warp_size) FIELD(max_threads_per_block) FIELD(priority_least) FIELD(priority_greatest)
            FIELD(total_memory_bytes) FIELD(has_uuid)
                FIELD(name) throw Failure("gs_device_info_t has no field " + name);
}

Value field_of(const gs_stream_triple_t &object, const std::string &name) {
    FIELD(id) FIELD(device_index) FIELD(device_type) throw Failure("gs_stream_triple_t has no field " + name);
}

Value field_of(const gs_inventory_entry_t &object, const std::string &name) {
    FIELD(struct_size)
    FIELD(status) FIELD(nvml_index) FIELD(ordinal) FIELD(is_mig) FIELD(total_memory_bytes) FIELD(uuid)
        FIELD(name) throw Failure("gs_inventory_entry_t has no field " + name);
}

template <typename T>
Value field_in(const Value &value, const std::string &name) {
    T object{};
    if (value.bytes.size() != sizeof object) throw Failure("the value is no struct");
    std::memcpy(&object, value.bytes.data(), sizeof object);
    return field_of(object, name);
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
    const std::string kind = value.struct_name ? value.struct_name : "";
    if (kind == "gs_error_info_t") return field_in<gs_error_info_t>(value, name);
    if (kind == "gs_stats_t") return field_in<gs_stats_t>(value, name);
    if (kind == "gs_device_info_t") return field_in<gs_device_info_t>(value, name);
    if (kind == "gs_inventory_entry_t") return field_in<gs_inventory_entry_t>(value, name);
    if (kind == "gs_stream_triple_t") return field_in<gs_stream_triple_t>(value, name);
    throw Failure("the value has no field " + name);
}

std::string show(const Value &value) {
    if (value.is_text) return "'" + value.text + "'";
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
    const Value expected = expected_value(names, wanted, found);
    require(same(found, expected), what, found, show(expected));
}

} // namespace parity
