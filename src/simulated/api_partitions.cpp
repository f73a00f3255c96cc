// SPDX-License-Identifier: Apache-2.0
// Green contexts: multiprocessors of a device as resources, their split, and streams in a part of them. What runs in such a
// stream runs as in any other.
#include <algorithm>
#include <cstring>

#include "simulated/driver_call.hpp"

using namespace gs::simulated;

namespace {

// What a resource says, in the part of it that is the driver's own.
struct Part {
    int device;
    uint64_t split; // 0: the whole device
    unsigned first;
};
static_assert(sizeof(Part) <= sizeof(CUdevResource::_internal_padding));

CUdevResource resource(int device, uint64_t split, unsigned first, unsigned count) {
    CUdevResource made{};
    const Part part{device, split, first};
    made.type = CU_DEV_RESOURCE_TYPE_SM;
    std::memcpy(made._internal_padding, &part, sizeof part);
    made.sm.smCount = count;
    return made;
}

Part part_of(const CUdevResource &of) {
    Part part{};
    std::memcpy(&part, of._internal_padding, sizeof part);
    return part;
}

// By memory: the enum of older headers has no such value.
unsigned type_of(const CUdevResource &of) {
    unsigned type = 0;
    std::memcpy(&type, &of.type, sizeof type);
    return type;
}

CUdevResource queues_resource(const QueueConfig &config) {
    CUdevResource made{};
    std::memcpy(&made.type, &kQueueConfig, sizeof kQueueConfig);
    std::memcpy(made._oversize, &config, sizeof config);
    return made;
}

bool knows_queues() { return world().version >= 13010; }

bool is_whole(const CUdevResource &of) { return of.type == CU_DEV_RESOURCE_TYPE_SM && part_of(of).split == 0; }

// The size of the groups that a split makes, in a device of capability 9.
unsigned group_size(unsigned flags, unsigned wanted) {
    const unsigned unit = flags & CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING ? 2 : 8;
    return std::max(unit, (wanted + unit - 1) / unit * unit);
}

GreenContext *find_green(CUgreenCtx handle) {
    const auto word = reinterpret_cast<uintptr_t>(handle);
    World &w = world();
    const auto found = w.green_contexts.find(word);
    if (found != w.green_contexts.end()) {
        touch(found->second.context->device);
        return &found->second;
    }
    if (w.green_ever.count(word) != 0 && w.excused.count(word) == 0)
        violation("a destroyed green context, %p, was passed to the driver", static_cast<void *>(handle));
    return nullptr;
}

} // namespace

