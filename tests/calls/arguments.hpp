// SPDX-License-Identifier: Apache-2.0
// What the calls of call_table.cpp pass: storage for outputs, functions that do nothing, structs that go in.
#pragma once

#include <cstdint>

#include "calls/objects.hpp"
#include "support/launches.hpp"

namespace gs::test {

// Storage for an output, of each thread: the table may be gone through by several at once.
template <typename T>
T *output() {
    static thread_local T value{};
    if constexpr (requires { value.struct_size; }) value.struct_size = sizeof value;
    return &value;
}

// Any function that a call takes: it does nothing and returns 0, which is GS_OK.
inline constexpr struct Nothing {
    template <typename R, typename... A>
    using Function = R (*)(A...);
    template <typename R, typename... A>
    operator Function<R, A...>() const { // NOLINT: it stands where a function is wanted
        return [](A...) { return R(); };
    }
} kNothing;

// An input behind a pointer: all zero, of its size.
template <typename T>
const T *specimen(const Objects &) {
    static const T value = [] {
        T zero{};
        if constexpr (requires { zero.struct_size; }) zero.struct_size = sizeof zero;
        return zero;
    }();
    return &value;
}
template <>
inline const gs_stream_triple_t *specimen(const Objects &o) {
    return &o.triple;
}
// A wait ends the lease, so each call gets a token of its own, where one can be made.
template <>
inline const gs_token_t *specimen(const Objects &o) {
    static gs_token_t newest;
    if (gs_token_create(o.stream, &newest) != GS_OK) newest = o.token;
    return &newest;
}
template <>
inline const gs_launch_config_t *specimen(const Objects &) {
    static const gs_launch_config_t config = launch_of(1, 1);
    return &config;
}
template <>
inline const gs_node_params_t *specimen(const Objects &o) {
    thread_local gs_node_params_t fill{};
    fill.struct_size = sizeof fill;
    fill.kind = GS_NODE_MEMSET;
    fill.dst = o.memory;
    fill.bytes = 8;
    return &fill;
}
template <>
inline const uint32_t *specimen(const Objects &) { // a list of numbers
    static const uint32_t one = 1;
    return &one;
}

template <typename Handle>
Handle as_handle(uint64_t bits) {
    return reinterpret_cast<Handle>(bits); // NOLINT: a handle is a number
}

// The result of a function that returns no status.
inline gs_status_t answered(const char *text) { return text ? GS_OK : GS_ERROR_INTERNAL; }
template <typename Number>
gs_status_t answered(Number) {
    return GS_OK;
}

// Of a function that returns 0 or -1: the status behind -1.
inline gs_status_t failed(int32_t result) {
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    if (result == 0 || gs_last_error(&info) != GS_OK) return GS_OK;
    return info.status;
}

} // namespace gs::test
