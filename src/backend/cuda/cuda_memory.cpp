// SPDX-License-Identifier: Apache-2.0
// Memory of devices, and page-locked memory of the host.
#include <memory>
#include <new>

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/driver_errors.hpp"
#include "backend/cuda/driver/driver_table.hpp"
#include "backend/gpu/host_blocks.hpp"

namespace gs::cuda {

namespace {

// OUT_OF_MEMORY for an allocation: the text says how much was asked for and how much the device has left.
__attribute__((cold)) Status fail_out_of_memory(ThreadBlock &thread, Device &device, const char *function,
                                                size_t bytes) noexcept {
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    bool known = false;
    {
        ContextScope scope(thread);
        known = scope.enter(device).ok() && g_driver.mem_get_info(thread, &free_bytes, &total_bytes) == CUDA_SUCCESS;
    }
    const NativeError native{GS_BACKEND_CUDA, CUDA_ERROR_OUT_OF_MEMORY, function};
    if (!known)
        return fail_native(GS_ERROR_OUT_OF_MEMORY, native, "%s of %zu bytes failed on device %d: %s", function, bytes,
                           device.ordinal, error_text(CUDA_ERROR_OUT_OF_MEMORY));
    return fail_native(GS_ERROR_OUT_OF_MEMORY, native,
                       "%s of %zu bytes failed on device %d: %s; %zu of %zu bytes are free on the device", function,
                       bytes, device.ordinal, error_text(CUDA_ERROR_OUT_OF_MEMORY), free_bytes, total_bytes);
}

// Both need the context: an allocation that fails is explained by the memory left in it.
Status alloc_without_pool(ThreadBlock &thread, Device &device, size_t bytes, void **out) noexcept {
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    CUdeviceptr address = 0;
    FailedCall call{g_driver.mem_alloc.name, GS_ERROR_INVALID_ARGUMENT};
    const CUresult result = in_relaxed_mode(thread, &call, [&] { return g_driver.mem_alloc(thread, &address, bytes); });
    if (result == CUDA_ERROR_OUT_OF_MEMORY) return fail_out_of_memory(thread, device, call.function, bytes);
    if (result != CUDA_SUCCESS) return map_error(result, call, device);
    *out = reinterpret_cast<void *>(address);
    return kOk;
}

} // namespace

Status CudaBackend::malloc_async(ThreadBlock &thread, StreamRef stream, uintptr_t pool, size_t bytes,
                                 void **out) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    // Memory allocated at once is valid for all later work of the stream too.
    if (!device.memory_pools) return alloc_without_pool(thread, device, bytes, out);
    if (!device.pool_kept.load(std::memory_order_acquire)) GS_TRY(keep_freed(thread, device));
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    CUdeviceptr address = 0;
    const char *function = pool == 0 ? g_driver.mem_alloc_async.name : g_driver.mem_alloc_from_pool_async.name;
    const CUresult result =
        pool == 0 ? g_driver.mem_alloc_async(thread, &address, bytes, to_stream(stream))
                  : g_driver.mem_alloc_from_pool_async(thread, &address, bytes, reinterpret_cast<CUmemoryPool>(pool),
                                                       to_stream(stream));
    if (result == CUDA_ERROR_OUT_OF_MEMORY) return fail_out_of_memory(thread, device, function, bytes);
    if (result != CUDA_SUCCESS) return map_error(result, {function, GS_ERROR_INVALID_ARGUMENT}, device);
    *out = reinterpret_cast<void *>(address);
    return kOk;
}

Status CudaBackend::free_async(ThreadBlock &thread, StreamRef stream, void *pointer, bool *out_freed) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    if (!device.memory_pools) {
        // The free is ordered behind the stream's work.
        GS_TRY(stream_synchronize(thread, stream));
        ContextScope scope(thread);
        GS_TRY(scope.enter(device));
        FailedCall call{g_driver.mem_free.name, GS_ERROR_INVALID_ARGUMENT};
        const CUresult result =
            in_relaxed_mode(thread, &call, [&] { return g_driver.mem_free(thread, to_address(pointer)); });
        *out_freed = call.function == g_driver.mem_free.name; // it was called
        return result == CUDA_SUCCESS ? kOk : map_error(result, call, device);
    }
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    *out_freed = true; // once the driver was asked, the address may be someone else's
    return driver_call<GS_ERROR_INVALID_ARGUMENT>(thread, device, g_driver.mem_free_async, to_address(pointer),
                                                  to_stream(stream));
}

