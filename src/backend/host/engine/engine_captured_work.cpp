// SPDX-License-Identifier: Apache-2.0
// What work, records and waits of a capturing stream become.
#include <new>

#include "backend/host/engine/engine.hpp"

namespace gs::host {

// NotCapturing: the capture has just ended, so the work is submitted as usual.
Result Engine::capture_node(Stream &stream, NodeBody &&body) noexcept {
    MutexLock lock(graph_mutex_);
    return add_captured(stream, body);
}

Result Engine::add_captured(Stream &stream, NodeBody &body) noexcept {
    if (!stream.member) return Result::NotCapturing;
    CaptureMember &member = *stream.member;
    if (member.capture->broken) return Result::CaptureInvalidated;
    if (!admits(*member.capture->graph, body.kind)) return Result::NotSupported;
    if (!body.device) body.device = stream.device;
    if (!body.own_priority) body.priority = stream.priority;
    try {
        std::vector<GraphNode *> next(1);
        GraphNode &made = new_node(*member.capture->graph, body, member.nodes.data(), member.nodes.size());
        next[0] = &made;
        member.nodes = std::move(next);
    } catch (const std::bad_alloc &) {
        return Result::OutOfMemory;
    }
    return Result::Ok;
}

Result Engine::capture_task(Stream &stream, const Task &task, NodeKind kind, const LaunchTraits &traits) noexcept {
    Ref<Work> work(new (std::nothrow) Work(task));
    if (!work) return Result::OutOfMemory;
    NodeBody body;
    body.kind = kind;
    body.action = NodeAction::Task;
    body.work = work;
    body.set(traits);
    const Result result = capture_node(stream, std::move(body));
    if (result != Result::Ok) work->disown();
    return result;
}

Result Engine::capture_record(Stream &stream, Event &event, bool external) noexcept {
    if (external) {
        if (event.options.interprocess) return Result::InterprocessRecord;
        NodeBody body;
        body.kind = NodeKind::Record;
        body.action = NodeAction::Record;
        body.event = &event;
        return capture_node(stream, std::move(body));
    }
    CapturedPoint *old = nullptr;
    MutexLock lock(graph_mutex_);
    if (!stream.member) return Result::NotCapturing;
    const CaptureMember &member = *stream.member;
    if (member.capture->broken) return Result::CaptureInvalidated;
    try {
        auto point = std::make_unique<CapturedPoint>(CapturedPoint{member.capture->id, member.nodes});
        TinyGuard guard(event.lock);
        old = std::exchange(event.captured, point.release());
        set_record(event, &g_captured_record, 0);
    } catch (const std::bad_alloc &) {
        return Result::OutOfMemory;
    }
    delete old;
    return Result::Ok;
}

// A wait for an event that was last recorded in a capture: the stream takes part in it from now on.
Result Engine::wait_captured(Stream &stream, Event &event) noexcept {
    const Result health = health_of(*stream.device);
    if (health != Result::Ok) return health;
    MutexLock lock(graph_mutex_);
    try {
        CapturedPoint point{0, {}};
        {
            TinyGuard guard(event.lock);
            if (event.record.load(std::memory_order_relaxed) == &g_captured_record) point = *event.captured;
        }
        Capture *const theirs = find_capture(point.capture);
        if (stream.member && stream.member->capture->broken) return Result::CaptureInvalidated;
        if (!theirs) return Result::CaptureEnded;
        if (theirs->broken) return Result::CaptureInvalidated;
        if (stream.legacy) return violate(*theirs, Result::CaptureImplicit);
        if (!stream.member) {
            join_capture(stream, *theirs, std::move(point.nodes));
            return Result::Ok;
        }
        if (stream.member->capture != theirs) {
            (void)violate(*stream.member->capture, Result::CaptureMerge);
            return violate(*theirs, Result::CaptureMerge);
        }
        std::vector<GraphNode *> nodes = stream.member->nodes;
        add_missing(nodes, point.nodes.data(), point.nodes.size());
        stream.member->nodes = std::move(nodes);
    } catch (const std::bad_alloc &) {
        return Result::OutOfMemory;
    }
    return Result::Ok;
}

// A capturing stream waits for an event that was recorded outside of captures.
Result Engine::capture_wait(Stream &stream, Event &event, bool external) noexcept {
    if (external) {
        NodeBody body;
        body.kind = NodeKind::Wait;
        body.action = NodeAction::Wait;
        body.event = &event;
        return capture_node(stream, std::move(body));
    }
    MutexLock lock(graph_mutex_);
    if (!stream.member) return Result::NotCapturing;
    Capture &capture = *stream.member->capture;
    return capture.broken ? Result::CaptureInvalidated : violate(capture, Result::CaptureIsolation);
}

Result Engine::event_captured(Event &event) noexcept {
    if (event.record.load(std::memory_order_acquire) != &g_captured_record) return Result::Ok;
    return captured_event(event);
}

// A query of an event that was last recorded in a capture.
Result Engine::captured_event(Event &event) noexcept {
    MutexLock lock(graph_mutex_);
    uint64_t id = 0;
    {
        TinyGuard guard(event.lock);
        if (event.captured) id = event.captured->capture;
    }
    Capture *const capture = find_capture(id);
    if (!capture || capture->broken) return Result::CaptureEnded;
    return violate(*capture, Result::CapturedEvent);
}

} // namespace gs::host
