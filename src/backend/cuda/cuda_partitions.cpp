// SPDX-License-Identifier: Apache-2.0
// Partitions: green contexts of the primary context. The partitions of one call must come from one split of the
// device, since separate splits overlap, and one split makes groups of one size only. So the device is split into the
// smallest groups, its units, and each partition gets some of them.
#include <cstring>
#include <memory>
#include <new>

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/driver_table.hpp"

namespace gs::cuda {
namespace {

CUgreenCtx to_partition(uintptr_t partition) noexcept { return reinterpret_cast<CUgreenCtx>(partition); }

// A driver may refuse the calls of this file while a stream is captured, so all run in relaxed mode.

Status refuse_old_driver(const Device &device) noexcept {
    const char *missing = nullptr;
    if (!g_driver.device_get_dev_resource.present()) missing = g_driver.device_get_dev_resource.name;
    if (!g_driver.dev_sm_resource_split_by_count.present()) missing = g_driver.dev_sm_resource_split_by_count.name;
    if (!g_driver.dev_resource_generate_desc.present()) missing = g_driver.dev_resource_generate_desc.name;
    if (!g_driver.green_ctx_create.present()) missing = g_driver.green_ctx_create.name;
    if (!g_driver.green_ctx_destroy.present()) missing = g_driver.green_ctx_destroy.name;
    if (!g_driver.green_ctx_get_dev_resource.present()) missing = g_driver.green_ctx_get_dev_resource.name;
    if (!g_driver.green_ctx_stream_create.present()) missing = g_driver.green_ctx_stream_create.name;
    if (!missing) return kOk;
    return fail(GS_ERROR_NOT_SUPPORTED,
                "CUDA device %d cannot be divided: partitions need a driver of CUDA 12.5 or later, and this one "
                "lacks %s",
                device.ordinal, missing);
}

// What one split of the device has made.
struct Split {
    CUdevResource all{};
    CUdevResource rest{};                   // less than a unit
    std::unique_ptr<CUdevResource[]> units; // or whole partitions; behind them room for the rest and for queues
    unsigned count = 0;                     // of units
    uint32_t unit = 0;                      // multiprocessors
};

Status make_room(size_t count, Split *out) noexcept {
    out->units.reset(new (std::nothrow) CUdevResource[count + 2]());
    return out->units ? kOk : fail(GS_ERROR_OUT_OF_MEMORY, "no memory for %zu parts of a device", count);
}

Status split_device(ThreadBlock &thread, Device &device, uint32_t flags, Split *out) noexcept {
    const auto split = [&](CUdevResource *units, CUdevResource *rest) noexcept {
        const unsigned use = flags & GS_PARTITION_FINE ? unsigned{CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING} : 0u;
        const CUdevResource *all = &out->all;
        return relaxed_call(thread, device, g_driver.dev_sm_resource_split_by_count, units, &out->count, all, rest, use,
                            1u);
    };
    GS_TRY(split(nullptr, nullptr));
    GS_TRY(make_room(out->count, out));
    GS_TRY(split(out->units.get(), &out->rest));
    out->unit = out->count > 0 ? out->units[0].sm.smCount : 0;
    if (out->unit == 0) return fail(GS_ERROR_NOT_SUPPORTED, "CUDA device %d cannot be divided", device.ordinal);
    return kOk;
}

using Group = CU_DEV_SM_RESOURCE_GROUP_PARAMS;

// The newer split, which makes groups of different sizes and says what lies together in each.
Status split_in_groups(ThreadBlock &thread, Device &device, Group *groups, unsigned count, Split *out,
                       CUdevResource *made) noexcept {
    FailedCall call{g_driver.dev_sm_resource_split.name, GS_ERROR_INVALID_ARGUMENT};
    const CUresult result = in_relaxed_mode(thread, &call, [&] {
        const CUdevResource *all = &out->all;
        return g_driver.dev_sm_resource_split(thread, made, count, all, static_cast<CUdevResource *>(nullptr), 0u,
                                              groups);
    });
    if (result == CUDA_SUCCESS) return kOk;
    if (result != CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION) return map_error(result, call, device);
    return fail_native(GS_ERROR_INVALID_ARGUMENT, {GS_BACKEND_CUDA, static_cast<int32_t>(result), call.function},
                       "CUDA device %d has no such partitions of multiprocessors that run together in groups of %u: %s",
                       device.ordinal, groups[0].coscheduledSmCount, error_text(result));
}

// How many groups of that many there are.
Status find_groups(ThreadBlock &thread, Device &device, uint32_t coscheduled, Split *out) noexcept {
    if (!g_driver.dev_sm_resource_split.present())
        return fail(GS_ERROR_NOT_SUPPORTED,
                    "GS_PARTITION_COSCHEDULED needs a driver of CUDA 13.1 or later: the driver of CUDA device %d lacks "
                    "%s",
                    device.ordinal, g_driver.dev_sm_resource_split.name);
    Group most{};
    most.coscheduledSmCount = coscheduled;
    GS_TRY(split_in_groups(thread, device, &most, 1, out, nullptr));
    out->count = most.smCount / coscheduled;
    out->unit = coscheduled;
    return kOk;
}

uint64_t units_for(const Split &split, uint32_t count) noexcept {
    return (uint64_t{count} + split.unit - 1) / split.unit;
}

// A single partition may have the whole device.
bool wants_all(const Split &split, const uint32_t *counts, size_t count) noexcept {
    return count == 1 && split.rest.sm.smCount > 0 && counts[0] > uint64_t{split.count} * split.unit &&
           counts[0] <= split.all.sm.smCount;
}

Status check_fit(const Device &device, const Split &split, const uint32_t *counts, size_t count,
                 uint32_t flags) noexcept {
    uint64_t wanted = 0;
    for (size_t i = 0; i < count; ++i) {
        wanted += units_for(split, counts[i]);
        if ((flags & GS_PARTITION_EXACT) != 0 && counts[i] % split.unit != 0 && counts[i] != split.all.sm.smCount)
            return fail(GS_ERROR_INVALID_ARGUMENT,
                        "counts[%zu] is %u, but partitions of CUDA device %d are made of units of %u multiprocessors",
                        i, counts[i], device.ordinal, split.unit);
    }
    if (wanted <= split.count || wants_all(split, counts, count)) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT,
                "the partitions do not fit: rounded up to units of %u multiprocessors they need %llu units, and CUDA "
                "device %d with its %u multiprocessors has %u",
                split.unit, static_cast<unsigned long long>(wanted), device.ordinal, split.all.sm.smCount, split.count);
}

Status make_groups(ThreadBlock &thread, Device &device, const uint32_t *counts, size_t count, Split *out) noexcept {
    const std::unique_ptr<Group[]> groups(new (std::nothrow) Group[count]());
    if (!groups) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for %zu parts of a device", count);
    for (size_t i = 0; i < count; ++i) {
        groups[i].smCount = static_cast<unsigned>(units_for(*out, counts[i]) * out->unit);
        groups[i].coscheduledSmCount = out->unit;
    }
    GS_TRY(make_room(count, out));
    return split_in_groups(thread, device, groups.get(), static_cast<unsigned>(count), out, out->units.get());
}

// A resource that configures work queues, as the headers have it from 13.1 on: its type, and what lies in its union.
constexpr unsigned kQueueConfig = 1000;
struct QueueConfig {
    CUdevice device;
    unsigned concurrency;
    unsigned scope;
};
constexpr unsigned kBalanced = 1; // apart from the queues of other green contexts that ask for it, if possible
static_assert(sizeof(QueueConfig) <= sizeof(CUdevResource::_oversize));

// type: INVALID if the caller asks for no queues.
Status configure_queues(ThreadBlock &thread, Device &device, uint32_t flags, CUdevResource *out) noexcept {
    const uint32_t concurrency = concurrency_of(flags);
    if (concurrency == 0 && (flags & GS_PARTITION_QUEUES) == 0) return kOk;
    CUdevResourceType type{};
    std::memcpy(&type, &kQueueConfig, sizeof type); // the enum of older headers ends before it
    FailedCall call{g_driver.device_get_dev_resource.name};
    const CUresult result = in_relaxed_mode(
        thread, &call, [&] { return g_driver.device_get_dev_resource(thread, device.handle, out, type); });
    if (result == CUDA_ERROR_INVALID_RESOURCE_TYPE || result == CUDA_ERROR_INVALID_VALUE)
        return fail_native(GS_ERROR_NOT_SUPPORTED, {GS_BACKEND_CUDA, static_cast<int32_t>(result), call.function},
                           "work queues of partitions need a driver of CUDA 13.1 or later: that of CUDA device %d does "
                           "not know them: %s",
                           device.ordinal, error_text(result));
    if (result != CUDA_SUCCESS) return map_error(result, call, device);
    QueueConfig config{};
    std::memcpy(&config, out->_oversize, sizeof config);
    if (concurrency != 0) config.concurrency = concurrency;
    if ((flags & GS_PARTITION_QUEUES) != 0) config.scope = kBalanced;
    std::memcpy(out->_oversize, &config, sizeof config);
    return kOk;
}

Status make_partition(ThreadBlock &thread, Device &device, CUdevResource *units, unsigned count,
                      const CUdevResource &queues, PartitionNative *out) noexcept {
    CUdevResourceDesc description = nullptr;
    // The driver takes one list: for this call the queues stand where the units of the next partition begin.
    const CUdevResource behind = units[count];
    if (queues.type != CU_DEV_RESOURCE_TYPE_INVALID) units[count++] = queues;
    const Status described =
        relaxed_call(thread, device, g_driver.dev_resource_generate_desc, &description, units, count);
    if (queues.type != CU_DEV_RESOURCE_TYPE_INVALID) units[count - 1] = behind;
    GS_TRY(described);
    CUgreenCtx made = nullptr;
    GS_TRY(relaxed_call(thread, device, g_driver.green_ctx_create, &made, description, device.handle,
                        unsigned{CU_GREEN_CTX_DEFAULT_STREAM}));
    out->native = out->known_as = reinterpret_cast<uintptr_t>(made);
    CUdevResource has{};
    GS_TRY(relaxed_call(thread, device, g_driver.green_ctx_get_dev_resource, made, &has, CU_DEV_RESOURCE_TYPE_SM));
    out->sm_count = has.sm.smCount;
    return kOk;
}

// Beside a failure, which is what the caller reports.
void destroy_quietly(ThreadBlock &thread, CUgreenCtx partition) noexcept {
    FailedCall call{g_driver.green_ctx_destroy.name};
    (void)in_relaxed_mode(thread, &call, [&] { return g_driver.green_ctx_destroy(thread, partition); });
}

} // namespace

