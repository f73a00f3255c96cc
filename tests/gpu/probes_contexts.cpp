// SPDX-License-Identifier: Apache-2.0
// Streams of other contexts than the primary one: which calls the driver allows with objects of the primary context. What
// docs/adr/0009-streams-of-primary-contexts.md goes by.
#include "probe_driver.hpp"

namespace probes {
namespace {

template <typename Function>
Function function(const char *name) {
    static void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<Function>(dlsym(library, name));
}

// What our calls would do with a stream of another context while only the primary context has objects of ours.
void use(CUstream stream, CUcontext primary, const char *what) {
    CUcontext context = nullptr;
    const CUresult asked = d.stream_get_ctx(stream, &context);
    CUdevice device = -1;
    const CUresult device_asked = d.stream_get_device ? d.stream_get_device(stream, &device) : CUDA_ERROR_NOT_FOUND;
    GS_FINDING("%s: cuStreamGetCtx -> %d, the primary one: %s; cuStreamGetDevice -> %d", what, asked,
               context == primary ? "yes" : "no", device_asked);
    const CUstream ours = new_stream();
    const CUevent event = new_event(), reverse = new_event();
    const CUresult record = d.event_record(event, stream);
    GS_MUST(d.event_record(reverse, ours));
    const CUresult wait = d.stream_wait_event(stream, reverse, 0);
    CUdeviceptr memory = 0;
    const CUresult alloc = d.mem_alloc_async(&memory, 256, stream);
    const CUresult fill = d.memset_d8_async(memory, 1, 256, stream);
    const CUresult host = d.launch_host_func(stream, [](void *) {}, nullptr);
    GS_FINDING("%s: record of an event of the primary context -> %d, wait for one -> %d, cuMemAllocAsync -> %d, "
               "cuMemsetD8Async -> %d, cuLaunchHostFunc -> %d, synchronise -> %d",
               what, record, wait, alloc, fill, host, d.stream_synchronize(stream));
}

void other_context() {
    const CUcontext primary = start();
    CUcontext other = nullptr;
    GS_MUST(function<PFN_cuCtxCreate_v3020>("cuCtxCreate_v2")(&other, 0, 0));
    const CUstream stream = new_stream();
    const CUevent own = new_event();
    GS_MUST(d.event_record(own, stream));
    GS_MUST(d.ctx_set_current(primary));
    use(stream, primary, "a context of cuCtxCreate");
    GS_FINDING("its own event, the primary context being current: cuEventRecord -> %d, cuEventQuery -> %d",
               d.event_record(own, stream), d.event_query(own));
}

void green_context() {
    const CUcontext primary = start();
    const auto get = function<PFN_cuDeviceGetDevResource_v12040>("cuDeviceGetDevResource");
    const auto split = function<PFN_cuDevSmResourceSplitByCount_v12040>("cuDevSmResourceSplitByCount");
    const auto describe = function<PFN_cuDevResourceGenerateDesc_v12040>("cuDevResourceGenerateDesc");
    const auto create = function<PFN_cuGreenCtxCreate_v12040>("cuGreenCtxCreate");
    const auto create_stream = function<PFN_cuGreenCtxStreamCreate_v12050>("cuGreenCtxStreamCreate");
    if (!get || !split || !describe || !create || !create_stream) {
        GS_FINDING("this driver has no green contexts");
        return;
    }
    CUdevResource all{}, part{}, rest{};
    unsigned groups = 1;
    CUdevResourceDesc description = nullptr;
    CUgreenCtx green = nullptr;
    CUstream stream = nullptr;
    if (const CUresult result = get(0, &all, CU_DEV_RESOURCE_TYPE_SM); result != CUDA_SUCCESS) {
        GS_FINDING("this device has no green contexts: cuDeviceGetDevResource -> %d", result);
        return;
    }
    GS_MUST(split(&part, &groups, &all, &rest, 0, 8));
    GS_MUST(describe(&description, &part, 1));
    GS_MUST(create(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    GS_MUST(create_stream(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    use(stream, primary, "a green context");
}

} // namespace

const Probe kContextProbes[] = {{"P18.other", other_context}, {"P18.green", green_context}};
const int kContextProbeCount = static_cast<int>(sizeof kContextProbes / sizeof kContextProbes[0]);

} // namespace probes
