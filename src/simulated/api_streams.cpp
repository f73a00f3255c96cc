// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "simulated/driver_call.hpp"

using namespace gs::simulated;

namespace {

CUresult create(CUstream *out, unsigned flags, int priority) {
    Context *context = nullptr;
    if (const CUresult result = current_context(&context); result != CUDA_SUCCESS) return result;
    if (!out || (flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING)) != 0) return CUDA_ERROR_INVALID_VALUE;
    engine::Stream *native = nullptr;
    const bool blocking = (flags & CU_STREAM_NON_BLOCKING) == 0;
    const engine::Result made = world().engine->stream_create(*context->native, priority, blocking, &native);
    if (made != engine::Result::Ok) return to_result(made, *context);
    *out = reinterpret_cast<CUstream>(new_stream(*context, native, flags, native->priority));
    return CUDA_SUCCESS;
}

// A property of a stream that is not being captured.
template <typename Read>
CUresult ask(CUstream handle, Read &&read) {
    Stream *stream = nullptr;
    CUresult result = find_stream(handle, &stream);
    if (result == CUDA_SUCCESS) result = check_quiet(*stream);
    if (result == CUDA_SUCCESS) read(*stream);
    return result;
}

} // namespace

CUresult api_StreamCreate(CUstream *out, unsigned flags) {
    return call(Fn::StreamCreate, [&](Lock &) { return create(out, flags, 0); }, out);
}

CUresult api_StreamCreateWithPriority(CUstream *out, unsigned flags, int priority) {
    return call(Fn::StreamCreateWithPriority, [&](Lock &) { return create(out, flags, priority); }, out);
}

CUresult api_StreamDestroy(CUstream handle) {
    return call(Fn::StreamDestroy, [&](Lock &) {
        if (reinterpret_cast<uintptr_t>(handle) <= 2) return CUDA_ERROR_INVALID_HANDLE;
        Stream *stream = nullptr;
        CUresult result = find_stream(handle, &stream);
        if (result == CUDA_SUCCESS) result = check_unsafe();
        if (result != CUDA_SUCCESS) return result;
        check_idle(*stream, "stream");
        free_stream(*stream);
        return CUDA_SUCCESS;
    });
}

CUresult api_StreamQuery(CUstream handle) {
    return call(Fn::StreamQuery, [&](Lock &) {
        Stream *stream = nullptr;
        CUresult result = find_stream(handle, &stream);
        if (result == CUDA_SUCCESS) result = check_quiet(*stream);
        if (result != CUDA_SUCCESS) return result;
        return to_result(world().engine->stream_query(*stream->native), *stream->context);
    });
}

CUresult api_StreamSynchronize(CUstream handle) {
    return call(Fn::StreamSynchronize, [&](Lock &lock) {
        Stream *stream = nullptr;
        CUresult result = find_stream(handle, &stream);
        if (result == CUDA_SUCCESS) result = check_quiet(*stream);
        if (result != CUDA_SUCCESS) return result;
        engine::Result waited;
        {
            InFlight in_flight(lock, *stream);
            waited = world().engine->stream_synchronize(*stream->native);
        }
        if (waited == engine::Result::Ok) release_reserved(stream->context->device);
        return to_result(waited, *stream->context);
    });
}

CUresult api_StreamWaitEvent(CUstream handle, CUevent event_handle, unsigned flags) {
    return call(Fn::StreamWaitEvent, [&](Lock &) {
        Stream *stream = nullptr;
        Event *event = nullptr;
        CUresult result = find_stream(handle, &stream);
        if (result == CUDA_SUCCESS) result = find_event(event_handle, &event);
        if (result != CUDA_SUCCESS) return result;
        if ((flags & ~1u) != 0) return CUDA_ERROR_INVALID_VALUE;
        // A real driver crashes here (probe P24): no path of the library may get this far.
        if ((event->flags & CU_EVENT_INTERPROCESS) != 0 && event->context->device != stream->context->device) {
            std::fprintf(stderr, "simulated driver: a stream waits for an interprocess event of another device\n");
            std::abort();
        }
        const bool external = (flags & CU_EVENT_WAIT_EXTERNAL) != 0;
        if (external && engine::Engine::capture_of(*stream->native) == 0) return CUDA_ERROR_INVALID_VALUE;
        return to_result(world().engine->stream_wait(*stream->native, *event->native, external), *stream->context);
    });
}

CUresult api_StreamIsCapturing(CUstream handle, CUstreamCaptureStatus *out) {
    return call(
        Fn::StreamIsCapturing,
        [&](Lock &) {
            Stream *stream = nullptr;
            const CUresult result = find_stream(handle, &stream);
            return result != CUDA_SUCCESS ? result : capture_status(*stream, out);
        },
        out);
}

CUresult api_StreamGetPriority(CUstream handle, int *out) {
    return call(Fn::StreamGetPriority, [&](Lock &) { return ask(handle, [&](Stream &s) { *out = s.priority; }); }, out);
}

CUresult api_StreamGetFlags(CUstream handle, unsigned *out) {
    return call(Fn::StreamGetFlags, [&](Lock &) { return ask(handle, [&](Stream &s) { *out = s.flags; }); }, out);
}

CUresult api_StreamGetId(CUstream handle, unsigned long long *out) {
    return call(Fn::StreamGetId, [&](Lock &) { return ask(handle, [&](Stream &s) { *out = s.id; }); }, out);
}

CUresult api_StreamGetCtx(CUstream handle, CUcontext *out) {
    return call(
        Fn::StreamGetCtx,
        [&](Lock &) {
            bool green = false;
            const CUresult result = ask(handle, [&](Stream &s) {
                *out = reinterpret_cast<CUcontext>(s.context);
                green = s.green != 0;
            });
            return result == CUDA_SUCCESS && green ? CUDA_ERROR_NOT_SUPPORTED : result; // this form does not know them
        },
        out);
}

CUresult api_StreamGetCtx_v2(CUstream handle, CUcontext *out, CUgreenCtx *out_green) {
    return call(
        Fn::StreamGetCtx_v2,
        [&](Lock &) {
            return ask(handle, [&](Stream &s) {
                *out = reinterpret_cast<CUcontext>(s.context);
                if (out_green) *out_green = reinterpret_cast<CUgreenCtx>(s.green);
            });
        },
        out, out_green);
}

CUresult api_StreamGetDevice(CUstream handle, CUdevice *out) {
    return call(
        Fn::StreamGetDevice, [&](Lock &) { return ask(handle, [&](Stream &s) { *out = s.context->device; }); }, out);
}

CUresult api_StreamSetAttribute(CUstream handle, CUstreamAttrID which, const CUstreamAttrValue *value) {
    return call(Fn::StreamSetAttribute, [&](Lock &) {
        if (!value) return CUDA_ERROR_INVALID_VALUE;
        return ask(handle, [&](Stream &s) { s.attributes[static_cast<int>(which)] = *value; });
    });
}

CUresult api_StreamGetAttribute(CUstream handle, CUstreamAttrID which, CUstreamAttrValue *out) {
    return call(
        Fn::StreamGetAttribute,
        [&](Lock &) {
            if (!out) return CUDA_ERROR_INVALID_VALUE;
            return ask(handle, [&](Stream &s) {
                const auto found = s.attributes.find(static_cast<int>(which));
                *out = found != s.attributes.end() ? found->second : CUstreamAttrValue{};
            });
        },
        out);
}