Status CudaBackend::partition_create(int32_t ordinal, const uint32_t *counts, size_t count, uint32_t flags,
                                     PartitionNative *out) noexcept {
    Device &device = g_devices[ordinal];
    ThreadBlock &thread = counting_thread();
    GS_TRY(refuse_old_driver(device));
    const uint32_t coscheduled = coscheduled_of(flags);
    Split split;
    GS_TRY(relaxed_call(thread, device, g_driver.device_get_dev_resource, device.handle, &split.all,
                        CU_DEV_RESOURCE_TYPE_SM));
    GS_TRY(coscheduled != 0 ? find_groups(thread, device, coscheduled, &split)
                            : split_device(thread, device, flags, &split));
    GS_TRY(check_fit(device, split, counts, count, flags));
    if (coscheduled != 0) GS_TRY(make_groups(thread, device, counts, count, &split));
    const bool all = wants_all(split, counts, count);
    if (all) split.units[split.count] = split.rest;
    CUdevResource queues{};
    GS_TRY(configure_queues(thread, device, flags, &queues));
    const bool plan = (flags & GS_PARTITION_PLAN) != 0;
    // The driver would make the primary context for the first partition, and end it with the last one.
    ContextScope scope(thread);
    if (!plan) GS_TRY(scope.enter_to_create(device));
    CUdevResource *next = split.units.get();
    for (size_t i = 0; i < count; ++i) {
        const unsigned units = coscheduled != 0 ? 1 : all ? split.count + 1 : unsigned(units_for(split, counts[i]));
        out[i] = {.device_sm_count = split.all.sm.smCount, .unit_sm_count = split.unit};
        for (unsigned k = 0; k < units; ++k) out[i].sm_count += next[k].sm.smCount;
        const Status status = plan ? kOk : make_partition(thread, device, next, units, queues, &out[i]);
        next += units;
        if (status.ok()) continue;
        for (size_t made = 0; made <= i; ++made)
            if (out[made].native != 0) destroy_quietly(thread, to_partition(out[made].native));
        return status;
    }
    return kOk;
}

Status CudaBackend::partition_destroy(int32_t ordinal, uintptr_t partition) noexcept {
    if (partition == 0) return kOk; // a plan
    return end_in_context(counting_thread(), g_devices[ordinal], g_driver.green_ctx_destroy, to_partition(partition));
}

} // namespace gs::cuda
