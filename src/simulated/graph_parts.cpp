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

const char *side(CUmemorytype type, const void *host, CUdeviceptr device, size_t offset) {
    const auto *base = type == CU_MEMORYTYPE_HOST ? host : reinterpret_cast<const void *>(device);
    return base ? static_cast<const char *>(base) + offset : nullptr;
}

const char *source_of(const CUDA_MEMCPY3D &copy) {
    return side(copy.srcMemoryType, copy.srcHost, copy.srcDevice,
                copy.srcXInBytes + (copy.srcY + copy.srcZ * copy.srcHeight) * copy.srcPitch);
}
char *target_of(const CUDA_MEMCPY3D &copy) {
    return const_cast<char *>(side(copy.dstMemoryType, copy.dstHost, copy.dstDevice,
                                   copy.dstXInBytes + (copy.dstY + copy.dstZ * copy.dstHeight) * copy.dstPitch));
}

void copy_rows(void *opaque) {
    const auto &copy = *static_cast<const CUDA_MEMCPY3D *>(opaque);
    for (size_t z = 0; z < copy.Depth; ++z)
        for (size_t y = 0; y < copy.Height; ++y)
            std::memmove(target_of(copy) + (z * copy.dstHeight + y) * copy.dstPitch,
                         source_of(copy) + (z * copy.srcHeight + y) * copy.srcPitch, copy.WidthInBytes);
}

bool has_place(const CUDA_MEMCPY3D &copy) {
    const bool rows = copy.Height <= 1 || (copy.srcPitch >= copy.srcXInBytes + copy.WidthInBytes &&
                                           copy.dstPitch >= copy.dstXInBytes + copy.WidthInBytes);
    const bool layers =
        copy.Depth <= 1 || (copy.srcHeight >= copy.srcY + copy.Height && copy.dstHeight >= copy.dstY + copy.Height);
    return rows && layers && source_of(copy) && target_of(copy) && copy.WidthInBytes != 0;
}

bool has_array(const CUDA_MEMCPY3D &copy) {
    return copy.srcMemoryType == CU_MEMORYTYPE_ARRAY || copy.dstMemoryType == CU_MEMORYTYPE_ARRAY;
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

CUresult region_task(const CUDA_MEMCPY3D &copy, engine::Task *out) {
    if (has_array(copy)) return CUDA_ERROR_NOT_SUPPORTED;
    if (!has_place(copy)) return CUDA_ERROR_INVALID_VALUE;
    *out = {copy_rows, [](void *all) { delete static_cast<CUDA_MEMCPY3D *>(all); }, new CUDA_MEMCPY3D(copy),
            [](const void *all) -> void * { return new CUDA_MEMCPY3D(*static_cast<const CUDA_MEMCPY3D *>(all)); }};
    return CUDA_SUCCESS;
}

CUresult memcpy_body(const CUDA_MEMCPY3D *params, CUcontext context, engine::NodeBody *out) {
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    if (has_array(*params)) return CUDA_ERROR_NOT_SUPPORTED;
    if (!has_place(*params) || params->Height == 0 || params->Depth == 0) return CUDA_ERROR_INVALID_VALUE;
    out->kind = engine::NodeKind::Copy;
    if (params->Height == 1 && params->Depth == 1) {
        out->action = engine::NodeAction::Copy;
        out->copy = {target_of(*params), source_of(*params), params->WidthInBytes};
    } else {
        engine::Task task;
        if (const CUresult result = region_task(*params, &task); result != CUDA_SUCCESS) return result;
        out->action = engine::NodeAction::Task;
        out->work = engine::Ref<engine::Work>(new engine::Work(task));
    }
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
