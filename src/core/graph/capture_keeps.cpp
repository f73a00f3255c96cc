// SPDX-License-Identifier: Apache-2.0
#include "core/graph/capture_keeps.hpp"

#include "core/graph/capture_table.hpp"
#include "core/graph/graph_holds.hpp"
#include "core/graph/graph_modules.hpp"
#include "core/graph/node_objects.hpp"

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
// capture ends, which changes the epoch; one that was not may join at any time, so nothing is remembered of it.
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

} // namespace gs
