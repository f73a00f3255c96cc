// SPDX-License-Identifier: Apache-2.0
// Stream memory operations, one by one and in batches, the registration of host memory for them, and timeline semaphores of other
// APIs.
#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/driver_table.hpp"

namespace gs::cuda {

namespace {

constexpr uint32_t kValueCondition = 3; // the part of GS_VALUE_* that is a number
static_assert(int{GS_VALUE_GEQ} == int{CU_STREAM_WAIT_VALUE_GEQ} && int{GS_VALUE_EQ} == int{CU_STREAM_WAIT_VALUE_EQ} &&
              int{GS_VALUE_AND} == int{CU_STREAM_WAIT_VALUE_AND} && int{GS_VALUE_NOR} == int{CU_STREAM_WAIT_VALUE_NOR});

CUdeviceptr word_at(void *address) noexcept { return reinterpret_cast<CUdeviceptr>(address); }
bool is_narrow(uint32_t flags) noexcept { return (flags & GS_VALUE_32) != 0; }
unsigned native_condition(uint32_t flags) noexcept {
    const unsigned flush = (flags & GS_VALUE_FLUSH) != 0 ? unsigned{CU_STREAM_WAIT_VALUE_FLUSH} : 0;
    return (flags & kValueCondition) | flush;
}

// NOT_SUPPORTED: the device lacks the condition or the flag. Drivers react differently to an operation that a device lacks. So conditions and flags that only some devices have
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

} // namespace

Status CudaBackend::write_value(ThreadBlock &thread, StreamRef stream, void *address, uint64_t value,
                                uint32_t flags) noexcept {
    Device &device = g_devices[stream.ordinal];
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    // GS_VALUE_NO_BARRIER is not passed on: the driver's second version of the call refuses its flag (cuda.h says so, and an
    // H100 gave CUDA_ERROR_INVALID_VALUE). A write with the barrier promises more.
    const unsigned how = CU_STREAM_WRITE_VALUE_DEFAULT;
    constexpr gs_status_t kInvalid = GS_ERROR_INVALID_ARGUMENT;
    if (!is_narrow(flags))
        return driver_call<kInvalid>(thread, device, g_driver.stream_write_value64, to_stream(stream), word_at(address),
                                     value, how);
    return driver_call<kInvalid>(thread, device, g_driver.stream_write_value32, to_stream(stream), word_at(address),
                                 static_cast<cuuint32_t>(value), how);
}

Status CudaBackend::wait_value(ThreadBlock &thread, StreamRef stream, void *address, uint64_t value,
                               uint32_t flags) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    GS_TRY(check_wait_value(thread, device, flags));
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    const unsigned how = native_condition(flags);
    constexpr gs_status_t kInvalid = GS_ERROR_INVALID_ARGUMENT;
    if (!is_narrow(flags))
        return driver_call<kInvalid>(thread, device, g_driver.stream_wait_value64, to_stream(stream), word_at(address),
                                     value, how);
    return driver_call<kInvalid>(thread, device, g_driver.stream_wait_value32, to_stream(stream), word_at(address),
                                 static_cast<cuuint32_t>(value), how);
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
    GS_TRY(status_of(result, call, device));
    CUdeviceptr address = 0;
    GS_TRY(driver_call(thread, device, g_driver.mem_host_get_device_pointer, &address, memory, 0u));
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

// Several stream memory operations in one call of the driver.

namespace {

constexpr size_t kMostOps = 255; // the driver's limit

CUstreamBatchMemOpParams write_of(const gs_value_op_t &op) noexcept {
    CUstreamBatchMemOpParams made{};
    made.writeValue.operation = is_narrow(op.flags) ? CU_STREAM_MEM_OP_WRITE_VALUE_32 : CU_STREAM_MEM_OP_WRITE_VALUE_64;
    made.writeValue.address = word_at(op.address);
    made.writeValue.value64 = op.value;
    made.writeValue.flags = CU_STREAM_WRITE_VALUE_DEFAULT; // GS_VALUE_NO_BARRIER is left out, as for a single one
    return made;
}

CUstreamBatchMemOpParams wait_of(const gs_value_op_t &op) noexcept {
    CUstreamBatchMemOpParams made{};
    made.waitValue.operation = is_narrow(op.flags) ? CU_STREAM_MEM_OP_WAIT_VALUE_32 : CU_STREAM_MEM_OP_WAIT_VALUE_64;
    made.waitValue.address = word_at(op.address);
    made.waitValue.value64 = op.value;
    made.waitValue.flags = native_condition(op.flags);
    return made;
}

} // namespace

Status CudaBackend::batch_values(ThreadBlock &thread, StreamRef stream, const gs_value_op_t *ops,
                                 size_t count) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    if (!g_driver.stream_batch_mem_op.present())
        return fail(GS_ERROR_NOT_SUPPORTED, "the driver has no batches of stream memory operations");
    CUstreamBatchMemOpParams made[kMostOps];
    for (size_t i = 0; i < count; ++i) {
        const bool writes = (ops[i].flags & GS_VALUE_WRITE) != 0;
        if (!writes) GS_TRY(check_wait_value(thread, device, ops[i].flags));
        made[i] = writes ? write_of(ops[i]) : wait_of(ops[i]);
    }
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    return driver_call<GS_ERROR_INVALID_ARGUMENT>(thread, device, g_driver.stream_batch_mem_op, to_stream(stream),
                                                  static_cast<unsigned>(count), made, 0u);
}

