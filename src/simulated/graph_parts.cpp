// SPDX-License-Identifier: Apache-2.0
#include "simulated/graph_parts.hpp"

#include "simulated/kernel_launch.hpp"

namespace gs::simulated {

CUresult find_graph(CUgraph handle, engine::Graph **out) {
    const Graph *graph = world().graphs.find(handle);
    *out = graph ? native_graph(*graph) : nullptr;
    if (*out) note(kGraphKind, handle);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult find_node(CUgraphNode handle, engine::GraphNode **out) {
    *out = world().engine->find_node(reinterpret_cast<uintptr_t>(handle));
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult find_nodes(const CUgraphNode *handles, size_t count, std::vector<engine::GraphNode *> *out) {
    if (count > 0 && !handles) return CUDA_ERROR_INVALID_VALUE;
    out->resize(count);
    for (size_t i = 0; i < count; ++i)
        if (const CUresult result = find_node(handles[i], &(*out)[i]); result != CUDA_SUCCESS) return result;
    return CUDA_SUCCESS;
}

CUresult find_exec(CUgraphExec handle, GraphExec **out) {
    *out = world().graph_execs.find(handle);
    if (*out) note(kGraphExecKind, handle);
    if (!*out && handle && world().graph_execs.ever.count(reinterpret_cast<uintptr_t>(handle)) == 0)
        violation("%p, which never was an executable graph, was passed to the driver", static_cast<void *>(handle));
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult graph_result(engine::Result result, const engine::Device &device) {
    if (result == engine::Result::WrongDevice) return CUDA_ERROR_INVALID_VALUE;
    return to_result(result, *context_of(device));
}

namespace {

// The context of a copy or fill.
CUresult device_of(CUcontext handle, engine::Device **out) {
    Context *context = handle ? reinterpret_cast<Context *>(handle) : thread().current();
    if (!context || !known(context) || !context->active) return CUDA_ERROR_INVALID_CONTEXT;
    *out = context->native;
    return CUDA_SUCCESS;
}

const void *side(CUmemorytype type, const void *host, CUdeviceptr device, size_t offset) {
    if (type == CU_MEMORYTYPE_ARRAY) return nullptr;
    const auto *base = type == CU_MEMORYTYPE_HOST ? host : reinterpret_cast<const void *>(device);
    return base ? static_cast<const char *>(base) + offset : nullptr;
}

} // namespace

CUresult kernel_body(const CUDA_KERNEL_NODE_PARAMS_v2 *params, engine::NodeBody *out) {
    if (!params || params->extra) return CUDA_ERROR_INVALID_VALUE;
    const LaunchShape launch{{params->gridDimX, params->gridDimY, params->gridDimZ},
                             {params->blockDimX, params->blockDimY, params->blockDimZ},
                             params->sharedMemBytes};
    Kernel *kernel = nullptr;
    Implementation implementation;
    const CUresult result = check_launch(params->func ? params->func : reinterpret_cast<CUfunction>(params->kern),
                                         launch, &kernel, &implementation);
    if (result != CUDA_SUCCESS) return result;
    if (!params->kernelParams && !implementation->parameters.empty()) return CUDA_ERROR_INVALID_VALUE;
    to_body(prepare_launch(*kernel, implementation, launch, params->kernelParams), out);
    out->device = kernel->module->context->native;
    return CUDA_SUCCESS;
}

// One dimension; there are no others here.
CUresult memcpy_body(const CUDA_MEMCPY3D *params, CUcontext context, engine::NodeBody *out) {
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    if (params->Height != 1 || params->Depth != 1) return CUDA_ERROR_NOT_SUPPORTED;
    const void *src = side(params->srcMemoryType, params->srcHost, params->srcDevice, params->srcXInBytes);
    const void *dst = side(params->dstMemoryType, params->dstHost, params->dstDevice, params->dstXInBytes);
    if (!src || !dst || params->WidthInBytes == 0) return CUDA_ERROR_INVALID_VALUE;
    out->kind = engine::NodeKind::Copy;
    out->action = engine::NodeAction::Copy;
    out->copy = {const_cast<void *>(dst), src, params->WidthInBytes};
    return device_of(context, &out->device);
}

CUresult memset_body(const CUDA_MEMSET_NODE_PARAMS_v1 *params, CUcontext context, engine::NodeBody *out) {
    if (!params || params->dst == 0 || params->width == 0) return CUDA_ERROR_INVALID_VALUE;
    const unsigned element = params->elementSize;
    if (element != 1 && element != 2 && element != 4) return CUDA_ERROR_INVALID_VALUE;
    if (params->height != 1) return CUDA_ERROR_NOT_SUPPORTED;
    out->kind = engine::NodeKind::Fill;
    out->action = engine::NodeAction::Fill;
    out->fill = {reinterpret_cast<void *>(params->dst), params->width * element, params->value, element};
    return device_of(context, &out->device);
}

CUresult host_body(const CUDA_HOST_NODE_PARAMS_v1 *params, engine::Device *device, engine::NodeBody *out) {
    if (!params || !params->fn) return CUDA_ERROR_INVALID_VALUE;
    out->kind = engine::NodeKind::Host;
    out->action = engine::NodeAction::Task;
    out->work = engine::Ref<engine::Work>(new engine::Work(host_task(params->fn, params->userData)));
    out->device = device;
    return CUDA_SUCCESS;
}

CUresult event_body(CUevent handle, bool record, engine::NodeBody *out) {
    Event *event = nullptr;
    const CUresult result = find_event(handle, &event);
    if (result != CUDA_SUCCESS) return result;
    out->kind = record ? engine::NodeKind::Record : engine::NodeKind::Wait;
    out->action = record ? engine::NodeAction::Record : engine::NodeAction::Wait;
    out->event = event->native;
    out->device = event->context->native;
    return CUDA_SUCCESS;
}

} // namespace gs::simulated