Status CudaBackend::memset_async(ThreadBlock &thread, StreamRef stream, void *dst, uint8_t value,
                                 size_t bytes) noexcept {
    Device &device = g_devices[stream.ordinal];
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    const CUresult result = g_driver.memset_d8_async(thread, to_address(dst), value, bytes, to_stream(stream));
    if (result == CUDA_SUCCESS) return kOk;
    CUmemorytype type{};
    if (result == CUDA_ERROR_INVALID_VALUE &&
        g_driver.pointer_get_attribute(thread, &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, to_address(dst)) == result)
        return fail_native(
            GS_ERROR_INVALID_ARGUMENT, {GS_BACKEND_CUDA, result, g_driver.memset_d8_async.name},
            "the driver does not know the memory at %p: CUDA device %d fills memory of devices and page-locked memory",
            dst, device.ordinal);
    return map_error(result, {g_driver.memset_d8_async.name, GS_ERROR_INVALID_ARGUMENT}, device);
}

// Pinned host memory.

namespace {

constinit gpu::HostBlocks g_blocks;

} // namespace

Status CudaBackend::malloc_host(int32_t ordinal, size_t bytes, void **out) noexcept {
    Device &device = g_devices[ordinal];
    ThreadBlock &thread = counting_thread();
    std::unique_ptr<gpu::HostBlock> block(new (std::nothrow) gpu::HostBlock);
    if (!block) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the record of a pinned block");
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    FailedCall call{g_driver.mem_host_alloc.name, GS_ERROR_INVALID_ARGUMENT};
    void *pointer = nullptr;
    // Portable: pinned for the contexts of every device, not only this one's.
    const CUresult result = in_relaxed_mode(thread, &call, [&] {
        return g_driver.mem_host_alloc(thread, &pointer, bytes, static_cast<unsigned>(CU_MEMHOSTALLOC_PORTABLE));
    });
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return fail_native(GS_ERROR_OUT_OF_MEMORY, {GS_BACKEND_CUDA, CUDA_ERROR_OUT_OF_MEMORY, call.function},
                           "%s of %zu bytes of pinned host memory failed: %s", call.function, bytes,
                           error_text(result));
    if (result != CUDA_SUCCESS) return map_error(result, call, device);
    block->pointer = pointer;
    block->ordinal = ordinal;
    g_blocks.add(block.release());
    *out = pointer;
    return kOk;
}

Status CudaBackend::free_host(void *pointer) noexcept {
    std::unique_ptr<gpu::HostBlock> block(g_blocks.remove(pointer));
    if (!block)
        return fail(GS_ERROR_INVALID_ARGUMENT, "%p is not pinned memory of the cuda backend, or was freed already",
                    pointer);
    Device &device = g_devices[block->ordinal];
    ThreadBlock &thread = counting_thread();
    if (is_latched(device)) return kOk; // the memory went with the context, or will with the process
    ContextScope scope(thread);
    if (Status status = scope.enter_to_create(device); !status.ok()) {
        if (is_latched(device) || status.code == GS_ERROR_SHUTDOWN) return kOk;
        g_blocks.add(block.release()); // still allocated: the caller may try again
        return status;
    }
    FailedCall call{g_driver.mem_free_host.name};
    const CUresult result = in_relaxed_mode(thread, &call, [&] { return g_driver.mem_free_host(thread, pointer); });
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED) return kOk;
    const Status status = map_error(result, call, device);
    // Once the driver was asked to free it, the address may belong to another allocation. It is freed only once: if
    // that had no effect, the memory is leaked.
    const bool asked = call.function == g_driver.mem_free_host.name;
    if (!asked && !is_latched(device)) g_blocks.add(block.release());
    return status;
}

} // namespace gs::cuda
