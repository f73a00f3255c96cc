// SPDX-License-Identifier: Apache-2.0
// Properties of a device. No context is created for them.
#include "backend/cuda/context/primary_context.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/discovery/device_identity.hpp"
#include "backend/cuda/driver/driver_errors.hpp"

namespace gs::cuda {
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
