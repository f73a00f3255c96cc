// SPDX-License-Identifier: Apache-2.0
#include "base/last_error.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/error_record.hpp"
#include "base/sized_struct.hpp"
#include "base/thread_block.hpp"
#include "base/utf8.hpp"

namespace gs {
namespace {

constexpr gs_error_info_t no_memory() noexcept {
    gs_error_info_t record = no_error();
    record.status = GS_ERROR_OUT_OF_MEMORY;
    constexpr char kText[] = "the library's state for this thread could not be allocated";
    for (size_t i = 0; i < sizeof kText; ++i) record.message[i] = kText[i];
    return record;
}
constexpr gs_error_info_t kNoMemory = no_memory();
constexpr gs_error_info_t kNoError = no_error();

} // namespace

void commit_error(ThreadBlock &thread, const char *function, gs_status_t code) noexcept {
    gs_error_info_t &last = thread.last;
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
    make_utf8(last.message);
    make_utf8(last.native_function);
    make_utf8(last.origin);
}

Status read_last_error(gs_error_info_t *out) noexcept {
    const ThreadBlock *thread = t_block;
    const gs_error_info_t *source = &kNoError;
    if (thread)
        source = &thread->last;
    else if (attach_failed())
        source = &kNoMemory;
    return write_sized(out, *source);
}

const char *pending_text() noexcept {
    const ThreadBlock *thread = t_block;
    return thread ? thread->pending.message : "";
}

} // namespace gs
