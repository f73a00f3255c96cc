// SPDX-License-Identifier: Apache-2.0
// Objects as text for the library fmt. Not part of gpustream.hpp: a program that has fmt includes it.
#pragma once

#include <fmt/format.h>

#include "print.hpp"

namespace gpustream::detail {
template <typename T>
struct formatter : fmt::formatter<std::string_view> {
    template <typename Context>
    auto format(const T &value, Context &context) const {
        return fmt::formatter<std::string_view>::format(to_string(value), context);
    }
};
} // namespace gpustream::detail

template <>
struct fmt::formatter<gpustream::device> : gpustream::detail::formatter<gpustream::device> {};
template <>
struct fmt::formatter<gpustream::stream_ref> : gpustream::detail::formatter<gpustream::stream_ref> {};
template <>
struct fmt::formatter<gpustream::stream> : gpustream::detail::formatter<gpustream::stream> {};
template <>
struct fmt::formatter<gpustream::event_ref> : gpustream::detail::formatter<gpustream::event_ref> {};
template <>
struct fmt::formatter<gpustream::event> : gpustream::detail::formatter<gpustream::event> {};
template <>
struct fmt::formatter<gpustream::timed_event> : gpustream::detail::formatter<gpustream::timed_event> {};
template <>
struct fmt::formatter<gpustream::status> : gpustream::detail::formatter<gpustream::status> {};
