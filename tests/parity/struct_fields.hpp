// SPDX-License-Identifier: Apache-2.0
// The fields of the header's structs by name; scripts/generator/emit_parity.py writes the table.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "gpustream.h"

namespace parity {

enum class FieldKind { Signed, Unsigned, Real, Text, Bytes };

struct FieldInfo {
    const char *name;
    size_t offset;
    size_t size;
    FieldKind kind;
};

struct StructInfo {
    size_t size;
    bool sized; // begins with struct_size
    std::vector<FieldInfo> fields;
};
const std::map<std::string, StructInfo> &struct_infos();

template <typename T>
constexpr FieldKind field_kind() {
    if constexpr (std::is_array_v<T>)
        return std::is_same_v<std::remove_extent_t<T>, char> ? FieldKind::Text : FieldKind::Bytes;
    else if constexpr (std::is_floating_point_v<T>)
        return FieldKind::Real;
    else if constexpr (std::is_integral_v<T>)
        return std::is_signed_v<T> ? FieldKind::Signed : FieldKind::Unsigned;
    else
        return FieldKind::Unsigned; // a handle or an address
}

#define GS_FIELD(type, field)                                                                                          \
    FieldInfo { #field, offsetof(type, field), sizeof(type::field), field_kind<decltype(type::field)>() }

} // namespace parity
