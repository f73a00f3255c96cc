// SPDX-License-Identifier: Apache-2.0
// Stream capture: who takes part, what becomes a node, and what is refused with which of CUDA's errors.
#include <algorithm>
#include <new>

#include "backend/host/engine/engine.hpp"
#include "backend/host/engine/submission.hpp"

namespace gs::host {

void Engine::enter_capture(Stream &stream, Capture &capture) noexcept {
    if (stream.blocking) stream.device->blocking_captures.fetch_add(1, std::memory_order_acq_rel);
    TinyGuard guard(stream.lock);
    stream.capture.store(capture.id, std::memory_order_release);
}

void Engine::leave_capture(Stream &stream) noexcept {
    delete std::exchange(stream.member, nullptr);
    {
        TinyGuard guard(stream.lock);
        stream.capture.store(0, std::memory_order_release);
    }
    if (stream.blocking) stream.device->blocking_captures.fetch_sub(1, std::memory_order_acq_rel);
}

void Engine::join_capture(Stream &stream, Capture &capture, std::vector<GraphNode *> nodes) {
    auto member = std::make_unique<CaptureMember>(CaptureMember{&capture, std::move(nodes)});
    capture.members.push_back(&stream);
    stream.member = member.release();
    enter_capture(stream, capture);
}

Result Engine::capture_begin(Stream &stream, const CaptureStart &start) noexcept {
    if (stream.legacy) return Result::StreamCapturing; // CUDA forbids it as well
    MutexLock lock(graph_mutex_);
    if (stream.member) return Result::StreamCapturing;
    if (start.into && root_of(*start.into).destroyed) return Result::InvalidValue; // since it was pinned
    for (size_t i = 0; i < start.count; ++i)
        if (!start.into || start.after[i]->graph != start.into) return Result::InvalidValue;
    std::unique_ptr<Graph> made;
    try {
        auto capture = std::make_unique<Capture>();
        if (!start.into) made = new_graph(*stream.device);
        captures_.reserve(captures_.size() + 1);
        capture->id = next_capture_++;
        capture->mode = start.mode;
        capture->thread = start.thread;
        capture->origin = &stream;
        capture->existing = start.into != nullptr;
        capture->graph = start.into ? start.into : made.get();
        std::vector<GraphNode *> nodes;
        add_missing(nodes, start.after, start.count);
        join_capture(stream, *capture, std::move(nodes));
        (void)made.release();
        captures_.push_back(std::move(capture));
    } catch (const std::bad_alloc &) {
        if (made) table_.remove(*made);
        return Result::OutOfMemory;
    }
    return Result::Ok;
}

Capture *Engine::find_capture(uint64_t id) noexcept {
    for (const auto &capture : captures_)
        if (capture->id == id) return capture.get();
    return nullptr;
}

// Returns the graph if nothing else refers to it any more: the caller deletes it, after it has released the lock.
std::unique_ptr<Graph> Engine::finish_capture(Capture &capture, bool keep_graph) noexcept {
    for (Stream *stream : capture.members) leave_capture(*stream);
    Graph &root = root_of(*capture.graph);
    const bool wanted = capture.existing ? !root.destroyed : keep_graph;
    captures_.erase(
        std::find_if(captures_.begin(), captures_.end(), [&](const auto &entry) { return entry.get() == &capture; }));
    return wanted || outlives(captures_, root) ? nullptr : end_graph(root);
}

Result Engine::violate(Capture &capture, Result why) noexcept {
    if (captures_break_) capture.broken = true;
    return why;
}

Result Engine::capture_end(Stream &stream, uint64_t thread, Graph **out) noexcept {
    std::unique_ptr<Graph> dead; // deleted last, with no lock held
    MutexLock lock(graph_mutex_);
    if (!stream.member) return Result::NotCapturing;
    Capture &capture = *stream.member->capture;
    if (capture.origin != &stream) return violate(capture, Result::CaptureUnmatched);
    Result result = Result::Ok;
    try {
        if (capture.mode != CaptureMode::Relaxed && capture.thread != thread)
            result = Result::CaptureThread; // ended nevertheless, as observed on a GPU
        else if (capture.broken)
            result = Result::CaptureInvalidated;
        else if (!all_joined(capture, ++walks_))
            result = Result::CaptureUnjoined;
    } catch (const std::bad_alloc &) {
        return Result::OutOfMemory;
    }
    if (result == Result::Ok) {
        *out = capture.graph;
        capture.graph->destroyed = false; // the caller has it now
    }
    dead = finish_capture(capture, result == Result::Ok);
    return result;
}

Result Engine::capture_abort(Stream &stream) noexcept {
    std::unique_ptr<Graph> dead;
    MutexLock lock(graph_mutex_);
    if (!stream.member) return Result::NotCapturing;
    dead = finish_capture(*stream.member->capture, false);
    return Result::Ok;
}

void Engine::drop_from_capture(Stream &stream) noexcept {
    std::unique_ptr<Graph> dead;
    MutexLock lock(graph_mutex_);
    if (!stream.member) return;
    Capture &capture = *stream.member->capture;
    if (capture.origin == &stream) {
        dead = finish_capture(capture, false);
        return;
    }
    try {
        // Unjoined work would stay so.
        if (!is_joined(capture, stream, ++walks_)) capture.broken = true;
    } catch (const std::bad_alloc &) {
        capture.broken = true;
    }
    capture.members.erase(std::find(capture.members.begin(), capture.members.end(), &stream));
    leave_capture(stream);
}

Result Engine::capture_info(Stream &stream, CaptureInfo *out) noexcept {
    *out = {};
    if (stream.legacy && stream.device->blocking_captures.load(std::memory_order_acquire) != 0)
        return Result::CaptureImplicit;
    if (capture_of(stream) == 0) return Result::Ok;
    MutexLock lock(graph_mutex_);
    if (!stream.member) return Result::Ok;
    const Capture &capture = *stream.member->capture;
    *out = {capture.broken ? CaptureState::Broken : CaptureState::Active, capture.id, capture.graph};
    if (!capture.broken) out->graph_id = capture.graph->id;
    return Result::Ok;
}

Result Engine::capture_nodes(Stream &stream, uint64_t *out, size_t capacity, size_t *count) noexcept {
    MutexLock lock(graph_mutex_);
    if (!stream.member) return Result::NotCapturing;
    if (stream.member->capture->broken) return Result::CaptureInvalidated;
    const auto &nodes = stream.member->nodes;
    *count = nodes.size();
    for (size_t i = 0; i < nodes.size() && i < capacity; ++i) out[i] = nodes[i]->id;
    return Result::Ok;
}

Result Engine::capture_set_nodes(Stream &stream, GraphNode *const *nodes, size_t count, bool add) noexcept {
    MutexLock lock(graph_mutex_);
    if (!stream.member) return Result::NotCapturing;
    if (stream.member->capture->broken) return Result::CaptureInvalidated;
    for (size_t i = 0; i < count; ++i)
        if (nodes[i]->graph != stream.member->capture->graph) return Result::InvalidValue;
    try {
        std::vector<GraphNode *> wanted;
        if (add) wanted = stream.member->nodes;
        add_missing(wanted, nodes, count);
        stream.member->nodes = std::move(wanted);
    } catch (const std::bad_alloc &) {
        return Result::OutOfMemory;
    }
    return Result::Ok;
}

Result Engine::unsafe_call(uint64_t thread, CaptureMode mode) noexcept {
    if (mode == CaptureMode::Relaxed) return Result::Ok;
    MutexLock lock(graph_mutex_);
    Result result = Result::Ok;
    for (const auto &capture : captures_) {
        const bool own = capture->thread == thread && capture->mode != CaptureMode::Relaxed;
        const bool others = capture->thread != thread && capture->mode == CaptureMode::Global && mode == capture->mode;
        if (own || others) result = violate(*capture, Result::StreamCapturing);
    }
    return result;
}

bool Engine::captures_on(const Device &device) noexcept {
    MutexLock lock(graph_mutex_);
    for (const auto &capture : captures_)
        for (const Stream *member : capture->members)
            if (member->device == &device) return true;
    return false;
}

Result Engine::stream_quiet(Stream &stream) noexcept {
    if (capture_of(stream) != 0) return refuse(stream, Result::StreamCapturing);
    if (stream.legacy && stream.device->blocking_captures.load(std::memory_order_acquire) != 0)
        return refuse(stream, Result::CaptureImplicit);
    return Result::Ok;
}

Result Engine::stream_open(Stream &stream) noexcept {
    if (stream.legacy) return stream_quiet(stream);
    CaptureInfo info;
    const Result result = capture_info(stream, &info);
    return result == Result::Ok && info.state == CaptureState::Broken ? Result::CaptureInvalidated : result;
}

void Engine::break_captures(Device &device, bool blocking_only) noexcept {
    if (!captures_break_) return;
    MutexLock lock(graph_mutex_);
    for (const auto &capture : captures_)
        for (const Stream *member : capture->members)
            if (member->device == &device && (member->blocking || !blocking_only)) capture->broken = true;
}

Result Engine::refuse(Stream &stream, Result why) noexcept {
    if (!captures_break_) return why;
    if (why == Result::CaptureImplicit) break_captures(*stream.device, true);
    if (why != Result::StreamCapturing) return why;
    MutexLock lock(graph_mutex_);
    if (!stream.member) return why;
    if (stream.member->capture->broken) return Result::CaptureInvalidated;
    return violate(*stream.member->capture, why);
}

} // namespace gs::host
