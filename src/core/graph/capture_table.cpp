// SPDX-License-Identifier: Apache-2.0
#include "core/graph/capture_calls.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "core/device/device_table.hpp"
#include "core/graph/graph_holds.hpp"

namespace gs {

namespace {

Mutex g_capture_table_mutex;
Capture *g_captures GS_GUARDED_BY(g_capture_table_mutex) = nullptr;
uint64_t g_last_capture_number GS_GUARDED_BY(g_capture_table_mutex) = 0;

// Both counters are written under the mutex alone, so that no locked instruction is needed.
void add_under_lock(std::atomic<uint32_t> &counter, int by) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + static_cast<uint32_t>(by), std::memory_order_relaxed);
}

bool is_begun_by(const CaptureFacts &capture, const ThreadBlock &thread, const StreamSlot &stream) noexcept {
    if (capture.device != stream.device || capture.native != stream.native) return false;
    return stream.kind != StreamKind::PerThread || capture.serial == thread.serial; // one word for a stream per thread
}

// The default stream of the device, as long as the capture lasts.
void close_for(Capture &capture, const Device &device) noexcept GS_REQUIRES(g_capture_table_mutex) {
    capture.blocking.set(static_cast<size_t>(device.index));
    close_default_stream(device);
}

void open_after(const Capture &ended) noexcept GS_REQUIRES(g_capture_table_mutex) {
    if (ended.blocking.none()) return;
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
Capture *first_that(const Wanted &wanted) noexcept GS_REQUIRES(g_capture_table_mutex) {
    Capture *capture = g_captures;
    while (capture && !wanted(*capture)) capture = capture->next;
    return capture;
}

Capture *numbered(uint64_t number) noexcept GS_REQUIRES(g_capture_table_mutex) {
    return first_that([number](const Capture &one) { return one.number == number; });
}

template <typename Wanted>
bool copy_facts(const Wanted &wanted, CaptureFacts *out) noexcept {
    MutexLock lock(g_capture_table_mutex);
    const Capture *capture = first_that(wanted);
    if (capture) *out = *capture;
    return capture != nullptr;
}

// The oldest wanted capture after a number.
template <typename Wanted>
bool next_after(uint64_t after, const Wanted &wanted, CaptureFacts *out) noexcept {
    MutexLock lock(g_capture_table_mutex);
    const Capture *found = nullptr; // newest first
    for (const Capture *capture = g_captures; capture && capture->number > after; capture = capture->next)
        if (wanted(*capture)) found = capture;
    if (found) *out = *found;
    return found != nullptr;
}

// What the driver has answered. The capture may have ended since; another one of its stream has another number.
bool note_answer(const StreamCapture &now, CaptureFacts *known) noexcept {
    MutexLock lock(g_capture_table_mutex);
    Capture *capture = numbered(known->number);
    if (!capture || capture->ending) return false; // its stream may have begun another one
    if (capture->id == 0) capture->id = now.id;
    if (GraphSlot *graph = capture->unseen) {
        graph->native = now.graph;
        capture->graph = publish_graph(*graph);
        capture->unseen = nullptr;
    }
    *known = *capture;
    return true;
}

// Asks the driver about the captures whose id is not known. Those that it does not tell may be the wanted one, unless their device
// was lost, and they with it.
Status ask_for(ThreadBlock &thread, uint64_t id, CaptureFacts *out, bool *out_found) noexcept {
    const gs_error_info_t before = thread.pending;
    gs_error_info_t failure = before;
    Status status = kOk;
    CaptureFacts unknown;
    const auto has_no_id = [](const Capture &capture) { return capture.id == 0; };
    while (!*out_found && next_after(unknown.number, has_no_id, &unknown)) {
        bool known = false;
        const Status asked = know_graph(thread, &unknown, &known);
        if (!asked.ok() && status.ok()) {
            failure = thread.pending;
            if (check_health(*unknown.device).ok()) status = asked;
        }
        *out_found = find_known(id, out);
    }
    if (*out_found) status = kOk;
    thread.pending = status.ok() ? before : failure;
    return status;
}

template <typename Wanted>
Capture *take_first(const Wanted &wanted) noexcept {
    MutexLock lock(g_capture_table_mutex);
    for (Capture **place = &g_captures; *place; place = &(*place)->next) {
        Capture *capture = *place;
        if (!wanted(*capture)) continue;
        *place = capture->next;
        add_under_lock(g_capture_epoch, 1);
        open_after(*capture);
        add_under_lock(g_live_captures, -1);
        return capture;
    }
    return nullptr;
}

} // namespace

void add_capture(Capture &capture) noexcept {
    MutexLock lock(g_capture_table_mutex);
    capture.number = ++g_last_capture_number;
    capture.next = g_captures;
    g_captures = &capture;
    add_under_lock(g_capture_epoch, 1);
    capture.devices.set(static_cast<size_t>(capture.device->index));
    if (capture.origin_blocks) close_for(capture, *capture.device);
    add_under_lock(g_live_captures, 1);
}

void with_capture(uint64_t number, CaptureBody body, void *context) noexcept {
    MutexLock lock(g_capture_table_mutex);
    if (Capture *capture = numbered(number)) body(*capture, context);
}

bool find_begun(const ThreadBlock &thread, const StreamSlot &stream, CaptureFacts *out) noexcept {
    return copy_facts([&](const Capture &capture) { return is_begun_by(capture, thread, stream); }, out);
}

bool find_known(uint64_t id, CaptureFacts *out) noexcept {
    return id != 0 && copy_facts([id](const Capture &capture) { return capture.id == id; }, out);
}

