// SPDX-License-Identifier: Apache-2.0
#include "core/graph/capture_table.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

namespace gs {

std::atomic<uint32_t> g_live_captures{0};

namespace {

Mutex g_mutex;
Capture *g_captures GS_GUARDED_BY(g_mutex) = nullptr;

bool is_broken(ThreadBlock &thread, const Capture &capture) noexcept {
    StreamCapture now;
    Graphs &graphs = *capture.origin->backend->graphs();
    return graphs.capture(thread, capture.origin->ref(), &now).ok() && now.state == GS_CAPTURE_STATE_INVALIDATED;
}

} // namespace

void add_capture(Capture &capture) noexcept {
    MutexLock lock(g_mutex);
    capture.next = g_captures;
    g_captures = &capture;
    g_live_captures.fetch_add(1, std::memory_order_relaxed);
}

bool find_capture(const StreamSlot &stream, uint64_t id, Capture *out) noexcept {
    MutexLock lock(g_mutex);
    for (const Capture *capture = g_captures; capture; capture = capture->next) {
        if (capture->origin != &stream && (id == 0 || capture->id != id)) continue;
        *out = *capture;
        return true;
    }
    return false;
}

Capture *take_capture(const StreamSlot &stream, uint64_t id) noexcept {
    MutexLock lock(g_mutex);
    for (Capture **place = &g_captures; *place; place = &(*place)->next) {
        Capture *capture = *place;
        if (capture->origin != &stream || capture->id != id) continue;
        *place = capture->next;
        g_live_captures.fetch_sub(1, std::memory_order_relaxed);
        return capture;
    }
    return nullptr;
}

// Asking breaks nothing, but it is a driver call, and no lock is held during those.
void note_breaks(ThreadBlock &thread, const char *function) noexcept {
    const gs_error_info_t failure = thread.pending;
    CaptureBreak call;
    std::snprintf(call.function, sizeof call.function, "%s", function);
    call.code = failure.native_code;
    call.thread = os_thread();
    if (call.code == 0) return; // refused by the library, which breaks nothing
    constexpr size_t kMost = 16; // captures asked about; more at a time are hardly ever in progress
    Capture asked[kMost];
    size_t count = 0;
    {
        MutexLock lock(g_mutex);
        for (const Capture *capture = g_captures; capture && count < kMost; capture = capture->next)
            if (capture->broken.code == 0) asked[count++] = *capture;
    }
    for (size_t i = 0; i < count; ++i) {
        if (!is_broken(thread, asked[i])) continue;
        MutexLock lock(g_mutex);
        for (Capture *capture = g_captures; capture; capture = capture->next)
            if (capture->id == asked[i].id && capture->origin == asked[i].origin && capture->broken.code == 0)
                capture->broken = call;
    }
    thread.pending = failure;
}

uint64_t os_thread() noexcept { return static_cast<uint64_t>(syscall(SYS_gettid)); }

} // namespace gs