// Timeline semaphores that another API has exported.

namespace {

CUexternalSemaphore to_semaphore(uintptr_t semaphore) noexcept {
    return reinterpret_cast<CUexternalSemaphore>(semaphore);
}

bool has_semaphores() noexcept {
    return g_driver.import_external_semaphore.present() && g_driver.destroy_external_semaphore.present() &&
           g_driver.signal_external_semaphores_async.present() && g_driver.wait_external_semaphores_async.present();
}

} // namespace

Status CudaBackend::import_semaphore(int32_t ordinal, int32_t type, int fd, uintptr_t *out) noexcept {
    if (type == GS_FD_D3D12_FENCE)
        return fail(GS_ERROR_NOT_SUPPORTED, "the driver has fences of D3D12 as handles of Windows only");
    if (!has_semaphores()) return fail(GS_ERROR_NOT_SUPPORTED, "the driver cannot import semaphores");
    Device &device = g_devices[ordinal];
    ThreadBlock &thread = counting_thread();
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    bool can = false;
    GS_TRY(ask_attribute(thread, device, CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED, &can));
    if (!can) return fail(GS_ERROR_NOT_SUPPORTED, "cuda device %d cannot import timeline semaphores", ordinal);
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description{};
    description.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    description.handle.fd = fd;
    CUexternalSemaphore imported = nullptr;
    FailedCall call{g_driver.import_external_semaphore.name, GS_ERROR_INVALID_ARGUMENT};
    const CUresult result = in_relaxed_mode(
        thread, &call, [&] { return g_driver.import_external_semaphore(thread, &imported, &description); });
    // What driver 580 returns for a file descriptor that is closed or no semaphore.
    if (result == CUDA_ERROR_UNKNOWN)
        return fail_native(GS_ERROR_INVALID_ARGUMENT, {GS_BACKEND_CUDA, result, call.function},
                           "%s: file descriptor %d is no timeline semaphore that cuda device %d can read",
                           call.function, fd, ordinal);
    if (result != CUDA_SUCCESS) return map_error(result, call, device);
    *out = reinterpret_cast<uintptr_t>(imported);
    return kOk;
}

Status CudaBackend::destroy_semaphore(int32_t ordinal, uintptr_t semaphore) noexcept {
    return end_in_context<true>(counting_thread(), g_devices[ordinal], g_driver.destroy_external_semaphore,
                                to_semaphore(semaphore));
}

Status CudaBackend::signal_semaphore(ThreadBlock &thread, StreamRef stream, uintptr_t semaphore,
                                     uint64_t value) noexcept {
    Device &device = g_devices[stream.ordinal];
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    const CUexternalSemaphore which = to_semaphore(semaphore);
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal{};
    signal.params.fence.value = value;
    return driver_call(thread, device, g_driver.signal_external_semaphores_async, &which, &signal, 1u,
                       to_stream(stream));
}

Status CudaBackend::wait_semaphore(ThreadBlock &thread, StreamRef stream, uintptr_t semaphore,
                                   uint64_t value) noexcept {
    Device &device = g_devices[stream.ordinal];
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    const CUexternalSemaphore which = to_semaphore(semaphore);
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait{};
    wait.params.fence.value = value;
    return driver_call(thread, device, g_driver.wait_external_semaphores_async, &which, &wait, 1u, to_stream(stream));
}

} // namespace gs::cuda
