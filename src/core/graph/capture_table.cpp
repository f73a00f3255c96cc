// SPDX-License-Identifier: Apache-2.0
#include "core/graph/capture_table.hpp"

#include <cstdio>

#include "core/device/device_table.hpp"

namespace gs {

namespace {

Mutex g_capture_table_mutex;
Capture *g_captures GS_GUARDED_BY(g_capture_table_mutex) = nullptr;
std::atomic<uint32_t> g_capture_epoch{1};

bool is_begun_by(const Capture &capture, const ThreadBlock &thread, const StreamSlot &stream) noexcept {
    if (capture.device != stream.device || capture.native != stream.native) return false;
    return stream.kind != StreamKind::PerThread || capture.serial == thread.serial; // one word for a stream per thread
}

bool is_broken(ThreadBlock &thread, const Capture &capture) noexcept {
    if (capture.native == kNativePerThreadStream && capture.serial != thread.serial)
        return false; // not to be asked here
    StreamCapture now;
    Graphs &graphs = *capture.device->backend->graphs();
    return graphs.capture(thread, {capture.device->ordinal, capture.native}, &now).ok() &&
           now.state == GS_CAPTURE_STATE_INVALIDATED;
}

// The default stream of the device, as long as the capture lasts.
void close_for(Capture &capture, const Device &device) noexcept GS_REQUIRES(g_capture_table_mutex) {
    capture.blocking.set(static_cast<size_t>(device.index));
    close_default_stream(device);
}

void open_after(const Capture &ended) noexcept GS_REQUIRES(g_capture_table_mutex) {
    DeviceSet open = ended.blocking;
    for (const Capture *capture = g_captures; capture; capture = capture->next) open &= ~capture->blocking;
    for (size_t index = 0; open.any() && index < open.size(); ++index) {
        if (!open.test(index)) continue;
        open_default_stream(*started_device(static_cast<gs_backend_t>(index / kMaxDevicesPerBackend + 1),
                                            static_cast<int32_t>(index % kMaxDevicesPerBackend)));
        open.reset(index);
    }
}

template <typename Wanted>
Capture *take_first(const Wanted &wanted) noexcept {
    MutexLock lock(g_capture_table_mutex);
    for (Capture **place = &g_captures; *place; place = &(*place)->next) {
        Capture *capture = *place;
        if (!wanted(*capture)) continue;
        *place = capture->next;
        g_capture_epoch.fetch_add(1, std::memory_order_relaxed);
        open_after(*capture);
        g_live_captures.fetch_sub(1, std::memory_order_relaxed);
        return capture;
    }
    return nullptr;
}

} // namespace

void add_capture(Capture &capture) noexcept {
    MutexLock lock(g_capture_table_mutex);
    capture.next = g_captures;
    g_captures = &capture;
    g_capture_epoch.fetch_add(1, std::memory_order_relaxed);
    capture.devices.set(static_cast<size_t>(capture.device->index));
    if (capture.origin_blocks) close_for(capture, *capture.device);
    g_live_captures.fetch_add(1, std::memory_order_relaxed);
}

bool find_begun(const ThreadBlock &thread, const StreamSlot &stream, Capture *out) noexcept {
    MutexLock lock(g_capture_table_mutex);
    for (const Capture *capture = g_captures; capture; capture = capture->next) {
        if (!is_begun_by(*capture, thread, stream)) continue;
        *out = *capture;
        return true;
    }
    return false;
}

bool find_capture(uint64_t id, Capture *out) noexcept {
    MutexLock lock(g_capture_table_mutex);
    for (const Capture *capture = g_captures; capture; capture = capture->next) {
        if (capture->id != id) continue;
        *out = *capture;
        return true;
    }
    return false;
}

void join_capture(uint64_t id, const Device &device, bool blocking) noexcept {
    MutexLock lock(g_capture_table_mutex);
    for (Capture *capture = g_captures; capture; capture = capture->next) {
        if (capture->id != id) continue;
        capture->devices.set(static_cast<size_t>(device.index));
        if (blocking) close_for(*capture, device);
    }
}

bool is_captured(const Device &device, uint64_t *out_origin) noexcept {
    MutexLock lock(g_capture_table_mutex);
    for (const Capture *capture = g_captures; capture; capture = capture->next) {
        if (!capture->devices.test(static_cast<size_t>(device.index))) continue;
        *out_origin = capture->origin;
        return true;
    }
    return false;
}

uint32_t capture_epoch() noexcept { return g_capture_epoch.load(std::memory_order_relaxed); }

Capture *take_capture(uint64_t id) noexcept {
    return take_first([id](const Capture &capture) { return capture.id == id; });
}

Capture *take_orphan() noexcept {
    if (g_live_captures.load(std::memory_order_relaxed) == 0) return nullptr;
    return take_first([](const Capture &capture) {
        return capture.native == kNativePerThreadStream && !thread_lives(capture.serial);
    });
}

// Asking breaks nothing, but it is a driver call, and no lock is held during those.
void note_breaks(ThreadBlock &thread, const char *function) noexcept {
    const gs_error_info_t failure = thread.pending;
    CaptureBreak call;
    std::snprintf(call.function, sizeof call.function, "%s", function);
    call.code = failure.native_code;
    call.thread = os_id(thread);
    call.stream = thread.capturing_stream;
    if (call.code == 0) return;  // refused by the library, which breaks nothing
    constexpr size_t kMost = 16; // captures asked about; more at a time are hardly ever in progress
    Capture asked[kMost];
    size_t count = 0;
    {
        MutexLock lock(g_capture_table_mutex);
        for (const Capture *capture = g_captures; capture && count < kMost; capture = capture->next)
            if (capture->broken.code == 0) asked[count++] = *capture;
    }
    for (size_t i = 0; i < count; ++i) {
        if (!is_broken(thread, asked[i])) continue;
        MutexLock lock(g_capture_table_mutex);
        for (Capture *capture = g_captures; capture; capture = capture->next)
            if (capture->id == asked[i].id && capture->broken.code == 0) capture->broken = call;
    }
    thread.pending = failure;
}

} // namespace gs
