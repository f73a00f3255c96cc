// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/sized_struct.hpp"
#include "base/status.hpp"
#include "base/text.hpp"
#include "base/thread_block.hpp"

namespace gs {
namespace {

constexpr char kNoMemory[] = "the library's state for this thread could not be allocated";

} // namespace

void commit_error(ThreadBlock &thread, const char *function, gs_status_t code) noexcept {
    gs_error_info_t &last = thread.last;
    thread.not_ready = nullptr;
    // A pending record with another code belongs to a failure that was handled inside the call.
    if (thread.pending.status == code) {
        last = thread.pending;
    } else {
        last = no_error();
        last.status = code;
        std::snprintf(last.message, sizeof last.message, "%s", status_message(code));
    }
    thread.pending = no_error();
    std::snprintf(last.function, sizeof last.function, "%s", function);
    char text[sizeof last.message];
    std::snprintf(text, sizeof text, "%s: %s", function, last.message);
    std::memcpy(last.message, text, sizeof text);
    make_printable(last.message);
    make_printable(last.native_function);
    make_printable(last.origin);
}

Status read_last_error(gs_error_info_t *out) noexcept {
    const ThreadBlock *thread = t_block;
    if (thread && !thread->not_ready) return write_sized(out, thread->last);
    gs_error_info_t record = no_error();
    if (thread) {
        record.status = GS_NOT_READY;
        std::snprintf(record.function, sizeof record.function, "%s", thread->not_ready);
        std::snprintf(record.message, sizeof record.message, "%s: %s", thread->not_ready, status_message(GS_NOT_READY));
    } else if (attach_failed()) {
        record.status = GS_ERROR_OUT_OF_MEMORY;
        std::memcpy(record.message, kNoMemory, sizeof kNoMemory);
    }
    return write_sized(out, record);
}

const char *pending_text() noexcept {
    const ThreadBlock *thread = t_block;
    return thread ? thread->pending.message : "";
}

} // namespace gs
