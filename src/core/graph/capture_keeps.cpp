// SPDX-License-Identifier: Apache-2.0
#include "core/graph/capture_calls.hpp"

#include <new>
#include <vector>

#include "base/log.hpp"
#include "base/status.hpp"
#include "core/graph/graph_calls.hpp"
#include "core/graph/graph_holds.hpp"

namespace gs {

Status graph_around(ThreadBlock &thread, const StreamSlot &stream, LockedGraph &graph, uint64_t *out_capture) noexcept {
    *out_capture = 0;
    Graphs *graphs = stream.backend->graphs();
    if (!graphs || stream.kind == StreamKind::Default) return kOk;
    CaptureFacts known;
    if (find_begun(thread, stream, &known)) {
        bool active = false;
        GS_TRY(know_graph(thread, &known, &active));
        if (!active) return kOk;
    } else {
        StreamCapture now;
        GS_TRY(graphs->likely_capture(thread, stream.ref(), &now));
        bool found = false;
        GS_TRY(find_capture(thread, now.id, &known, &found));
        if (!found) return kOk;
    }
    if (lock_graph_of(known, graph)) *out_capture = known.number;
    return kOk;
}

// Most launches of a capture are of few modules on few streams. A stream that was found in a capture stays in it until the
// capture ends, which changes the epoch; one outside of captures may join at any time, so nothing is remembered about
// it.
Status keep_module(ThreadBlock &thread, StreamSlot &stream, LoadedModule &module, uint64_t *out_capture) noexcept {
    const uint64_t place = stream.uid == kUnknownStream ? 0 : uint64_t{capture_epoch()} << 32 | stream.uid;
    if (place != 0 && module.captured_for.load(std::memory_order_relaxed) == place) {
        *out_capture = module.captured_in.load(std::memory_order_relaxed);
        return kOk;
    }
    Status kept = kOk;
    if (!keep_in_unseen(thread, stream, module, out_capture, &kept)) {
        LockedGraph graph;
        GS_TRY(graph_around(thread, stream, graph, out_capture));
        if (*out_capture == 0) return kOk;
        kept = hold_module(thread, *graph, module);
    }
    GS_TRY(kept);
    module.captured_in.store(*out_capture, std::memory_order_relaxed);
    module.captured_for.store(place, std::memory_order_relaxed);
    return kOk;
}

Status keep_event(ThreadBlock &thread, StreamSlot &stream, EventSlot &event, CapturePin *out) noexcept {
    LockedGraph graph;
    uint64_t capture = 0;
    GS_TRY(graph_around(thread, stream, graph, &capture));
    if (capture == 0) return kOk;
    if (graph->use == GraphUse::Inside) return refuse_in_body();
    GraphHolds *holds = nullptr;
    GS_TRY(holds_of(thread, *graph, &holds));
    GS_TRY(hold_event(thread, *holds, event.handle.load(std::memory_order_relaxed)));
    graph.give_to(out);
    return kOk;
}

Status pin_capture(ThreadBlock &thread, uint64_t id, CapturePin *out) noexcept {
    CaptureFacts known;
    LockedGraph graph;
    bool found = false;
    GS_TRY(find_capture(thread, id, &known, &found));
    if (found && lock_graph_of(known, graph)) graph.give_to(out);
    return kOk;
}

Status pin_for_call(ThreadBlock &thread, uint64_t id, CapturePin *out) noexcept {
    GS_TRY(pin_capture(thread, id, out));
    if (!out->graph()) return kOk; // the driver decides
    return out->graph()->use == GraphUse::Inside ? refuse_in_body() : kOk;
}

Status keep_call(ThreadBlock &thread, const CapturePin &pin, const KeptByGraph &kept) noexcept {
    GraphHolds *holds = nullptr;
    GS_TRY(holds_of(thread, *pin.graph(), &holds));
    return holds->add_new(kept.release, kept.what);
}

namespace {

// The library's number of the capture in progress that the stream takes part in, if it began through the library; else 0.
Status capture_number(ThreadBlock &thread, const StreamSlot &stream, uint64_t *out, bool *out_began) noexcept {
    CaptureFacts known;
    Graphs *graphs = stream.backend->graphs();
    *out_began = find_begun(thread, stream, &known);
    if (!*out_began && graphs) {
        StreamCapture now;
        bool found = false;
        GS_TRY(graphs->likely_capture(thread, stream.ref(), &now));
        GS_TRY(find_capture(thread, now.id, &known, &found));
        if (!found) known.number = 0;
    }
    *out = known.number;
    return kOk;
}

} // namespace

void note_captured_memory(ThreadBlock &thread, const StreamSlot &stream, void *address) noexcept {
    const gs_error_info_t before = thread.pending;
    uint64_t number = 0;
    bool began = false;
    if (capture_number(thread, stream, &number, &began).ok() && number != 0)
        with_capture(number, [&](Capture &capture) {
            try {
                capture.memory[address] = {stream.device, MemoryOfCapture::Allocated};
            } catch (const std::bad_alloc &) { // its free is left to the driver
            }
        });
    thread.pending = before;
}

Status free_at_end(ThreadBlock &thread, const StreamSlot &stream, void *address, bool *out_taken) noexcept {
    *out_taken = false;
    uint64_t number = 0;
    bool began = false, again = false;
    GS_TRY(capture_number(thread, stream, &number, &began));
    if (number == 0) return kOk;
    with_capture(number, [&](Capture &capture) {
        const auto found = capture.memory.find(address);
        if (found == capture.memory.end() || found->second.device != stream.device) return; // the driver decides
        again = found->second.state != MemoryOfCapture::Allocated;
        if (again) return;
        found->second.state = began ? MemoryOfCapture::Freed : MemoryOfCapture::FreedAtEnd;
        *out_taken = !began;
    });
    return again ? fail(GS_ERROR_INVALID_ARGUMENT, "the capture has freed the memory at %p already", address) : kOk;
}

void free_what_waited(ThreadBlock &thread, StreamSlot &stream, uint64_t number) noexcept {
    const gs_error_info_t before = thread.pending;
    std::map<void *, MemoryOfCapture> memory;
    with_capture(number, [&](Capture &capture) { memory.swap(capture.memory); });
    for (const auto &[address, one] : memory) {
        bool freed = false;
        if (one.state != MemoryOfCapture::FreedAtEnd) continue;
        const Status status = stream.backend->free_async(thread, stream.ref(), address, &freed);
        if (status.code == GS_ERROR_CAPTURING) break; // a broken one
        if (!status.ok())
            log_message(GS_LOG_WARNING, "the graph does not free its memory at %p: %s", address, pending_text());
    }
    thread.pending = before;
}

} // namespace gs
