// SPDX-License-Identifier: Apache-2.0
// Whole devices: priorities, peers, synchronisation, health.
#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/discovery/driver_in_use.hpp"
#include "backend/cuda/driver/driver_errors.hpp"
#include "backend/cuda/driver/driver_table.hpp"
#include "backend/gpu/device_facts.hpp"

namespace gs::cuda {
namespace {

// A call about a limit of the device's context, in it.
template <typename Call>
Status limit_call(int32_t ordinal, int32_t limit, const char *function, Call &&body) noexcept {
    Device &device = g_devices[ordinal];
    ThreadBlock &thread = counting_thread();
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    FailedCall call{function, GS_ERROR_INVALID_ARGUMENT};
    const CUresult result = in_relaxed_mode(thread, &call, [&] { return body(thread, static_cast<CUlimit>(limit)); });
    if (result == CUDA_SUCCESS) return kOk;
    if (result != CUDA_ERROR_UNSUPPORTED_LIMIT) return map_error(result, call, device);
    return fail_native(GS_ERROR_NOT_SUPPORTED, {GS_BACKEND_CUDA, result, call.function},
                       "CUDA device %d has no limit %d: %s", ordinal, limit, error_text(result));
}

} // namespace

Status CudaBackend::get_limit(int32_t ordinal, int32_t limit, uint64_t *out) noexcept {
    size_t value = 0;
    GS_TRY(limit_call(ordinal, limit, g_driver.ctx_get_limit.name, [&](ThreadBlock &thread, CUlimit which) {
        return g_driver.ctx_get_limit(thread, &value, which);
    }));
    *out = value;
    return kOk;
}

Status CudaBackend::set_limit(int32_t ordinal, int32_t limit, uint64_t value) noexcept {
    return limit_call(ordinal, limit, g_driver.ctx_set_limit.name, [&](ThreadBlock &thread, CUlimit which) {
        return g_driver.ctx_set_limit(thread, which, static_cast<size_t>(value));
    });
}

Status CudaBackend::priority_range(int32_t ordinal, int32_t *out_least, int32_t *out_greatest) noexcept {
    Device &device = g_devices[ordinal];
    gpu::PriorityRange range;
    if (const uint64_t packed = device.priority_range.load(std::memory_order_acquire); packed != 0) {
        range = gpu::unpack_range(packed);
    } else {
        // The driver answers only inside a context: it is created if there is none.
        ThreadBlock &thread = counting_thread();
        ContextScope scope(thread);
        GS_TRY(scope.enter_to_create(device));
        GS_TRY(priority_range_in_context(thread, device, &range));
    }
    *out_least = range.least;
    *out_greatest = range.greatest;
    return kOk;
}

// Both of the driver's functions need a context of the device, as the runtime's functions make one.
Status CudaBackend::profile(ThreadBlock &thread, int32_t ordinal, bool on) noexcept {
    Device &device = g_devices[ordinal];
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    return on ? relaxed_call(thread, device, g_driver.profiler_start)
              : relaxed_call(thread, device, g_driver.profiler_stop);
}

Status CudaBackend::can_access_peer(int32_t ordinal, int32_t peer, bool *out) noexcept {
    if (ordinal == peer) { // the driver says no, although a device reaches its own memory
        *out = true;
        return kOk;
    }
    int can = 0;
    const CUresult result =
        g_driver.device_can_access_peer(counting_thread(), &can, g_devices[ordinal].handle, g_devices[peer].handle);
    if (result != CUDA_SUCCESS) return map_error_no_device(result, {g_driver.device_can_access_peer.name});
    *out = can != 0;
    return kOk;
}

Status CudaBackend::device_synchronize(int32_t ordinal) noexcept {
    Device &device = g_devices[ordinal];
    ThreadBlock &thread = counting_thread();
    ContextScope scope(thread);
    bool present = false;
    GS_TRY(scope.enter_existing(device, &present));
    if (!present) return kOk;
    // A capture on a blocking stream shows at the legacy stream and is left alone. Captures on non-blocking streams
    // cannot be seen from here: the core asks its own streams, and the caller is responsible for foreign ones.
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    GS_TRY(driver_call(thread, device, g_driver.stream_is_capturing, CU_STREAM_LEGACY, &status));
    return relaxed_call(thread, device, g_driver.ctx_synchronize);
}

Status CudaBackend::device_check(int32_t ordinal) noexcept {
    Device &device = g_devices[ordinal];
    GS_TRY(check_health(device));
    // Objects of the library exist only in a context that it has retained.
    if (!device.context.load(std::memory_order_acquire)) return kOk;
    ThreadBlock &thread = counting_thread();
    GS_TRY(verify_context(thread, device));
    return probe_sticky(thread, device);
}

Status CudaBackend::reset_begin(int32_t ordinal, bool *out_begun) noexcept {
    Device &device = g_devices[ordinal];
    ThreadBlock &thread = counting_thread();
    CUcontext context = nullptr;
    GS_TRY(existing_context(thread, device, &context));
    *out_begun = context != nullptr;
    if (!context) return kOk;
    GS_TRY(verify_context(thread, device)); // another library's context must not be reset in place of ours
    return latch_reset(device) ? kOk : latched_status(device);
}

// Contexts that are current on other threads stay current and are dead, as after a reset by any other code.
Status CudaBackend::reset_end(int32_t ordinal) noexcept {
    Device &device = g_devices[ordinal];
    ThreadBlock &thread = counting_thread();
    FailedCall call{g_driver.primary_ctx_reset.name};
    const CUresult result =
        in_relaxed_mode(thread, &call, [&] { return g_driver.primary_ctx_reset(thread, device.handle); });
    if (result != CUDA_SUCCESS) return map_error_no_device(result, call);
    CUcontext current = nullptr;
    const CUcontext lost = device.context.load(std::memory_order_acquire);
    if (g_driver.ctx_get_current(thread, &current) == CUDA_SUCCESS && current == lost)
        (void)g_driver.ctx_set_current(thread, nullptr);
    return kOk;
}

const std::atomic<uint32_t> *CudaBackend::health_flag(int32_t ordinal) noexcept {
    return &g_devices[ordinal].health.word();
}

Status CudaBackend::health(int32_t ordinal) noexcept { return check_health(g_devices[ordinal]); }

// Properties of a device. No context is created for them.

namespace {

template <typename Number>
struct AttributeField {
    CUdevice_attribute attribute;
    Number gs_device_info_t::*field;
};

constexpr AttributeField<int32_t> kNumbers[] = {
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &gs_device_info_t::capability_major},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &gs_device_info_t::capability_minor},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &gs_device_info_t::multiprocessor_count},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, &gs_device_info_t::warp_size},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &gs_device_info_t::max_threads_per_block},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &gs_device_info_t::max_threads_per_multiprocessor},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, &gs_device_info_t::regs_per_multiprocessor},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &gs_device_info_t::clock_khz},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, &gs_device_info_t::memory_clock_khz},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, &gs_device_info_t::memory_bus_width_bits},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, &gs_device_info_t::compute_mode},
    {CU_DEVICE_ATTRIBUTE_INTEGRATED, &gs_device_info_t::integrated},
    {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, &gs_device_info_t::ecc_enabled},
};

