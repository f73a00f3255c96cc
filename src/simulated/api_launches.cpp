// SPDX-License-Identifier: Apache-2.0
// Launches of kernels, and their attributes: those of nodes are kept and given back.
#include <algorithm>

#include "simulated/driver_call.hpp"
#include "simulated/graph_parts.hpp"
#include "simulated/kernel_launch.hpp"

using namespace gs::simulated;

namespace {

constexpr uint32_t kLargestCluster = 16;
constexpr uint64_t kThreadsPerMultiprocessor = 2048;

uint64_t product(const uint32_t (&sides)[3]) { return uint64_t{sides[0]} * sides[1] * sides[2]; }

// What the attributes change about a launch.
struct Wanted {
    engine::LaunchTraits traits;
    Event *event = nullptr;
};

CUresult read_cluster(const CUlaunchAttributeValue &value, const LaunchShape &shape) {
    const uint32_t sides[3] = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
    if (world().capability[0] < 9) return CUDA_ERROR_NOT_SUPPORTED;
    if (product(sides) == 0 || product(sides) > kLargestCluster) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    for (int i = 0; i < 3; ++i)
        if (shape.grid[i] % sides[i] != 0) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    return CUDA_SUCCESS;
}

CUresult read_event(const CUlaunchAttributeValue &value, Wanted *out) {
    const CUresult result = find_event(value.programmaticEvent.event, &out->event);
    if (result != CUDA_SUCCESS) return result;
    if ((out->event->flags & CU_EVENT_DISABLE_TIMING) == 0) return CUDA_ERROR_INVALID_VALUE;
    return (out->event->flags & CU_EVENT_INTERPROCESS) != 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult read_attribute(const CUlaunchAttribute &attribute, const LaunchShape &shape, Wanted *out) {
    const CUlaunchAttributeValue &value = attribute.value;
    switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: return read_cluster(value, shape);
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT: return read_event(value, out);
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        out->traits.early = value.programmaticStreamSerializationAllowed != 0;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        out->traits.own_priority = true;
        out->traits.priority = value.priority;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: {
        const uint64_t most = static_cast<uint64_t>(world().multiprocessors) * kThreadsPerMultiprocessor;
        const bool fits = product(shape.grid) * product(shape.block) <= most;
        return value.cooperative == 0 || fits ? CUDA_SUCCESS : CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    }
    default: return CUDA_SUCCESS; // it changes how a GPU runs the kernel, not what that does
    }
}

CUresult launch(CUfunction handle, const LaunchShape &shape, CUstream stream_handle, void **arguments, void **extra,
                const CUlaunchAttribute *attributes = nullptr, unsigned count = 0) {
    Stream *stream = nullptr;
    Kernel *kernel = nullptr;
    Implementation implementation;
    Wanted wanted;
    CUresult result = find_stream(stream_handle, &stream);
    if (result == CUDA_SUCCESS) result = find_function(handle, &kernel);
    if (result != CUDA_SUCCESS) return result;
    if (!kernel->module->is_library && kernel->module->context != stream->context) return CUDA_ERROR_INVALID_HANDLE;
    if (extra) return CUDA_ERROR_INVALID_VALUE;
    result = check_launch(handle, shape, &kernel, &implementation);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; ++i)
        result = read_attribute(attributes[i], shape, &wanted);
    if (result != CUDA_SUCCESS) return result;
    auto prepared = prepare_launch(*kernel, implementation, shape, arguments);
    engine::Result done = launch_kernel(*stream->native, std::move(prepared), wanted.traits);
    if (done == engine::Result::Ok && wanted.event)
        done = world().engine->event_record(*wanted.event->native, *stream->native, false, true);
    return to_result(done, *stream->context);
}

// By node and attribute; a node's number is never used again.
using NodeAttribute = std::pair<uint64_t, int>;
std::map<NodeAttribute, CUlaunchAttributeValue> &node_attributes() {
    static auto *const attributes = new std::map<NodeAttribute, CUlaunchAttributeValue>;
    return *attributes;
}

CUresult find_kernel_node(CUgraphNode handle, engine::GraphNode **out) {
    const CUresult result = find_node(handle, out);
    if (result != CUDA_SUCCESS) return result;
    return (*out)->body.kind == engine::NodeKind::Kernel ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

} // namespace

CUresult api_LaunchKernel(CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **arguments,
                          void **extra) {
    return call(Fn::LaunchKernel, [&](Lock &) {
        return launch(handle, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared}, stream, arguments,
                      extra);
    });
}

CUresult api_LaunchKernelEx(const CUlaunchConfig *config, CUfunction handle, void **arguments, void **extra) {
    return call(Fn::LaunchKernelEx, [&](Lock &) {
        if (!config) return CUDA_ERROR_INVALID_VALUE;
        const LaunchShape shape{{config->gridDimX, config->gridDimY, config->gridDimZ},
                                {config->blockDimX, config->blockDimY, config->blockDimZ},
                                config->sharedMemBytes};
        return launch(handle, shape, config->hStream, arguments, extra, config->attrs, config->numAttrs);
    });
}

CUresult api_GraphKernelNodeSetAttribute(CUgraphNode handle, CUlaunchAttributeID id,
                                         const CUlaunchAttributeValue *value) {
    return call(Fn::GraphKernelNodeSetAttribute, [&](Lock &) {
        engine::GraphNode *node = nullptr;
        const CUresult result = value ? find_kernel_node(handle, &node) : CUDA_ERROR_INVALID_VALUE;
        if (result != CUDA_SUCCESS) return result;
        Wanted wanted;
        const CUresult read = read_attribute(
            {id, {}, *value}, static_cast<KernelLaunch *>(node->body.work->task().arg)->configuration, &wanted);
        if (read != CUDA_SUCCESS) return read;
        if (wanted.traits.early || wanted.event) return CUDA_ERROR_INVALID_VALUE; // of launches alone
        if (wanted.traits.own_priority) node->body.set(wanted.traits);
        node_attributes()[{node->id, static_cast<int>(id)}] = *value;
        return CUDA_SUCCESS;
    });
}

CUresult api_GraphKernelNodeGetAttribute(CUgraphNode handle, CUlaunchAttributeID id, CUlaunchAttributeValue *out) {
    return call(
        Fn::GraphKernelNodeGetAttribute,
        [&](Lock &) {
            engine::GraphNode *node = nullptr;
            const CUresult result = find_kernel_node(handle, &node);
            if (result != CUDA_SUCCESS) return result;
            *out = {};
            const auto found = node_attributes().find({node->id, static_cast<int>(id)});
            if (found != node_attributes().end()) *out = found->second;
            return CUDA_SUCCESS;
        },
        out);
}
