// SPDX-License-Identifier: Apache-2.0
#include "fake_cuda/capture.hpp"

#include <algorithm>

namespace fake {
namespace {

void merge(Progress &into, const Progress &from) {
    for (const auto &[stream, count] : from) into[stream] = std::max(into[stream], count);
}

void advance(Capture &capture, Stream &stream) {
    ++capture.members[&stream][&stream];
    ++graph_of(capture).nodes;
}

// A wait makes its stream a member but is not a node.
void join(Capture &capture, Stream &stream, const Progress &behind) {
    stream.capture = &capture;
    merge(capture.members[&stream], behind);
    capture.members[&stream].try_emplace(&stream, 0);
}

void finish(Capture &capture) {
    if (capture.graph) free_graph(*capture.graph);
    for (const auto &member : capture.members) member.first->capture = nullptr;
    world().captures.erase(capture.id);
}

// The origin must have waited for all work of every stream of the capture.
bool joined(const Capture &capture) {
    const Progress &origin = capture.members.at(capture.origin);
    for (const auto &[stream, progress] : capture.members) {
        const auto seen = origin.find(stream);
        if ((seen == origin.end() ? 0 : seen->second) < progress.at(stream)) return false;
    }
    return true;
}

bool takes_part_blocking(const Capture &capture, const Context &context) {
    for (const auto &member : capture.members)
        if (member.first->context == &context && (member.first->flags & CU_STREAM_NON_BLOCKING) == 0) return true;
    return false;
}

Capture *running(uint64_t id) {
    const auto found = world().captures.find(id);
    return found == world().captures.end() ? nullptr : found->second.get();
}

CUresult break_capture(Capture &capture, CUresult why) {
    capture.invalid = true;
    return why;
}

} // namespace

CUresult begin_capture(Stream &stream, CUstreamCaptureMode mode) {
    if (stream.legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (stream.capture) return CUDA_ERROR_ILLEGAL_STATE;
    auto capture = std::make_unique<Capture>();
    capture->id = world().next_capture++;
    capture->origin = &stream;
    capture->mode = mode;
    capture->thread = thread().id;
    capture->members[&stream][&stream] = 0;
    stream.capture = capture.get();
    world().captures[capture->id] = std::move(capture);
    return CUDA_SUCCESS;
}

CUresult end_capture(Stream &stream, Graph **out) {
    Capture *capture = stream.capture;
    if (!capture) return CUDA_ERROR_ILLEGAL_STATE;
    if (&stream != capture->origin) return break_capture(*capture, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != thread().id) {
        finish(*capture); // ended nevertheless, as observed on a GPU
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    }
    const CUresult result = capture->invalid    ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                            : !joined(*capture) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                                                : CUDA_SUCCESS;
    if (result == CUDA_SUCCESS) {
        *out = &graph_of(*capture);
        capture->graph = nullptr;
        note_made(FAKE_CUDA_GRAPH, **out);
    }
    finish(*capture);
    return result;
}

Graph &graph_of(Capture &capture) {
    if (capture.graph) return *capture.graph;
    Object *made = thread().made; // by the call in progress, which did not ask for the graph
    capture.graph = new_graph(*capture.origin->context);
    thread().made = made;
    return *capture.graph;
}

void drop_capture_of(Stream &stream) {
    Capture *capture = stream.capture;
    if (!capture) return;
    if (capture->origin == &stream) return finish(*capture);
    // Its work can no longer be joined.
    capture->invalid = true;
    capture->members.erase(&stream);
    stream.capture = nullptr;
}

CUresult check_unsafe() {
    const Thread &self = thread();
    if (self.mode == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;
    CUresult result = CUDA_SUCCESS;
    for (auto &entry : world().captures) {
        Capture &capture = *entry.second;
        const bool own = capture.thread == self.id && capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED;
        const bool others = capture.thread != self.id && capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                            self.mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
        if (own || others) result = break_capture(capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    return result;
}

CUresult check_quiet(Stream &stream) {
    if (stream.capture)
        return break_capture(*stream.capture, stream.capture->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                                                                      : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    bool captured = false;
    if (stream.legacy)
        if (const CUresult result = enter_work(stream, &captured); result != CUDA_SUCCESS) return result;
    return check_unsafe();
}

CUresult check_quiet(Context &context) {
    CUresult result = CUDA_SUCCESS;
    for (auto &entry : world().captures)
        for (const auto &member : entry.second->members)
            if (member.first->context == &context)
                result = break_capture(*entry.second, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    return result != CUDA_SUCCESS ? result : check_unsafe();
}

CUresult capture_status(Stream &stream, CUstreamCaptureStatus *out) {
    *out = CU_STREAM_CAPTURE_STATUS_NONE;
    if (stream.legacy)
        for (const auto &entry : world().captures)
            if (takes_part_blocking(*entry.second, *stream.context)) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    if (stream.capture)
        *out = stream.capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return CUDA_SUCCESS;
}

CUresult enter_work(Stream &stream, bool *captured) {
    *captured = false;
    if (stream.legacy) {
        CUresult result = CUDA_SUCCESS;
        for (auto &entry : world().captures)
            if (takes_part_blocking(*entry.second, *stream.context))
                result = break_capture(*entry.second, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        return result;
    }
    if (!stream.capture) return CUDA_SUCCESS;
    if (stream.capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    *captured = true;
    advance(*stream.capture, stream);
    return CUDA_SUCCESS;
}

CUresult capture_wait(Stream &stream, Event &event, bool external, bool *captured) {
    *captured = false;
    Capture *const own = stream.capture;
    if (own && own->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (external) {
        if (!own) return CUDA_ERROR_INVALID_VALUE;
        return enter_work(stream, captured);
    }
    if (event.capture != 0) {
        Capture *const theirs = running(event.capture);
        if (!theirs) return CUDA_ERROR_INVALID_VALUE;
        if (theirs->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
        if (stream.legacy) return break_capture(*theirs, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        if (own && own != theirs) {
            own->invalid = true;
            return break_capture(*theirs, CUDA_ERROR_STREAM_CAPTURE_MERGE);
        }
        join(*theirs, stream, event.behind);
        *captured = true;
        return CUDA_SUCCESS;
    }
    if (own) return break_capture(*own, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    return enter_work(stream, captured);
}

CUresult capture_record(Stream &stream, Event &event, bool external, bool *captured) {
    if (external && !stream.capture) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult result = enter_work(stream, captured); result != CUDA_SUCCESS) return result;
    if (external) return CUDA_SUCCESS; // a node; the event itself is not changed
    event.capture = *captured ? stream.capture->id : 0;
    event.behind = *captured ? stream.capture->members[&stream] : Progress{};
    return CUDA_SUCCESS;
}

CUresult check_record(const Event &event) {
    if (event.capture == 0) return CUDA_SUCCESS;
    Capture *capture = running(event.capture);
    if (!capture || capture->invalid) return CUDA_ERROR_INVALID_VALUE;
    return break_capture(*capture, CUDA_ERROR_CAPTURED_EVENT); // in any mode, as observed on a GPU
}

CUresult check_event(const Event &event) {
    const CUresult result = check_record(event);
    return result == CUDA_SUCCESS ? check_unsafe() : result;
}

} // namespace fake
