// SPDX-License-Identifier: Apache-2.0
// Functions of C made from the C++ layer: what it throws or returns as a status, what it hands out as an output. The
// file is compiled with exceptions and with GPUSTREAM_NOEXCEPT.
#pragma once

#include <gpustream.hpp>

#define LAYER(name, ...) extern "C" __attribute__((visibility("default"))) gs_status_t layer_##name(__VA_ARGS__)

namespace layer {

using namespace gpustream;

inline int32_t in_c(bool value) { return value ? 1 : 0; }
inline gs_device_t in_c(device value) { return value.get(); }
template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
T in_c(T value) {
    return value;
}
template <typename T, typename = std::enable_if_t<std::is_enum_v<T>>>
auto in_c(T value) {
    return static_cast<std::underlying_type_t<T>>(value);
}
template <typename Handle>
Handle in_c(const gpustream::detail::reference<Handle> &borrowed) {
    return borrowed.get();
}
template <typename Ref, typename Handle, gs_status_t (*destroy)(Handle)>
Handle in_c(gpustream::detail::owner<Ref, Handle, destroy> &&owned) {
    return owned.release();
}

// What a call of the layer comes to; `store` takes its value.
template <typename Work, typename Store>
gs_status_t status_of(Work work, Store store) {
#if GPUSTREAM_NOEXCEPT
    auto found = work();
    if (!found) return static_cast<gs_status_t>(found.status());
    if constexpr (!std::is_void_v<typename decltype(found)::value_type>) store(*std::move(found));
#else
    try {
        if constexpr (std::is_void_v<decltype(work())>)
            work();
        else
            store(work());
    } catch (const error &failure) {
        return static_cast<gs_status_t>(failure.status());
    }
#endif
    return GS_OK;
}

template <typename Work>
gs_status_t status_of(Work work) {
    return status_of(work, [](auto &&) {});
}

template <typename Out, typename Work>
gs_status_t give(Out *out, Work work) {
    *out = Out{};
    return status_of(work,
                     [out](auto &&value) { *out = static_cast<Out>(in_c(std::forward<decltype(value)>(value))); });
}

// A struct whose size the caller set: the layer has the size of its own header.
template <typename Out, typename Work>
gs_status_t give_struct(Out *out, Work work) {
    return status_of(work, [out](const Out &value) { *out = value; });
}

} // namespace layer

// The layer has no way to leave an output out: C answers instead.
#define OR_C(out, name, ...)                                                                                           \
    if (!(out)) return name(__VA_ARGS__)
