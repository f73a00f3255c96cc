// SPDX-License-Identifier: Apache-2.0
#include "driver.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace paired {

Driver g_driver{};

namespace {

struct Lookup {
    void *library;
    std::string missing;

    template <typename Function>
    void find(Function *&out, const char *name) {
        out = reinterpret_cast<Function *>(dlsym(library, name));
        if (!out && missing.empty()) missing = std::string(name) + " is missing";
    }
};

void keep_freed_memory() {
    constexpr int kReleaseThreshold = 4;
    void *pool = nullptr;
    uint64_t all = UINT64_MAX;
    if (g_driver.default_pool && g_driver.pool_set_attribute && g_driver.default_pool(&pool, 0) == 0)
        (void)g_driver.pool_set_attribute(pool, kReleaseThreshold, &all); // only steadies the times
}

} // namespace

const char *open_driver() {
    const char *named = std::getenv("GPUSTREAM_LIBCUDA");
    static Lookup lookup{dlopen(named && *named ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL), {}};
    if (!lookup.library) return "there is no libcuda.so.1";
    lookup.find(g_driver.init, "cuInit");
    lookup.find(g_driver.retain_context, "cuDevicePrimaryCtxRetain");
    lookup.find(g_driver.set_context, "cuCtxSetCurrent");
    lookup.find(g_driver.context_synchronize, "cuCtxSynchronize");
    lookup.find(g_driver.stream_create, "cuStreamCreateWithPriority");
    lookup.find(g_driver.stream_destroy, "cuStreamDestroy_v2");
    lookup.find(g_driver.stream_query, "cuStreamQuery");
    lookup.find(g_driver.stream_synchronize, "cuStreamSynchronize");
    lookup.find(g_driver.stream_wait, "cuStreamWaitEvent");
    lookup.find(g_driver.launch_host, "cuLaunchHostFunc");
    lookup.find(g_driver.event_create, "cuEventCreate");
    lookup.find(g_driver.event_destroy, "cuEventDestroy_v2");
    lookup.find(g_driver.event_record, "cuEventRecord");
    lookup.find(g_driver.event_query, "cuEventQuery");
    lookup.find(g_driver.event_synchronize, "cuEventSynchronize");
    lookup.find(g_driver.malloc_async, "cuMemAllocAsync");
    lookup.find(g_driver.free_async, "cuMemFreeAsync");
    lookup.find(g_driver.memcpy_async, "cuMemcpyAsync");
    lookup.find(g_driver.memset_async, "cuMemsetD8Async");
    lookup.find(g_driver.module_load, "cuModuleLoadData");
    lookup.find(g_driver.module_function, "cuModuleGetFunction");
    lookup.find(g_driver.launch, "cuLaunchKernel");
    lookup.find(g_driver.elapsed, "cuEventElapsedTime");
    if (!lookup.missing.empty()) return lookup.missing.c_str();
    // The form of CUDA 12.8 does not look at other work of the device; gpustream calls it too.
    if (void *newer = dlsym(lookup.library, "cuEventElapsedTime_v2"))
        g_driver.elapsed = reinterpret_cast<decltype(g_driver.elapsed)>(newer);
    Lookup graphs{lookup.library, {}};
    graphs.find(g_driver.begin_capture, "cuStreamBeginCapture_v2");
    graphs.find(g_driver.end_capture, "cuStreamEndCapture");
    graphs.find(g_driver.graph_launch, "cuGraphLaunch");
    graphs.find(g_driver.exec_update, "cuGraphExecUpdate_v2");
    graphs.find(g_driver.exec_destroy, "cuGraphExecDestroy");
    graphs.find(g_driver.graph_destroy, "cuGraphDestroy");
    graphs.find(g_driver.instantiate, "cuGraphInstantiateWithFlags");
    if (!graphs.missing.empty()) g_driver.instantiate = nullptr;
    Lookup optional{lookup.library, {}};
    optional.find(g_driver.write_value, "cuStreamWriteValue64_v2");
    optional.find(g_driver.wait_value, "cuStreamWaitValue64_v2");
    optional.find(g_driver.default_pool, "cuDeviceGetDefaultMemPool");
    optional.find(g_driver.pool_set_attribute, "cuMemPoolSetAttribute");
    if (g_driver.init(0) != 0) return "cuInit failed";
    if (g_driver.retain_context(&g_driver.context, 0) != 0) return "cuDevicePrimaryCtxRetain failed";
    keep_freed_memory();
    return nullptr;
}

} // namespace paired
