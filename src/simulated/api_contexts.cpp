// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "simulated/driver_call.hpp"

using namespace gs::simulated;

namespace {

Context *from(CUcontext handle) { return reinterpret_cast<Context *>(handle); }
CUcontext to_handle(Context *context) { return reinterpret_cast<CUcontext>(context); }

CUresult alive(Context *context) {
    if (!known(context)) return CUDA_ERROR_INVALID_CONTEXT;
    touch(context->device);
    return context->active ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult push(Context *context) {
    if (const CUresult result = alive(context); result != CUDA_SUCCESS) return result;
    Thread &self = thread();
    if (self.depth == Thread::kDepth) return CUDA_ERROR_OUT_OF_MEMORY;
    self.stack[self.depth++] = context;
    return CUDA_SUCCESS;
}

CUresult create(CUcontext *out, CUdevice device) {
    if (device < 0 || device >= world().devices) return CUDA_ERROR_INVALID_DEVICE;
    touch(device);
    auto context = std::make_unique<Context>();
    context->device = device;
    if (const CUresult result = activate(*context); result != CUDA_SUCCESS) return result;
    *out = to_handle(context.get());
    world().others.push_back(context.release());
    return push(world().others.back());
}

CUresult enter_context(Context **out) {
    Context *context = thread().current();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    *out = context;
    return alive(context);
}

} // namespace

CUresult api_CtxCreate(CUcontext *out, unsigned, CUdevice device) {
    return call(Fn::CtxCreate, [&](Lock &) { return create(out, device); }, out);
}

CUresult api_CtxCreate12(CUcontext *out, CUctxCreateParams *params, unsigned, CUdevice device) {
    return call(Fn::CtxCreate12, [&](Lock &) { return params ? CUDA_ERROR_NOT_SUPPORTED : create(out, device); }, out);
}

CUresult api_CtxDestroy(CUcontext handle) {
    return call(Fn::CtxDestroy, [&](Lock &) {
        Context *context = from(handle);
        if (const CUresult result = alive(context); result != CUDA_SUCCESS) return result;
        if (context->primary) return CUDA_ERROR_INVALID_CONTEXT;
        end_life(*context);
        if (thread().current() == context) --thread().depth;
        return CUDA_SUCCESS;
    });
}

CUresult api_CtxGetCurrent(CUcontext *out) {
    return call(
        Fn::CtxGetCurrent,
        [&](Lock &) {
            *out = to_handle(thread().current()); // also if it is dead
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_CtxSetCurrent(CUcontext handle) {
    return call(Fn::CtxSetCurrent, [&](Lock &) {
        Thread &self = thread();
        if (!handle) {
            if (self.depth > 0) --self.depth;
            return CUDA_SUCCESS;
        }
        if (const CUresult result = alive(from(handle)); result != CUDA_SUCCESS) return result;
        if (self.depth > 0) --self.depth;
        return push(from(handle));
    });
}

CUresult api_CtxPushCurrent(CUcontext handle) {
    return call(Fn::CtxPushCurrent, [&](Lock &) { return push(from(handle)); });
}

CUresult api_CtxPopCurrent(CUcontext *out) {
    return call(
        Fn::CtxPopCurrent,
        [&](Lock &) {
            Thread &self = thread();
            if (self.depth == 0) return CUDA_ERROR_INVALID_CONTEXT;
            Context *popped = self.stack[--self.depth];
            if (out) *out = to_handle(popped);
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_CtxGetDevice(CUdevice *out) {
    return call(
        Fn::CtxGetDevice,
        [&](Lock &) {
            Context *context = nullptr;
            if (const CUresult result = enter_context(&context); result != CUDA_SUCCESS) return result;
            *out = context->device;
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_CtxGetId(CUcontext handle, unsigned long long *out) {
    return call(
        Fn::CtxGetId,
        [&](Lock &) {
            Context *context = handle ? from(handle) : thread().current();
            if (const CUresult result = alive(context); result != CUDA_SUCCESS) return result;
            *out = context->id;
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_CtxGetApiVersion(CUcontext handle, unsigned *out) {
    return call(
        Fn::CtxGetApiVersion,
        [&](Lock &) {
            if (const CUresult result = alive(handle ? from(handle) : thread().current()); result != CUDA_SUCCESS)
                return result;
            *out = 3020;
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_CtxSynchronize() {
    return call(Fn::CtxSynchronize, [&](Lock &lock) {
        Context *context = nullptr;
        CUresult result = current_context(&context);
        if (result == CUDA_SUCCESS) result = check_quiet(*context);
        if (result != CUDA_SUCCESS) return result;
        engine::Device &device = *context->native;
        lock.unlock();
        const engine::Result waited = world().engine->device_synchronize(device);
        lock.lock();
        if (waited == engine::Result::Ok) release_reserved(context->device);
        return to_result(waited, *context);
    });
}

CUresult api_CtxRecordEvent(CUcontext handle, CUevent event) {
    return call(Fn::CtxRecordEvent, [&](Lock &) {
        Context *context = from(handle);
        Event *found = nullptr;
        CUresult result = alive(context);
        if (result == CUDA_SUCCESS) result = check_quiet(*context);
        if (result == CUDA_SUCCESS) result = find_event(event, &found);
        if (result != CUDA_SUCCESS) return result;
        if (found->context != context) return CUDA_ERROR_INVALID_HANDLE;
        return to_result(world().engine->device_record(*context->native, *found->native), *context);
    });
}

CUresult api_CtxGetFlags(unsigned *out) {
    return call(
        Fn::CtxGetFlags,
        [&](Lock &) {
            Context *context = nullptr;
            if (const CUresult result = enter_context(&context); result != CUDA_SUCCESS) return result;
            *out = 0;
            return CUDA_SUCCESS;
        },
        out);
}

// As a device of capability 9 has them: limit 3 is one of older devices.
CUresult api_CtxGetLimit(size_t *out, CUlimit limit) {
    return call(
        Fn::CtxGetLimit,
        [&](Lock &) {
            constexpr size_t kUsual[] = {1024, 7 << 20, 8 << 20, 0, 2048, 128, 0};
            Context *context = nullptr;
            if (const CUresult result = current_context(&context); result != CUDA_SUCCESS) return result;
            if (!out || limit < 0 || limit > 6) return CUDA_ERROR_INVALID_VALUE;
            if (limit == 3) return CUDA_ERROR_UNSUPPORTED_LIMIT;
            const auto set = context->limits.find(limit);
            *out = set != context->limits.end() ? set->second : kUsual[limit];
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_CtxSetLimit(CUlimit limit, size_t value) {
    return call(Fn::CtxSetLimit, [&](Lock &) {
        Context *context = nullptr;
        if (const CUresult result = current_context(&context); result != CUDA_SUCCESS) return result;
        if (limit < 0 || limit > 6 || value > size_t{1} << 40) return CUDA_ERROR_INVALID_VALUE;
        if (limit == 3) return CUDA_ERROR_UNSUPPORTED_LIMIT;
        context->limits[limit] = limit == CU_LIMIT_STACK_SIZE ? (value + 15) / 16 * 16 : value; // rounded
        return CUDA_SUCCESS;
    });
}

CUresult api_CtxGetStreamPriorityRange(int *least, int *greatest) {
    return call(
        Fn::CtxGetStreamPriorityRange,
        [&](Lock &) {
            Context *context = nullptr;
            if (const CUresult result = enter_context(&context); result != CUDA_SUCCESS) return result;
            if (least) *least = engine::kLeastPriority;
            if (greatest) *greatest = engine::kGreatestPriority;
            return CUDA_SUCCESS;
        },
        least, greatest);
}

CUresult api_CtxEnablePeerAccess(CUcontext peer, unsigned flags) {
    return call(Fn::CtxEnablePeerAccess, [&](Lock &) {
        Context *context = nullptr;
        CUresult result = current_context(&context);
        if (result == CUDA_SUCCESS) result = check_unsafe();
        if (result == CUDA_SUCCESS) result = flags == 0 ? alive(from(peer)) : CUDA_ERROR_INVALID_VALUE;
        if (result != CUDA_SUCCESS) return result;
        if (from(peer)->device == context->device) return CUDA_ERROR_INVALID_DEVICE;
        return context->peers.insert(from(peer)).second ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    });
}

CUresult api_CtxDisablePeerAccess(CUcontext peer) {
    return call(Fn::CtxDisablePeerAccess, [&](Lock &) {
        Context *context = nullptr;
        CUresult result = current_context(&context);
        if (result == CUDA_SUCCESS) result = check_unsafe();
        if (result != CUDA_SUCCESS) return result;
        return context->peers.erase(from(peer)) != 0 ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
    });
}

CUresult api_ThreadExchangeMode(CUstreamCaptureMode *mode) {
    return call(
        Fn::ThreadExchangeMode,
        [&](Lock &) {
            if (!mode || *mode < CU_STREAM_CAPTURE_MODE_GLOBAL || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
                return CUDA_ERROR_INVALID_VALUE;
            std::swap(*mode, thread().mode);
            return CUDA_SUCCESS;
        },
        mode);
}

// There is never a profiler; what the calls do is counted.
CUresult api_ProfilerStart() {
    return call(Fn::ProfilerStart, [&](Lock &) {
        Context *context = nullptr;
        return enter_context(&context);
    });
}

CUresult api_ProfilerStop() {
    return call(Fn::ProfilerStop, [&](Lock &) {
        Context *context = nullptr;
        return enter_context(&context);
    });
}
