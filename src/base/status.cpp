// SPDX-License-Identifier: Apache-2.0
#include "base/status.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "base/thread_block.hpp"

namespace gs {
namespace {

struct Text {
    gs_status_t code;
    const char *name;
    const char *message;
};

constexpr Text kTexts[] = {
    {GS_OK, "GS_OK", "success"},
    {GS_NOT_READY, "GS_NOT_READY", "the work is not done yet"},
    {GS_ERROR_INVALID_ARGUMENT, "GS_ERROR_INVALID_ARGUMENT", "an argument is out of its range or malformed"},
    {GS_ERROR_INVALID_HANDLE, "GS_ERROR_INVALID_HANDLE",
     "the handle is NULL, destroyed, of another kind, or was never one"},
    {GS_ERROR_INVALID_DEVICE, "GS_ERROR_INVALID_DEVICE", "there is no such device"},
    {GS_ERROR_DEVICE_MISMATCH, "GS_ERROR_DEVICE_MISMATCH", "the objects belong to different devices"},
    {GS_ERROR_SCOPE, "GS_ERROR_SCOPE", "the current-stream scope is not this thread's innermost"},
    {GS_ERROR_NOT_RECORDED, "GS_ERROR_NOT_RECORDED", "the event was never recorded"},
    {GS_ERROR_TIMING_DISABLED, "GS_ERROR_TIMING_DISABLED", "the event was created without timing"},
    {GS_ERROR_NOT_PERMITTED, "GS_ERROR_NOT_PERMITTED", "the call is not permitted here"},
    {GS_ERROR_CAPTURING, "GS_ERROR_CAPTURING", "the stream or event takes part in a graph capture"},
    {GS_ERROR_TIMEOUT, "GS_ERROR_TIMEOUT", "the time limit passed"},
    {GS_ERROR_UNAVAILABLE, "GS_ERROR_UNAVAILABLE", "the backend cannot be used on this machine"},
    {GS_ERROR_BAD_FORK, "GS_ERROR_BAD_FORK", "this process was forked after the library or CUDA had been initialised"},
    {GS_ERROR_CONTEXT_LOST, "GS_ERROR_CONTEXT_LOST", "the device's context was reset or destroyed"},
    {GS_ERROR_NOT_SUPPORTED, "GS_ERROR_NOT_SUPPORTED", "the backend or driver does not support this"},
    {GS_ERROR_SHUTDOWN, "GS_ERROR_SHUTDOWN", "the driver is shutting down"},
    {GS_ERROR_PEER_LOST, "GS_ERROR_PEER_LOST", "the other process of an interprocess event is gone"},
    {GS_ERROR_OUT_OF_MEMORY, "GS_ERROR_OUT_OF_MEMORY", "memory is exhausted"},
    {GS_ERROR_SYSTEM, "GS_ERROR_SYSTEM", "a system call failed"},
    {GS_ERROR_DRIVER, "GS_ERROR_DRIVER", "a driver call failed"},
    {GS_ERROR_STICKY, "GS_ERROR_STICKY", "an earlier error left the device unusable in this process"},
    {GS_ERROR_SYNC_FORBIDDEN, "GS_ERROR_SYNC_FORBIDDEN", "a synchronizing call was made in sync debug mode 'error'"},
    {GS_ERROR_INTERNAL, "GS_ERROR_INTERNAL", "a defect in gpustream"},
};

const Text *find_text(gs_status_t code) noexcept {
    for (const Text &text : kTexts)
        if (text.code == code) return &text;
    return nullptr;
}

// Starts a new pending record with its message. Returns nullptr when the thread has no block.
gs_error_info_t *begin(gs_status_t code, const char *format, va_list arguments) noexcept {
    ThreadBlock *thread = this_thread();
    if (!thread) return nullptr;
    gs_error_info_t &record = thread->pending;
    record = {};
    record.status = code;
    std::vsnprintf(record.message, sizeof record.message, format, arguments);
    return &record;
}

void set_native(gs_error_info_t &record, NativeError native) noexcept {
    record.backend = native.backend;
    record.native_code = native.code;
    std::snprintf(record.native_function, sizeof record.native_function, "%s", native.function);
}

} // namespace

bool is_status(gs_status_t code) noexcept { return find_text(code) != nullptr; }

const char *status_name(gs_status_t code) noexcept {
    const Text *text = find_text(code);
    return text ? text->name : "GS_ERROR_UNKNOWN";
}

const char *status_message(gs_status_t code) noexcept {
    const Text *text = find_text(code);
    return text ? text->message : "a status this version of gpustream does not know";
}

#define GS_BEGIN()                                                                                                     \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    gs_error_info_t *record = begin(code, format, arguments);                                                          \
    va_end(arguments)

Status fail(gs_status_t code, const char *format, ...) noexcept {
    GS_BEGIN();
    (void)record;
    return {code};
}

Status fail_native(gs_status_t code, NativeError native, const char *format, ...) noexcept {
    GS_BEGIN();
    if (record) set_native(*record, native);
    return {code};
}

Status fail_unavailable(int32_t reason, gs_backend_t backend, const char *format, ...) noexcept {
    constexpr gs_status_t code = GS_ERROR_UNAVAILABLE;
    GS_BEGIN();
    if (record) {
        record->reason = reason;
        record->backend = backend;
    }
    return {code};
}

Status fail_system(const char *function, int error_number, const char *format, ...) noexcept {
    constexpr gs_status_t code = GS_ERROR_SYSTEM;
    GS_BEGIN();
    if (record) {
        set_native(*record, {GS_BACKEND_DEFAULT, error_number, function});
        char reason[128];
        // GNU strerror_r may return a static string instead of filling the buffer.
        const char *text = strerror_r(error_number, reason, sizeof reason);
        const size_t used = std::strlen(record->message);
        std::snprintf(record->message + used, sizeof record->message - used, ": %s: %s", function, text);
    }
    return {code};
}

Status fail_sticky(gs_status_t code, NativeError native, const char *origin, const char *format, ...) noexcept {
    GS_BEGIN();
    if (record) {
        set_native(*record, native);
        record->sticky = 1;
        std::snprintf(record->origin, sizeof record->origin, "%s", origin);
    }
    return {code};
}

} // namespace gs
