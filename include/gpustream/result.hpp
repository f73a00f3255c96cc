// SPDX-License-Identifier: Apache-2.0
// How functions of the layer report: outcome<T> is T where failures are thrown, and result<T> with GPUSTREAM_NOEXCEPT.
#pragma once

#include <cstdlib>
#include <utility>

#include "error.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// A value or the status of a failure, with the interface of std::expected as far as it needs no exceptions. It is as
/// large as the value and a status: the text is read from the thread's record when error() is called, so call that before
/// the thread's next failure.
template <typename T>
class [[nodiscard]] result {
public:
    using value_type = T;
    result(gs_status_t status, T value) noexcept : value_(std::move(value)), status_(status) {}

    bool has_value() const noexcept { return status_ == GS_OK; }
    explicit operator bool() const noexcept { return has_value(); }
    gpustream::status status() const noexcept {
        return static_cast<gpustream::status>(detail::own_record_of(status_).status);
    }
    gpustream::error error() const noexcept { return gpustream::error(static_cast<gpustream::status>(status_)); }

    /// Ends the process if there is none.
    T &value() & noexcept { return *checked(); }
    const T &value() const & noexcept { return *checked(); }
    T &&value() && noexcept { return std::move(*checked()); }
    template <typename U>
    T value_or(U &&other) && noexcept {
        return has_value() ? std::move(value_) : static_cast<T>(std::forward<U>(other));
    }
    T &operator*() & noexcept { return value_; }
    const T &operator*() const & noexcept { return value_; }
    T &&operator*() && noexcept { return std::move(value_); }
    T *operator->() noexcept { return &value_; }
    const T *operator->() const noexcept { return &value_; }

private:
    T *checked() noexcept {
        if (GPUSTREAM_UNLIKELY(!has_value())) std::abort();
        return &value_;
    }
    const T *checked() const noexcept { return const_cast<result *>(this)->checked(); }

    T value_;
    gs_status_t status_;
};

template <>
class [[nodiscard]] result<void> {
public:
    using value_type = void;
    explicit result(gs_status_t status) noexcept : status_(status) {}

    bool has_value() const noexcept { return status_ == GS_OK; }
    explicit operator bool() const noexcept { return has_value(); }
    gpustream::status status() const noexcept {
        return static_cast<gpustream::status>(detail::own_record_of(status_).status);
    }
    gpustream::error error() const noexcept { return gpustream::error(static_cast<gpustream::status>(status_)); }
    void value() const noexcept {
        if (GPUSTREAM_UNLIKELY(!has_value())) std::abort();
    }

private:
    gs_status_t status_;
};

#if GPUSTREAM_NOEXCEPT
template <typename T>
using outcome = result<T>;

namespace detail {
inline result<void> done(gs_status_t status) noexcept { return result<void>(status); }
template <typename T>
result<T> value(gs_status_t status, T made) noexcept {
    return result<T>(status, std::move(made));
}
} // namespace detail
#else
template <typename T>
using outcome = T;

namespace detail {
[[noreturn]] GPUSTREAM_COLD inline void fail(gs_status_t status) {
    if (status == static_cast<gs_status_t>(wrong_abi)) throw abi_error();
    throw error(static_cast<gpustream::status>(status));
}
inline void done(gs_status_t status) {
    if (GPUSTREAM_UNLIKELY(status != GS_OK)) fail(status);
}
template <typename T>
T value(gs_status_t status, T made) {
    done(status);
    return made;
}
} // namespace detail
#endif

GPUSTREAM_END_NAMESPACE
