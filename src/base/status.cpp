// SPDX-License-Identifier: Apache-2.0
#include "base/status.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "base/status_texts.hpp"
#include "base/text.hpp"
#include "base/thread_block.hpp"

namespace gs {
namespace {

const StatusText *find_text(gs_status_t code) noexcept {
    for (const StatusText &text : kStatusTexts)
        if (text.code == code) return &text;
    return nullptr;
}

// Starts a new pending record with its message. Returns nullptr when the thread has no block.
gs_error_info_t *begin(gs_status_t code, const char *format, va_list arguments) noexcept {
    ThreadBlock *thread = this_thread();
    if (!thread) return nullptr;
    gs_error_info_t &record = thread->pending;
    record = no_error();
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
    const StatusText *text = find_text(code);
    return text ? text->name : "GS_ERROR_UNKNOWN";
}

const char *status_message(gs_status_t code) noexcept {
    const StatusText *text = find_text(code);
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
        const char *text = system_error_text(error_number, reason);
        const size_t used = std::strlen(record->message);
        std::snprintf(record->message + used, sizeof record->message - used, ": %s: %s", function, text);
    }
    return {code};
}

Status fail_about(gs_stream_t stream, gs_event_t event, gs_status_t code, const char *format, ...) noexcept {
    GS_BEGIN();
    if (record) {
        record->stream = stream;
        record->event = event;
    }
    return {code};
}

Status fail_element(Status failed, const char *argument, size_t index) noexcept {
    if (ThreadBlock *thread = this_thread()) {
        char(&text)[sizeof thread->pending.message] = thread->pending.message;
        const size_t used = std::strlen(text);
        std::snprintf(text + used, sizeof text - used, " (%s[%zu])", argument, index);
    }
    return failed;
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
