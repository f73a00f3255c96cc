// SPDX-License-Identifier: Apache-2.0
// Status: the only error channel inside the library. The code is returned by value. Its detail (native code, names,
// text) stays in the calling thread's pending record until the API boundary commits it (see commit_error()).
#pragma once

#include "gpustream.h"

namespace gs {

struct [[nodiscard]] Status {
    gs_status_t code = GS_OK;

    constexpr bool ok() const noexcept { return code == GS_OK; }
    // For the few places that deliberately drop a failure (destroy paths log it instead).
    constexpr void ignore() const noexcept {}
};

inline constexpr Status kOk{GS_OK};

#define GS_TRY(expr)                                                                                                   \
    do {                                                                                                               \
        if (::gs::Status gs_try_status = (expr); !gs_try_status.ok()) return gs_try_status;                            \
    } while (0)

#define GS_PRINTF(format_index, first_index) __attribute__((format(printf, format_index, first_index)))

// Each fail* stores the detail in the pending record and returns the code.
Status fail(gs_status_t code, const char *format, ...) noexcept GS_PRINTF(2, 3) __attribute__((cold));

struct NativeError {
    gs_backend_t backend;
    int32_t code;
    const char *function; // name of the driver's or the system's function
};
Status fail_native(gs_status_t code, NativeError native, const char *format, ...) noexcept GS_PRINTF(3, 4)
    __attribute__((cold));
Status fail_unavailable(int32_t reason, gs_backend_t backend, const char *format, ...) noexcept GS_PRINTF(3, 4)
    __attribute__((cold));
// A failed system call: appends the text of error_number.
Status fail_system(const char *function, int error_number, const char *format, ...) noexcept GS_PRINTF(3, 4)
    __attribute__((cold));
// A failure that was latched before. origin says where it was first seen (gs_error_info_t.origin).
Status fail_sticky(gs_status_t code, NativeError native, const char *origin, const char *format, ...) noexcept
    GS_PRINTF(4, 5) __attribute__((cold));

// A failure that concerns one of the objects that the call was given. If a failure names no object, the API boundary
// names those that the call was given.
Status fail_about(gs_stream_t stream, gs_event_t event, gs_status_t code, const char *format, ...) noexcept
    GS_PRINTF(4, 5) __attribute__((cold));

// Adds to the text of the failure, which is the latest of this thread, which element of an argument it concerns.
Status fail_element(Status failed, const char *argument, size_t index) noexcept __attribute__((cold));

bool is_status(gs_status_t code) noexcept;          // one of the statuses of this version
const char *status_name(gs_status_t code) noexcept; // "GS_ERROR_INVALID_HANDLE"; "GS_ERROR_UNKNOWN" for other numbers
const char *status_message(gs_status_t code) noexcept; // one English sentence

// The two error records of a thread: pending (being built inside the library) and last (returned by gs_last_error).
struct ThreadBlock;

// Makes the pending detail the thread's last error and adds the public function's name and the code.
// Called only by the API boundary, for codes other than OK and NOT_READY.
void commit_error(ThreadBlock &thread, const char *function, gs_status_t code) noexcept __attribute__((cold));

// Writes min(caller's, ours) bytes of the thread's last error. Works also for a thread without a block.
Status read_last_error(gs_error_info_t *out) noexcept;

// The text of the failure that is pending on this thread, or "". Destroy paths log it.
const char *pending_text() noexcept;

} // namespace gs