Status find_capture(ThreadBlock &thread, uint64_t id, CaptureFacts *out, bool *out_found) noexcept {
    *out_found = find_known(id, out);
    return *out_found || id == 0 ? kOk : ask_for(thread, id, out, out_found); // 0: of a broken capture
}

bool ask_stream(ThreadBlock &thread, const CaptureFacts &capture, StreamCapture *out) noexcept {
    if (capture.native == kNativePerThreadStream && capture.serial != thread.serial)
        return false; // not to be asked here
    Graphs &graphs = *capture.device->backend->graphs();
    return graphs.capture(thread, {capture.device->ordinal, capture.native}, out).ok();
}

bool next_on(const Device &device, uint64_t after, CaptureFacts *out) noexcept {
    const auto index = static_cast<size_t>(device.index);
    return next_after(after, [index](const Capture &capture) { return capture.devices.test(index); }, out);
}

Status know_graph(ThreadBlock &thread, CaptureFacts *known, bool *out) noexcept {
    *out = known->id != 0 && known->graph != 0;
    if (*out) return kOk;
    if (known->native == kNativePerThreadStream && known->serial != thread.serial) return kOk; // not to be asked here
    StreamCapture now;
    Graphs &graphs = *known->device->backend->graphs();
    GS_TRY(graphs.likely_capture(thread, {known->device->ordinal, known->native}, &now));
    *out = now.state == GS_CAPTURE_STATE_ACTIVE && note_answer(now, known);
    return kOk;
}

bool lock_graph_of(const CaptureFacts &known, LockedGraph &graph) noexcept {
    if (!graph.find(known.graph).ok()) return false;
    MutexLock lock(g_capture_table_mutex);
    return numbered(known.number) != nullptr;
}

CaptureBreak break_of(uint64_t number) noexcept {
    MutexLock lock(g_capture_table_mutex);
    const Capture *capture = numbered(number);
    return capture ? capture->broken : CaptureBreak{};
}

bool keep_in_unseen(ThreadBlock &thread, const StreamSlot &stream, LoadedModule &module, uint64_t *out_capture,
                    Status *out_status) noexcept {
    MutexLock lock(g_capture_table_mutex);
    const Capture *capture = first_that([&](const Capture &one) { return is_begun_by(one, thread, stream); });
    if (!capture || !capture->unseen) return false;
    *out_capture = capture->number;
    *out_status = hold_module(thread, *capture->unseen, module); // no driver call: only the library has it
    return true;
}

void join_capture(uint64_t id, const StreamSlot &stream) noexcept {
    const uint64_t handle = stream.handle.load(std::memory_order_relaxed);
    MutexLock lock(g_capture_table_mutex);
    for (Capture *capture = g_captures; capture; capture = capture->next) {
        if (capture->id != id) continue;
        capture->devices.set(static_cast<size_t>(stream.device->index));
        if (stream.blocking()) close_for(*capture, *stream.device);
        uint64_t *place = std::find(std::begin(capture->joined), std::end(capture->joined), 0u);
        if (place != std::end(capture->joined)) *place = handle;
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

uint64_t last_capture() noexcept {
    MutexLock lock(g_capture_table_mutex);
    return g_last_capture_number;
}

bool claim_end(uint64_t number, uint64_t *out_graph) noexcept {
    MutexLock lock(g_capture_table_mutex);
    Capture *capture = numbered(number);
    if (!capture || capture->ending) return false;
    capture->ending = true;
    add_under_lock(g_capture_epoch, 1); // before the driver's end, after which streams are outside of the capture again
    *out_graph = capture->graph;
    return true;
}

void give_up_end(uint64_t number) noexcept {
    MutexLock lock(g_capture_table_mutex);
    if (Capture *capture = numbered(number)) capture->ending = false;
}

Capture *take_capture(uint64_t number) noexcept {
    return take_first([number](const Capture &capture) { return capture.number == number; });
}

Capture *take_orphan() noexcept {
    if (g_live_captures.load(std::memory_order_relaxed) == 0) return nullptr;
    return take_first([](const Capture &capture) {
        return capture.native == kNativePerThreadStream && !thread_lives(capture.serial);
    });
}

// Asking is harmless to captures, but a driver call, so no lock may be held.
void note_breaks(ThreadBlock &thread, const char *function) noexcept {
    const gs_error_info_t failure = thread.pending;
    CaptureBreak call;
    std::snprintf(call.function, sizeof call.function, "%s", function);
    call.code = failure.native_code;
    call.thread = os_id(thread);
    call.stream = thread.capturing_stream;
    if (call.code == 0) return; // refused by the library, which breaks nothing
    const auto whole = [](const Capture &capture) { return capture.broken.code == 0; };
    for (CaptureFacts asked; next_after(asked.number, whole, &asked);) {
        StreamCapture now;
        if (!ask_stream(thread, asked, &now) || now.state != GS_CAPTURE_STATE_INVALIDATED) continue;
        MutexLock lock(g_capture_table_mutex);
        Capture *capture = numbered(asked.number);
        if (capture && whole(*capture)) capture->broken = call;
    }
    thread.pending = failure;
}

void name_beginner(ThreadBlock &thread, uint64_t stream) noexcept {
    CaptureFacts known;
    if (thread.pending.native_code == 0) return; // the library's own texts say what they know
    if (!copy_facts(
            [stream](const Capture &capture) {
                const uint64_t *end = std::end(capture.joined);
                return capture.origin == stream || std::find(std::begin(capture.joined), end, stream) != end;
            },
            &known))
        return;
    char(&text)[sizeof thread.pending.message] = thread.pending.message;
    const size_t used = std::strlen(text);
    std::snprintf(text + used, sizeof text - used, "; thread %" PRIu64 " began the capture", known.thread);
}

} // namespace gs
