// SPDX-License-Identifier: Apache-2.0
#if defined(GPUSTREAM_WITH_CUDA)
#include "cuda_scripted_driver.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace gs::cuda {

ScriptedDriver *g_script = nullptr;

namespace {

void install_contexts() {
    g_driver.primary_ctx_retain.pfn = [](CUcontext *out, CUdevice device) {
        return g_script->call("cuDevicePrimaryCtxRetain", [&] {
            ScriptedDriver::Context &context = g_script->contexts[device];
            if (!context.active) context = {true, g_script->next_id++};
            *out = ScriptedDriver::context_of(device);
            return CUDA_SUCCESS;
        });
    };
    g_driver.primary_ctx_release.pfn = [](CUdevice) { return g_script->call("cuDevicePrimaryCtxRelease"); };
    g_driver.primary_ctx_get_state.pfn = [](CUdevice device, unsigned *flags, int *active) {
        return g_script->call("cuDevicePrimaryCtxGetState", [&] {
            *flags = 0;
            *active = g_script->contexts[device].active;
            return CUDA_SUCCESS;
        });
    };
    g_driver.ctx_get_id.pfn = [](CUcontext context, unsigned long long *id) {
        return g_script->call("cuCtxGetId", [&] {
            const ScriptedDriver::Context &known = g_script->contexts[ScriptedDriver::device_of(context)];
            if (!known.active) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
            *id = known.id;
            return CUDA_SUCCESS;
        });
    };
    g_driver.ctx_get_current.pfn = [](CUcontext *out) {
        return g_script->call("cuCtxGetCurrent", [&] {
            *out = g_script->current();
            return CUDA_SUCCESS;
        });
    };
    g_driver.ctx_set_current.pfn = [](CUcontext context) {
        return g_script->call("cuCtxSetCurrent", [&] {
            if (!g_script->stack.empty()) g_script->stack.pop_back();
            if (context) g_script->stack.push_back(context);
            return CUDA_SUCCESS;
        });
    };
    g_driver.ctx_push_current.pfn = [](CUcontext context) {
        return g_script->call("cuCtxPushCurrent", [&] {
            g_script->stack.push_back(context);
            return CUDA_SUCCESS;
        });
    };
    g_driver.ctx_pop_current.pfn = [](CUcontext *out) {
        return g_script->call("cuCtxPopCurrent", [&] {
            if (g_script->stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
            *out = g_script->current();
            g_script->stack.pop_back();
            return CUDA_SUCCESS;
        });
    };
    g_driver.ctx_get_device.pfn = [](CUdevice *out) {
        return g_script->call("cuCtxGetDevice", [&] {
            *out = ScriptedDriver::device_of(g_script->current());
            return CUDA_SUCCESS;
        });
    };
    g_driver.ctx_synchronize.pfn = [] { return g_script->call("cuCtxSynchronize"); };
    g_driver.ctx_get_stream_priority_range.pfn = [](int *least, int *greatest) {
        return g_script->call("cuCtxGetStreamPriorityRange", [&] {
            *least = 0;
            *greatest = -5;
            return CUDA_SUCCESS;
        });
    };
    g_driver.thread_exchange_capture_mode.pfn = [](CUstreamCaptureMode *mode) {
        return g_script->call("cuThreadExchangeStreamCaptureMode", [&] {
            std::swap(*mode, g_script->mode);
            return CUDA_SUCCESS;
        });
    };
}

void install_objects() {
    g_driver.stream_create.pfn = [](CUstream *out, unsigned, int) {
        return g_script->call("cuStreamCreateWithPriority", [&] {
            *out = reinterpret_cast<CUstream>(0x5000);
            return CUDA_SUCCESS;
        });
    };
    g_driver.stream_destroy.pfn = [](CUstream) { return g_script->call("cuStreamDestroy"); };
    g_driver.stream_query.pfn = [](CUstream) { return g_script->call("cuStreamQuery"); };
    g_driver.stream_synchronize.pfn = [](CUstream) { return g_script->call("cuStreamSynchronize"); };
    g_driver.stream_wait_event.pfn = [](CUstream, CUevent, unsigned) { return g_script->call("cuStreamWaitEvent"); };
    g_driver.stream_is_capturing.pfn = [](CUstream, CUstreamCaptureStatus *out) {
        return g_script->call("cuStreamIsCapturing", [&] {
            *out = g_script->capture_status;
            return CUDA_SUCCESS;
        });
    };
    g_driver.stream_get_id.pfn = [](CUstream, unsigned long long *out) {
        return g_script->call("cuStreamGetId", [&] {
            *out = 77;
            return CUDA_SUCCESS;
        });
    };
    g_driver.event_create.pfn = [](CUevent *out, unsigned) {
        return g_script->call("cuEventCreate", [&] {
            *out = reinterpret_cast<CUevent>(0x6000);
            return CUDA_SUCCESS;
        });
    };
    g_driver.event_destroy.pfn = [](CUevent) { return g_script->call("cuEventDestroy"); };
    g_driver.event_record.pfn = [](CUevent, CUstream) { return g_script->call("cuEventRecord"); };
    g_driver.event_query.pfn = [](CUevent) { return g_script->call("cuEventQuery"); };
}

void install_work() {
    g_driver.mem_get_info.pfn = [](size_t *free_bytes, size_t *total) {
        return g_script->call("cuMemGetInfo", [&] {
            *free_bytes = 12345;
            *total = 67890;
            return CUDA_SUCCESS;
        });
    };
    g_driver.mem_alloc_async.pfn = [](CUdeviceptr *out, size_t, CUstream) {
        return g_script->call("cuMemAllocAsync", [&] {
            *out = 0x7000;
            return CUDA_SUCCESS;
        });
    };
    g_driver.module_load_data_ex.pfn = [](CUmodule *out, const void *, unsigned count, CUjit_option *options,
                                          void **values) {
        return g_script->call("cuModuleLoadDataEx", [&] {
            for (unsigned i = 0; i < count; ++i)
                if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
                    std::strcpy(static_cast<char *>(values[i]), g_script->jit_log);
            *out = reinterpret_cast<CUmodule>(0x8000);
            return CUDA_SUCCESS;
        });
    };
    g_driver.module_unload.pfn = [](CUmodule) { return g_script->call("cuModuleUnload"); };
    g_driver.module_get_function.pfn = [](CUfunction *out, CUmodule, const char *) {
        return g_script->call("cuModuleGetFunction", [&] {
            *out = reinterpret_cast<CUfunction>(0x9000);
            return CUDA_SUCCESS;
        });
    };
    g_driver.launch_kernel.pfn = [](CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                    CUstream, void **, void **) { return g_script->call("cuLaunchKernel"); };
}

} // namespace

ScriptedTestBase::ScriptedTestBase() {
    g_script = &script_;
    empty_driver_table(&g_driver);
    install_contexts();
    install_objects();
    install_work();
    for (int i = 0; i < 2; ++i) {
        devices_[i].ordinal = devices_[i].handle = i;
        devices_[i].memory_pools = true;
    }
    g_devices = devices_;
    g_device_count = 2;
}

ScriptedTestBase::~ScriptedTestBase() {
    g_driver = saved_table_;
    g_devices = nullptr;
    g_device_count = 0;
    g_script = nullptr;
}

uintptr_t ScriptedTestBase::make_stream(int32_t ordinal) {
    StreamNative stream{};
    EXPECT_TRUE(backend_.stream_create({ordinal, 0, false}, &stream).ok()) << detail().message;
    script_.calls.clear();
    return stream.native;
}

} // namespace gs::cuda
#endif
