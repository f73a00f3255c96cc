// SPDX-License-Identifier: Apache-2.0
// Stream memory operations, and the registration of host memory for them.
#include "backend/cuda/cuda_values.hpp"
#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/native_words.hpp"
#include "backend/cuda/driver/relaxed_mode.hpp"

namespace gs::cuda {

static_assert(int{GS_VALUE_GEQ} == int{CU_STREAM_WAIT_VALUE_GEQ} && int{GS_VALUE_EQ} == int{CU_STREAM_WAIT_VALUE_EQ} &&
              int{GS_VALUE_AND} == int{CU_STREAM_WAIT_VALUE_AND} && int{GS_VALUE_NOR} == int{CU_STREAM_WAIT_VALUE_NOR});

Status ask_attribute(ThreadBlock &thread, const Device &device, CUdevice_attribute which, bool *out) noexcept {
    int value = 0;
    const CUresult result = g_driver.device_get_attribute(thread, &value, which, device.handle);
    // A driver that does not know the attribute lacks the feature.
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_VALUE)
        return map_error_no_device(result, {g_driver.device_get_attribute.name});
    *out = result == CUDA_SUCCESS && value != 0;
    return kOk;
}

// Drivers react differently to an operation that a device lacks. So conditions and flags that only some devices have
// are asked for.
Status check_wait_value(ThreadBlock &thread, const Device &device, uint32_t flags) noexcept {
    bool can = true;
    if ((flags & kValueCondition) == GS_VALUE_NOR)
        GS_TRY(ask_attribute(thread, device, CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, &can));
    if (!can) return fail(GS_ERROR_NOT_SUPPORTED, "cuda device %d has no GS_VALUE_NOR", device.ordinal);
    if ((flags & GS_VALUE_FLUSH) != 0)
        GS_TRY(ask_attribute(thread, device, CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES, &can));
    if (!can) return fail(GS_ERROR_NOT_SUPPORTED, "cuda device %d has no GS_VALUE_FLUSH", device.ordinal);
    return kOk;
}

Status CudaBackend::write_value(ThreadBlock &thread, StreamRef stream, void *address, uint64_t value,
                                uint32_t flags) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    ContextScope scope(thread);
    if (is_default_word(stream.native)) GS_TRY(scope.enter(device));
    // GS_VALUE_NO_BARRIER is not passed on: the driver's second version of the call refuses its flag (cuda.h says so, and an
    // H100 gave CUDA_ERROR_INVALID_VALUE). A write with the barrier promises more.
    const unsigned how = CU_STREAM_WRITE_VALUE_DEFAULT;
    const bool narrow = is_narrow(flags);
    const CUresult result =
        narrow ? g_driver.stream_write_value32(thread, to_stream(stream), word_at(address),
                                               static_cast<cuuint32_t>(value), how)
               : g_driver.stream_write_value64(thread, to_stream(stream), word_at(address), value, how);
    if (result == CUDA_SUCCESS) return kOk;
    const char *name = narrow ? g_driver.stream_write_value32.name : g_driver.stream_write_value64.name;
    return map_error(result, {name, GS_ERROR_INVALID_ARGUMENT}, device);
}

Status CudaBackend::wait_value(ThreadBlock &thread, StreamRef stream, void *address, uint64_t value,
                               uint32_t flags) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    GS_TRY(check_wait_value(thread, device, flags));
    ContextScope scope(thread);
    if (is_default_word(stream.native)) GS_TRY(scope.enter(device));
    const unsigned how = native_condition(flags);
    const bool narrow = is_narrow(flags);
    const CUresult result = narrow
                                ? g_driver.stream_wait_value32(thread, to_stream(stream), word_at(address),
                                                               static_cast<cuuint32_t>(value), how)
                                : g_driver.stream_wait_value64(thread, to_stream(stream), word_at(address), value, how);
    if (result == CUDA_SUCCESS) return kOk;
    const char *name = narrow ? g_driver.stream_wait_value32.name : g_driver.stream_wait_value64.name;
    return map_error(result, {name, GS_ERROR_INVALID_ARGUMENT}, device);
}

Status CudaBackend::register_words(int32_t ordinal, void *memory, size_t bytes, void **out_address) noexcept {
    Device &device = g_devices[ordinal];
    ThreadBlock &thread = counting_thread();
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    FailedCall call{g_driver.mem_host_register.name};
    CUresult result = in_relaxed_mode(thread, &call, [&] {
        return g_driver.mem_host_register(
            thread, memory, bytes, static_cast<unsigned>(CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP));
    });
    // An earlier call for this memory failed, and had registered it.
    if (result == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED) result = CUDA_SUCCESS;
    if (result != CUDA_SUCCESS) return map_error(result, call, device);
    CUdeviceptr address = 0;
    result = g_driver.mem_host_get_device_pointer(thread, &address, memory, 0u);
    if (result != CUDA_SUCCESS) return map_error(result, {g_driver.mem_host_get_device_pointer.name}, device);
    *out_address = reinterpret_cast<void *>(address);
    return kOk;
}

Status CudaBackend::has_wide_values(int32_t ordinal, bool *out) noexcept {
    Device &device = g_devices[ordinal];
    *out = device.wide_values.load(std::memory_order_relaxed);
    if (*out || !g_driver.stream_write_value64.present() || !g_driver.stream_wait_value64.present()) return kOk;
    GS_TRY(ask_attribute(counting_thread(), device, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, out));
    device.wide_values.store(*out, std::memory_order_relaxed);
    return kOk;
}

} // namespace gs::cuda