constexpr AttributeField<uint64_t> kSizes[] = {
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &gs_device_info_t::l2_cache_bytes},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &gs_device_info_t::shared_memory_per_block_bytes},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &gs_device_info_t::shared_memory_per_block_optin_bytes},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
     &gs_device_info_t::shared_memory_per_multiprocessor_bytes},
};

Status read_attributes(ThreadBlock &thread, CUdevice device, gs_device_info_t *info) noexcept {
    int value = 0;
    for (const auto &number : kNumbers) {
        GS_TRY(read_attribute(g_driver, thread, device, number.attribute, &value));
        info->*number.field = value;
    }
    for (const auto &size : kSizes) {
        GS_TRY(read_attribute(g_driver, thread, device, size.attribute, &value));
        info->*size.field = value > 0 ? static_cast<uint64_t>(value) : 0;
    }
    return kOk;
}

} // namespace

Status CudaBackend::device_info(int32_t ordinal, gs_device_info_t *out) noexcept {
    Device &device = g_devices[ordinal];
    ThreadBlock &thread = counting_thread();
    gs_device_info_t info{};
    info.struct_size = sizeof info;
    info.ordinal = ordinal;
    info.backend = GS_BACKEND_CUDA;
    GS_TRY(read_attributes(thread, device.handle, &info));
    GS_TRY(read_identity(g_driver, thread, device.handle, &info));
    size_t total = 0;
    const CUresult result = g_driver.device_total_mem(thread, &total, device.handle);
    if (result != CUDA_SUCCESS) return map_error_no_device(result, {g_driver.device_total_mem.name});
    info.total_memory_bytes = total;
    // The driver reports the range only inside a context, and reading properties must not create one.
    CUcontext context = nullptr;
    if (existing_context(thread, device, &context).ok() && context)
        GS_TRY(priority_range(ordinal, &info.priority_least, &info.priority_greatest));
    *out = info;
    return kOk;
}

} // namespace gs::cuda
