// SPDX-License-Identifier: Apache-2.0
// Size-prefixed structs across the ABI: an older caller gets fewer fields, a newer caller gets zeros for the fields
// that this version does not know.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/status.hpp"

namespace gs {

inline constexpr uint32_t kSmallestStruct = 8;       // struct_size and one other word
inline constexpr uint32_t kLargestStruct = 1u << 16; // a larger size means that struct_size was not set

inline Status check_struct_size(uint32_t size) noexcept {
    if (size >= kSmallestStruct && size <= kLargestStruct) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "struct_size is %u; set it to sizeof the struct before the call", size);
}

inline Status write_known_part(void *out, uint32_t size, const void *value, size_t value_size) noexcept {
    GS_TRY(check_struct_size(size));
    const size_t known = std::min<size_t>(size, value_size);
    std::memcpy(out, value, known);
    std::memset(static_cast<char *>(out) + known, 0, size - known);
    std::memcpy(out, &size, sizeof size); // the first field
    return kOk;
}

// value: by value, so that a struct whose fields are in registers is stored from there.
template <typename T>
[[gnu::always_inline]] inline Status write_sized(T *out, T value) noexcept {
    const uint32_t size = out->struct_size;
    if (size == sizeof(T)) {
        value.struct_size = size;
        *out = value;
        return kOk;
    }
    const T copy = value; // a value that has an address is in memory
    return write_known_part(out, size, &copy, sizeof copy);
}

// Copies a caller's struct. Fields that the caller does not know become zero. Fields that we do not know must be
// zero.
template <typename T>
Status read_sized(const T *in, T *out) noexcept {
    uint32_t size = 0;
    std::memcpy(&size, in, sizeof size); // an older version of the struct may have been aligned less
    if (size == sizeof(T)) {
        *out = *in;
        return kOk;
    }
    GS_TRY(check_struct_size(size));
    // Every version of the struct ends at a word. Half a pointer must not be used.
    if (size % alignof(T) != 0)
        return fail(GS_ERROR_INVALID_ARGUMENT, "struct_size is %u, which no version of the struct has", size);
    const size_t known = std::min<size_t>(size, sizeof(T));
    const auto *bytes = reinterpret_cast<const unsigned char *>(in);
    for (size_t i = known; i < size; ++i)
        if (bytes[i] != 0)
            return fail(GS_ERROR_INVALID_ARGUMENT,
                        "byte %zu of the struct is set, but this version knows only %zu bytes", i, sizeof(T));
    *out = T{};
    std::memcpy(out, in, known);
    out->struct_size = sizeof(T);
    return kOk;
}

} // namespace gs
