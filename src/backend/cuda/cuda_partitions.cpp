// SPDX-License-Identifier: Apache-2.0
// Partitions: green contexts of the primary context. The partitions of one call must come from one split of the
// device, since separate splits overlap, and one split makes groups of one size only. So the device is split into the
// smallest groups, its units, and each partition gets some of them.
#include <memory>
#include <new>

#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/driver_table.hpp"

namespace gs::cuda {
namespace {

CUgreenCtx to_partition(uintptr_t partition) noexcept { return reinterpret_cast<CUgreenCtx>(partition); }

// A driver may refuse these calls while a stream is captured, so all run in relaxed mode.
template <typename Call>
Status partition_call(ThreadBlock &thread, Device &device, const char *function, Call &&body) noexcept {
    FailedCall call{function, GS_ERROR_DRIVER};
    const CUresult result = in_relaxed_mode(thread, &call, static_cast<Call &&>(body));
    return result == CUDA_SUCCESS ? kOk : map_error(result, call, device);
}

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
    std::unique_ptr<CUdevResource[]> units; // and behind them room for the rest
    unsigned count = 0;
    uint32_t unit = 0; // multiprocessors
};

Status split_device(ThreadBlock &thread, Device &device, uint32_t flags, Split *out) noexcept {
    GS_TRY(partition_call(thread, device, g_driver.device_get_dev_resource.name, [&] {
        return g_driver.device_get_dev_resource(thread, device.handle, &out->all, CU_DEV_RESOURCE_TYPE_SM);
    }));
    const auto split = [&](CUdevResource *units, CUdevResource *rest) noexcept {
        const unsigned use = flags & GS_PARTITION_FINE ? unsigned{CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING} : 0u;
        const CUdevResource *all = &out->all;
        return partition_call(thread, device, g_driver.dev_sm_resource_split_by_count.name, [&] {
            return g_driver.dev_sm_resource_split_by_count(thread, units, &out->count, all, rest, use, 1u);
        });
    };
    GS_TRY(split(nullptr, nullptr));
    out->units.reset(new (std::nothrow) CUdevResource[size_t{out->count} + 1]());
    if (!out->units) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for %u parts of a device", out->count);
    GS_TRY(split(out->units.get(), &out->rest));
    out->unit = out->count > 0 ? out->units[0].sm.smCount : 0;
    if (out->unit == 0) return fail(GS_ERROR_NOT_SUPPORTED, "CUDA device %d cannot be divided", device.ordinal);
    return kOk;
}

uint64_t units_for(const Split &split, uint32_t count) noexcept {
    return (uint64_t{count} + split.unit - 1) / split.unit;
}

// A single partition may have the whole device.
bool wants_all(const Split &split, const uint32_t *counts, size_t count) noexcept {
    return count == 1 && counts[0] > uint64_t{split.count} * split.unit && counts[0] <= split.all.sm.smCount;
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

Status make_partition(ThreadBlock &thread, Device &device, CUdevResource *units, unsigned count,
                      PartitionNative *out) noexcept {
    CUdevResourceDesc description = nullptr;
    GS_TRY(partition_call(thread, device, g_driver.dev_resource_generate_desc.name,
                          [&] { return g_driver.dev_resource_generate_desc(thread, &description, units, count); }));
    CUgreenCtx made = nullptr;
    GS_TRY(partition_call(thread, device, g_driver.green_ctx_create.name, [&] {
        return g_driver.green_ctx_create(thread, &made, description, device.handle,
                                         static_cast<unsigned>(CU_GREEN_CTX_DEFAULT_STREAM));
    }));
    out->native = out->known_as = reinterpret_cast<uintptr_t>(made);
    CUdevResource has{};
    GS_TRY(partition_call(thread, device, g_driver.green_ctx_get_dev_resource.name, [&] {
        return g_driver.green_ctx_get_dev_resource(thread, made, &has, CU_DEV_RESOURCE_TYPE_SM);
    }));
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
    // The driver would make the primary context for the first partition, and end it with the last one.
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    Split split;
    GS_TRY(split_device(thread, device, flags, &split));
    GS_TRY(check_fit(device, split, counts, count, flags));
    const bool all = wants_all(split, counts, count);
    split.units[split.count] = split.rest;
    CUdevResource *next = split.units.get();
    for (size_t i = 0; i < count; ++i) {
        const auto units = all ? split.count + 1 : static_cast<unsigned>(units_for(split, counts[i]));
        out[i] = {.device_sm_count = split.all.sm.smCount, .unit_sm_count = split.unit};
        const Status status = make_partition(thread, device, next, units, &out[i]);
        next += units;
        if (status.ok()) continue;
        for (size_t made = 0; made <= i; ++made)
            if (out[made].native != 0) destroy_quietly(thread, to_partition(out[made].native));
        return status;
    }
    return kOk;
}

Status CudaBackend::partition_destroy(int32_t ordinal, uintptr_t partition) noexcept {
    Device &device = g_devices[ordinal];
    ThreadBlock &thread = counting_thread();
    // As for streams: in a lost or broken context nothing is left to do.
    if (is_latched(device)) return kOk;
    if (Status status = verify_context(thread, device); !status.ok())
        return is_latched(device) || status.code == GS_ERROR_SHUTDOWN ? kOk : status;
    FailedCall call{g_driver.green_ctx_destroy.name};
    const CUresult result =
        in_relaxed_mode(thread, &call, [&] { return g_driver.green_ctx_destroy(thread, to_partition(partition)); });
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED) return kOk;
    return map_error(result, call, device);
}

} // namespace gs::cuda
