// SPDX-License-Identifier: Apache-2.0
#include "simulated/driver_call.hpp"

using namespace gs::simulated;

namespace {

constexpr unsigned kEventFlags = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

CUresult record(CUevent event_handle, CUstream stream_handle, unsigned flags) {
    Event *event = nullptr;
    Stream *stream = nullptr;
    CUresult result = find_event(event_handle, &event);
    if (result == CUDA_SUCCESS) result = find_stream(stream_handle, &stream);
    if (result != CUDA_SUCCESS) return result;
    if ((flags & ~1u) != 0) return CUDA_ERROR_INVALID_VALUE;
    if (event->context != stream->context) return CUDA_ERROR_INVALID_HANDLE;
    const bool external = (flags & CU_EVENT_RECORD_EXTERNAL) != 0;
    if (external && engine::Engine::capture_of(*stream->native) == 0) return CUDA_ERROR_INVALID_VALUE;
    return to_result(world().engine->event_record(*event->native, *stream->native, external), *stream->context);
}

// The driver's order: handles, their kinds, then completion.
CUresult elapsed(float *out, CUevent start_handle, CUevent end_handle) {
    Event *start = nullptr, *end = nullptr;
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_event(start_handle, &start);
    if (result == CUDA_SUCCESS) result = find_event(end_handle, &end);
    if (result != CUDA_SUCCESS) return result;
    if (start->context != end->context) return CUDA_ERROR_INVALID_HANDLE;
    int64_t ns = 0;
    const engine::Result measured = world().engine->event_elapsed_ns(*start->native, *end->native, &ns);
    if (measured == engine::Result::Ok) *out = static_cast<float>(static_cast<double>(ns) / 1e6);
    return to_result(measured, *start->context);
}

// In any mode a captured event cannot be asked, as observed on a GPU.
CUresult check_event(const Event &event) {
    const engine::Result captured = world().engine->event_captured(*event.native);
    return captured != engine::Result::Ok ? to_result(captured, *event.context) : check_unsafe();
}

} // namespace

CUresult api_EventCreate(CUevent *out, unsigned flags) {
    return call(
        Fn::EventCreate,
        [&](Lock &) {
            Context *context = nullptr;
            if (const CUresult result = current_context(&context); result != CUDA_SUCCESS) return result;
            const bool shared = (flags & CU_EVENT_INTERPROCESS) != 0;
            const bool timed = (flags & CU_EVENT_DISABLE_TIMING) == 0;
            if (!out || (flags & ~kEventFlags) != 0 || (shared && timed)) return CUDA_ERROR_INVALID_VALUE;
            engine::EventOptions options;
            options.timing = timed;
            options.blocking = (flags & CU_EVENT_BLOCKING_SYNC) != 0;
            options.interprocess = shared;
            engine::Event *native = nullptr;
            const engine::Result made = world().engine->event_create(*context->native, options, &native);
            if (made != engine::Result::Ok) return to_result(made, *context);
            *out = reinterpret_cast<CUevent>(new_event(*context, native, flags));
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_EventDestroy(CUevent handle) {
    return call(Fn::EventDestroy, [&](Lock &) {
        Event *event = nullptr;
        CUresult result = find_event(handle, &event);
        if (result == CUDA_SUCCESS) result = check_unsafe();
        if (result != CUDA_SUCCESS) return result;
        check_idle(*event, "event");
        free_event(*event);
        return CUDA_SUCCESS;
    });
}

CUresult api_EventRecord(CUevent event, CUstream stream) {
    return call(Fn::EventRecord, [&](Lock &) { return record(event, stream, 0); });
}

CUresult api_EventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
    return call(Fn::EventRecordWithFlags, [&](Lock &) { return record(event, stream, flags); });
}

CUresult api_EventQuery(CUevent handle) {
    return call(Fn::EventQuery, [&](Lock &) {
        Event *event = nullptr;
        CUresult result = find_event(handle, &event);
        if (result == CUDA_SUCCESS) result = check_event(*event);
        if (result != CUDA_SUCCESS) return result;
        const engine::Result result_of_query = world().engine->event_query(*event->native);
        // As the driver: events of a process that has ended count as done. Those behind a wait for one fail with their stream.
        const bool opened = (event->flags & CU_EVENT_INTERPROCESS) != 0;
        if (result_of_query == engine::Result::PeerLost && opened) return CUDA_SUCCESS;
        return to_result(result_of_query, *event->context);
    });
}

CUresult api_EventSynchronize(CUevent handle) {
    return call(Fn::EventSynchronize, [&](Lock &lock) {
        Event *event = nullptr;
        CUresult result = find_event(handle, &event);
        if (result == CUDA_SUCCESS) result = check_event(*event);
        if (result != CUDA_SUCCESS) return result;
        engine::Result waited;
        {
            InFlight in_flight(lock, *event);
            waited = world().engine->event_synchronize(*event->native);
        }
        if (waited == engine::Result::Ok) release_reserved(event->context->device);
        return to_result(waited, *event->context);
    });
}

CUresult api_EventElapsedTime(float *out, CUevent start, CUevent end) {
    return call(Fn::EventElapsedTime, [&](Lock &) { return elapsed(out, start, end); }, out);
}

CUresult api_EventElapsedTime12(float *out, CUevent start, CUevent end) {
    return call(Fn::EventElapsedTime12, [&](Lock &) { return elapsed(out, start, end); }, out);
}

CUresult api_IpcGetEventHandle(CUipcEventHandle *out, CUevent handle) {
    return call(
        Fn::IpcGetEventHandle,
        [&](Lock &) {
            Event *event = nullptr;
            CUresult result = find_event(handle, &event);
            if (result == CUDA_SUCCESS) result = check_unsafe();
            if (result != CUDA_SUCCESS) return result;
            if ((event->flags & CU_EVENT_INTERPROCESS) == 0) return CUDA_ERROR_INVALID_HANDLE;
            engine::IpcHandle bytes;
            static_assert(sizeof bytes == sizeof out->reserved);
            const engine::Result made = world().engine->ipc_export(*event->native, &bytes);
            if (made == engine::Result::Ok) std::memcpy(out->reserved, &bytes, sizeof bytes);
            if (made == engine::Result::NotSupported)
                return CUDA_ERROR_INVALID_HANDLE; // an opened event cannot be exported again
            return to_result(made, *event->context);
        },
        out);
}

CUresult api_IpcOpenEventHandle(CUevent *out, CUipcEventHandle handle) {
    return call(
        Fn::IpcOpenEventHandle,
        [&](Lock &) {
            Context *context = nullptr;
            CUresult result = current_context(&context);
            if (result == CUDA_SUCCESS) result = check_unsafe();
            if (result != CUDA_SUCCESS) return result;
            engine::IpcHandle bytes;
            std::memcpy(&bytes, handle.reserved, sizeof bytes);
            engine::Event *native = nullptr;
            const engine::Result opened = world().engine->ipc_open(*context->native, bytes, &native);
            if (opened == engine::Result::NotSupported) return CUDA_ERROR_INVALID_CONTEXT; // this process exported it
            if (opened != engine::Result::Ok) return to_result(opened, *context);
            *out =
                reinterpret_cast<CUevent>(new_event(*context, native, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
            return CUDA_SUCCESS;
        },
        out);
}