CUresult api_DeviceGetDevResource(CUdevice device, CUdevResource *out, CUdevResourceType type) {
    return call(
        Fn::DeviceGetDevResource,
        [&](Lock &) {
            if (device < 0 || device >= world().devices) return CUDA_ERROR_INVALID_DEVICE;
            touch(device);
            if (static_cast<unsigned>(type) == kQueueConfig && knows_queues()) {
                *out = queues_resource({device, 8, 0});
                return CUDA_SUCCESS;
            }
            if (type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
            *out = resource(device, 0, 0, static_cast<unsigned>(world().multiprocessors));
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_DevSmResourceSplitByCount(CUdevResource *groups, unsigned *count, const CUdevResource *input,
                                       CUdevResource *rest, unsigned flags, unsigned wanted) {
    return call(
        Fn::DevSmResourceSplitByCount,
        [&](Lock &) {
            if (!count || !input || wanted > input->sm.smCount) return CUDA_ERROR_INVALID_VALUE;
            if (!is_whole(*input)) return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION; // groups cannot be split again
            touch(part_of(*input).device);
            const unsigned size = group_size(flags, wanted), fitting = input->sm.smCount / size;
            const unsigned made = groups ? std::min(*count, fitting) : fitting;
            const uint64_t split = groups ? world().next_split++ : 0;
            for (unsigned i = 0; groups && i < made; ++i)
                groups[i] = resource(part_of(*input).device, split, i * size, size);
            if (groups && rest) {
                const unsigned left = input->sm.smCount - made * size;
                *rest = resource(part_of(*input).device, split, made * size, left);
                if (left == 0) rest->type = CU_DEV_RESOURCE_TYPE_INVALID;
            }
            *count = made;
            return CUDA_SUCCESS;
        },
        count);
}

CUresult api_DevSmResourceSplit(CUdevResource *groups, unsigned count, const CUdevResource *input, CUdevResource *rest,
                                unsigned flags, CU_DEV_SM_RESOURCE_GROUP_PARAMS *wanted) {
    return call(Fn::DevSmResourceSplit, [&](Lock &) {
        if (!input || !wanted || count == 0 || flags != 0) return CUDA_ERROR_INVALID_VALUE;
        if (!is_whole(*input)) return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
        touch(part_of(*input).device);
        const uint64_t split = groups ? world().next_split++ : 0;
        unsigned first = 0;
        for (unsigned i = 0; i < count; ++i) {
            const unsigned together = wanted[i].coscheduledSmCount == 0 ? 8 : wanted[i].coscheduledSmCount;
            if (together > 32 || together % 2 != 0 || wanted[i].smCount % together != 0)
                return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
            const unsigned left = input->sm.smCount - first;
            if (wanted[i].smCount == 0) wanted[i].smCount = left / together * together; // it tells how many there are
            if (wanted[i].smCount > left || (groups && wanted[i].smCount == 0))
                return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
            if (groups) groups[i] = resource(part_of(*input).device, split, first, wanted[i].smCount);
            first += wanted[i].smCount;
        }
        if (rest) *rest = resource(part_of(*input).device, split, first, input->sm.smCount - first);
        return CUDA_SUCCESS;
    });
}

CUresult api_DevResourceGenerateDesc(CUdevResourceDesc *out, CUdevResource *resources, unsigned count) {
    return call(
        Fn::DevResourceGenerateDesc,
        [&](Lock &) {
            if (!out || !resources || count == 0) return CUDA_ERROR_INVALID_VALUE;
            Multiprocessors has{part_of(resources[0]).device, part_of(resources[0]).split, {}, {}};
            for (unsigned i = 0; i < count; ++i) {
                const Part part = part_of(resources[i]);
                if (type_of(resources[i]) == kQueueConfig && has.queues.concurrency == 0 && knows_queues()) {
                    std::memcpy(&has.queues, resources[i]._oversize, sizeof has.queues);
                    if (has.queues.concurrency == 0 || has.queues.scope > 1) return CUDA_ERROR_INVALID_VALUE;
                    continue;
                }
                if (resources[i].type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
                if (part.device != has.device || part.split != has.split)
                    return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
                for (unsigned number = 0; number < resources[i].sm.smCount; ++number)
                    if (!has.numbers.insert(part.first + number).second)
                        return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
            }
            touch(has.device);
            const uintptr_t handle = world().next_green += 16;
            world().descriptors[handle] = has;
            *out = reinterpret_cast<CUdevResourceDesc>(handle);
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_GreenCtxCreate(CUgreenCtx *out, CUdevResourceDesc description, CUdevice device, unsigned flags) {
    return call(
        Fn::GreenCtxCreate,
        [&](Lock &) {
            World &w = world();
            const auto described = w.descriptors.find(reinterpret_cast<uintptr_t>(description));
            if (device < 0 || device >= w.devices) return CUDA_ERROR_INVALID_DEVICE;
            if (!out || flags != CU_GREEN_CTX_DEFAULT_STREAM || described == w.descriptors.end() ||
                described->second.device != device)
                return CUDA_ERROR_INVALID_VALUE;
            CUresult result = check_unsafe();
            if (result != CUDA_SUCCESS) return result;
            Context &context = *w.primary[static_cast<size_t>(device)];
            touch(device);
            // The driver would keep a primary context of its own for it; callers of this one have one.
            result = health(context);
            if (result != CUDA_SUCCESS) return result;
            const uintptr_t handle = w.next_green += 16;
            w.green_contexts[handle] = {&context, described->second, false};
            w.green_ever.insert(handle);
            thread().made_block = handle;
            *out = reinterpret_cast<CUgreenCtx>(handle);
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_GreenCtxDestroy(CUgreenCtx handle) {
    return call(Fn::GreenCtxDestroy, [&](Lock &) {
        const GreenContext *green = find_green(handle);
        if (!green) return CUDA_ERROR_INVALID_CONTEXT;
        const auto word = reinterpret_cast<uintptr_t>(handle);
        for (const Stream *stream : green->context->streams)
            if (stream->green == word && !stream->orphan)
                violation("green context %p was destroyed before its stream %p", static_cast<void *>(handle),
                          static_cast<const void *>(stream));
        world().green_contexts.erase(word);
        thread().destroyed = word;
        return CUDA_SUCCESS;
    });
}

CUresult api_GreenCtxGetDevResource(CUgreenCtx handle, CUdevResource *out, CUdevResourceType type) {
    return call(
        Fn::GreenCtxGetDevResource,
        [&](Lock &) {
            const GreenContext *green = find_green(handle);
            if (!green) return CUDA_ERROR_INVALID_CONTEXT;
            if (static_cast<unsigned>(type) == kQueueConfig && knows_queues()) {
                *out = queues_resource(green->has.queues);
                return CUDA_SUCCESS;
            }
            if (type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
            *out = resource(green->has.device, green->has.split, 0, static_cast<unsigned>(green->has.numbers.size()));
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_GreenCtxStreamCreate(CUstream *out, CUgreenCtx handle, unsigned flags, int priority) {
    return call(
        Fn::GreenCtxStreamCreate,
        [&](Lock &) {
            const GreenContext *green = find_green(handle);
            if (!green) return CUDA_ERROR_INVALID_CONTEXT;
            if (!out || flags != CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
            Context &context = *green->context;
            if (const CUresult result = health(context); result != CUDA_SUCCESS) return result;
            engine::Stream *native = nullptr;
            const engine::Result made = world().engine->stream_create(*context.native, priority, false, &native);
            if (made != engine::Result::Ok) return to_result(made, context);
            Stream *stream = new_stream(context, native, flags, native->priority);
            stream->green = reinterpret_cast<uintptr_t>(handle);
            *out = reinterpret_cast<CUstream>(stream);
            return CUDA_SUCCESS;
        },
        out);
}
