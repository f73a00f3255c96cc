// SPDX-License-Identifier: Apache-2.0
// Pinned host memory.
#include <memory>
#include <new>

#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/context/out_of_memory.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/relaxed_mode.hpp"
#include "backend/gpu/host_blocks.hpp"

namespace gs::cuda {
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
