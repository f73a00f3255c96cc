// SPDX-License-Identifier: Apache-2.0
// Failures: what gs_last_error() says, as an object that keeps it.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "abi.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// The C name of a status, "GS_OK" for example; "GPUSTREAM_WRONG_ABI".
inline std::string_view name(status value) noexcept {
    return value == wrong_abi ? "GPUSTREAM_WRONG_ABI" : gs_status_name(static_cast<gs_status_t>(value));
}
inline std::string_view message(status value) noexcept {
    return value == wrong_abi ? "the loaded library has another ABI version than the header"
                              : gs_status_message(static_cast<gs_status_t>(value));
}

namespace detail {
/// Failures of this layer alone, of which the library has no record. Negative as wrong_abi, until a caller sees them.
inline constexpr gs_status_t no_memory = -2;
inline constexpr gs_status_t too_many_bytes = -3;
inline constexpr gs_status_t no_streams = -4;
inline constexpr gs_status_t allocation_captured = -5;

struct own_record {
    gs_status_t status;
    std::string_view text;
};
constexpr own_record own_record_of(gs_status_t failed) noexcept {
    switch (failed) {
    case no_memory: return {GS_ERROR_OUT_OF_MEMORY, "no memory for what gpustream.hpp itself has to keep"};
    case too_many_bytes: return {GS_ERROR_INVALID_ARGUMENT, "the copy has more bytes than the buffer"};
    case no_streams: return {GS_ERROR_INVALID_ARGUMENT, "size is 0: a pool of streams has at least one"};
    case allocation_captured:
        return {GS_ERROR_CAPTURING, "the stream that the buffer was allocated in is being captured, and the first "
                                    "use in another stream waits for it: use the buffer there before the capture"};
    default: return {failed, {}};
    }
}
} // namespace detail

/// The record of one failure: a copy of gs_error_info_t, so it outlives later failures of the thread. Never throws; the
/// views are of texts inside the object.
class error : public std::exception {
public:
    /// What the calling thread's last failure left, if that was `failed`. A failure of this layer has a text of its own,
    /// and a status without a record that of the status; that of wrong_abi names the library's file and both versions.
    explicit error(gpustream::status failed) noexcept {
        info_.struct_size = sizeof info_;
        const detail::own_record own = detail::own_record_of(static_cast<gs_status_t>(failed));
        const gs_status_t wanted = own.status;
        if (!own.text.empty()) {
            info_.status = wanted;
            info_.device = detail::device_none;
            append(info_.message, sizeof info_.message, own.text);
        } else if (failed == wrong_abi) {
            // The record is that of a library which may not be asked for it.
            info_.status = wanted;
            info_.device = detail::device_none;
            detail::describe_abi(info_.message, sizeof info_.message, detail::library_file(), gs_abi_version());
        } else if (gs_last_error(&info_) != GS_OK || info_.status != wanted) {
            info_ = gs_error_info_t{};
            info_.struct_size = sizeof info_;
            info_.device = detail::device_none;
            info_.status = wanted;
            append(info_.message, sizeof info_.message, gpustream::message(failed));
        }
        describe();
    }

    /// "gs_stream_synchronize: GS_ERROR_STICKY: ... (cuStreamSynchronize); first seen: ..."
    const char *what() const noexcept override { return text_; }

    gpustream::status status() const noexcept { return static_cast<gpustream::status>(info_.status); }
    gpustream::reason reason() const noexcept { return static_cast<gpustream::reason>(info_.reason); }
    gpustream::backend backend() const noexcept { return static_cast<gpustream::backend>(info_.backend); }
    /// The driver's code (a CUresult), or errno beside status::system; 0 if there is none.
    int native_code() const noexcept { return info_.native_code; }
    /// Whether the device has become unusable in this process.
    bool is_sticky() const noexcept { return info_.sticky != 0; }
    std::string_view function() const noexcept { return info_.function; }
    std::string_view native_function() const noexcept { return info_.native_function; }
    std::string_view message() const noexcept { return info_.message; }
    /// Where a sticky error was seen first; else empty.
    std::string_view origin() const noexcept { return info_.origin; }
    /// The stream that the failed call was given; NULL if none. It may have ended since.
    gs_stream_t stream() const noexcept { return info_.stream; }
    /// The event that the failed call was given; NULL if none.
    gs_event_t event() const noexcept { return info_.event; }
    /// The device that the failed call was given, else that of its stream or event; GS_DEVICE_NONE if none.
    gs_device_t device() const noexcept { return info_.device; }
    const gs_error_info_t &info() const noexcept { return info_; }

private:
    static void append(char *text, size_t capacity, std::string_view more) noexcept {
        size_t used = 0;
        while (text[used] != '\0') ++used;
        const size_t room = capacity - 1 - used;
        const size_t taken = more.copy(text + used, more.size() < room ? more.size() : room);
        text[used + taken] = '\0';
    }
    void add(std::string_view more) noexcept { append(text_, sizeof text_, more); }
    // Messages begin with the function too.
    std::string_view happened() const noexcept {
        const std::string_view text = message();
        const size_t length = function().size();
        const bool named = length != 0 && text.substr(0, length) == function() && text.substr(length, 2) == ": ";
        return named ? text.substr(length + 2) : text;
    }
    void describe() noexcept {
        if (!function().empty()) add(function()), add(": ");
        add(name(status()));
        if (!message().empty()) add(": "), add(happened());
        if (!native_function().empty()) add(" ("), add(native_function()), add(")");
        if (!origin().empty()) add("; first seen: "), add(origin());
    }

    gs_error_info_t info_{};
    char text_[sizeof(gs_error_info_t) + 128] = "";
};

/// What is thrown where a call fails with wrong_abi.
class abi_error final : public error {
public:
    abi_error() noexcept : error(wrong_abi) {}
};

inline std::string native_error_text(backend which, int native_code) {
    return gs_native_error_text(static_cast<gs_backend_t>(which), native_code);
}

GPUSTREAM_END_NAMESPACE
