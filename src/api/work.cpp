// SPDX-License-Identifier: Apache-2.0
// Memory, copies, modules, kernels: enough work to feed a stream from any language.
#include <cstdint>

#include "api/amounts.hpp"
#include "api/observable.hpp"
#include "backend/registry.hpp"
#include "base/sized_struct.hpp"
#include "core/memory/allocate.hpp"
#include "core/memory/free.hpp"
#include "core/memory/pools.hpp"
#include "core/work/kernels.hpp"
#include "tools/check/observed.hpp"

using namespace gs::api;

namespace {

// repeated: so that each of the two has code of its own, of which the usual one is inlined.
template <bool repeated>
[[gnu::always_inline]] inline gs_status_t attempt_malloc(size_t bytes, gs_stream_t stream, AllocationTurn *turn,
                                                         void **out_pointer) noexcept {
    return submit_to_stream<Rule::DeviceInside>("gs_malloc_async", stream,
                                                [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
                                                    GS_INPUT(out_pointer);
                                                    GS_TRY(check_size(bytes));
                                                    void *pointer = nullptr;
                                                    PoolSlot *pool = nullptr;
                                                    GS_TRY(current_pool(thread, *slot.device, &pool));
                                                    GS_TRY(allocate(thread, *pool, slot, bytes, turn, &pointer));
                                                    *out_pointer = pointer;
                                                    return kOk;
                                                });
}
[[gnu::cold, gnu::noinline]] gs_status_t malloc_again(size_t bytes, gs_stream_t stream, void **out_pointer) noexcept {
    AllocationTurn turn;
    gs_status_t status = GS_OK;
    do status = attempt_malloc<true>(bytes, stream, &turn, out_pointer);
    while (turn.again());
    return status;
}
[[gnu::noinline]] gs_status_t malloc_async(size_t bytes, gs_stream_t stream, void **out_pointer) noexcept {
    zero(out_pointer);
    const gs_status_t status = attempt_malloc<false>(bytes, stream, nullptr, out_pointer);
    const bool put_off = status == GS_OK && !*out_pointer;
    return put_off ? malloc_again(bytes, stream, out_pointer) : status;
}
constexpr auto kSawMallocAsync = [](size_t bytes, gs_stream_t stream, void *const *out_pointer) {
    check::saw_allocation(handle_bits(stream), *out_pointer, bytes);
};

[[gnu::noinline]] gs_status_t memcpy_async(void *dst, const void *src, size_t bytes, gs_stream_t stream) noexcept {
    return submit_to_stream<Rule::DeviceInside>(
        "gs_memcpy_async", stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
            GS_TRY(check_bytes(bytes));
            if (bytes == 0) return kOk;
            GS_INPUT(dst);
            GS_INPUT(src);
            return slot.backend->memcpy_async(thread, slot.ref(), dst, src, bytes);
        });
}
constexpr auto kSawMemcpyAsync = [](void *dst, const void *src, size_t bytes, gs_stream_t stream) {
    check::saw_copy(handle_bits(stream), dst, src, bytes);
};

[[gnu::noinline]] gs_status_t memset_async(void *dst, int32_t value, size_t bytes, gs_stream_t stream) noexcept {
    return submit_to_stream<Rule::DeviceInside>(
        "gs_memset_async", stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
            GS_TRY(check_bytes(bytes));
            if (value < 0 || value > 0xFF)
                return fail(GS_ERROR_INVALID_ARGUMENT, "value %d does not fit into a byte (0 to 255)", value);
            if (bytes == 0) return kOk;
            GS_INPUT(dst);
            return slot.backend->memset_async(thread, slot.ref(), dst, static_cast<uint8_t>(value), bytes);
        });
}
constexpr auto kSawMemsetAsync = [](void *dst, int32_t, size_t bytes, gs_stream_t stream) {
    check::saw_fill(handle_bits(stream), dst, bytes);
};

[[gnu::noinline]] gs_status_t kernel_launch(gs_kernel_t kernel, const gs_launch_config_t *config, void **arguments,
                                            gs_stream_t stream) noexcept {
    return submit_to_stream<Rule::DeviceInside>(
        "gs_kernel_launch", stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
            GS_INPUT(config);
            gs_launch_config_t known{};
            GS_TRY(read_sized(config, &known));
            return launch_kernel(thread, handle_bits(kernel), known, arguments, slot);
        });
}
constexpr auto kSawKernelLaunch = [](gs_kernel_t, const gs_launch_config_t *, void **, gs_stream_t stream) {
    check::saw_submit(handle_bits(stream));
};

} // namespace

extern "C" {

gs_status_t gs_malloc_async(size_t bytes, gs_stream_t stream, void **out_pointer) {
    zero(out_pointer);
    return observable<malloc_async, kSawMallocAsync>(__func__, bytes, stream, out_pointer);
}

gs_status_t gs_free_async(void *pointer, gs_stream_t stream) {
    const size_t freed = check::observed() ? check::before_free(handle_bits(stream), pointer) : 0;
    const gs_status_t status = submit_to_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        if (!pointer) return kOk;
        return free_memory(thread, slot, pointer);
    });
    if (check::observed() && status == GS_OK) check::saw_free(handle_bits(stream), pointer);
    if (freed != 0 && status != GS_OK) check::saw_free_fail(pointer, freed);
    return status;
}

GS_RARE gs_status_t gs_malloc_host(size_t bytes, void **out_pointer) {
    zero(out_pointer);
    const gs_status_t status = boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_pointer);
        GS_TRY(check_size(bytes));
        GS_TRY(ensure_initialized());
        Device *device = nullptr;
        GS_TRY(resolve_device(thread, GS_DEVICE_CURRENT, &device));
        GS_TRY(check_health(*device));
        void *pointer = nullptr;
        GS_TRY(device->backend->malloc_host(device->ordinal, bytes, &pointer));
        *out_pointer = pointer;
        return kOk;
    });
    if (check::observed() && status == GS_OK) check::saw_host_allocation(*out_pointer, bytes);
    return status;
}

GS_RARE gs_status_t gs_free_host(void *pointer) {
    if (in_bad_fork()) return GS_OK;
    if (check::observed()) check::before_host_free(pointer);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &) -> Status {
        if (!pointer) return kOk;
        // Each backend knows what it allocated; the pointer belongs to one of those that run.
        for (const BackendRow &row : backend_rows()) {
            if (!backend_started(row.kind)) continue;
            const Status status = row.instance().free_host(pointer);
            if (status.code != GS_ERROR_INVALID_ARGUMENT) return status;
        }
        return fail(GS_ERROR_INVALID_ARGUMENT, "%p did not come from gs_malloc_host, or was freed", pointer);
    });
}

gs_status_t gs_memcpy_async(void *dst, const void *src, size_t bytes, gs_stream_t stream) {
    return observable<memcpy_async, kSawMemcpyAsync>(__func__, dst, src, bytes, stream);
}

gs_status_t gs_memset_async(void *dst, int32_t value, size_t bytes, gs_stream_t stream) {
    return observable<memset_async, kSawMemsetAsync>(__func__, dst, value, bytes, stream);
}

GS_RARE gs_status_t gs_module_load(gs_device_t device, const void *image, size_t bytes, gs_module_t *out_module) {
    zero(out_module);
    return boundary<Rule::Device>(Call(__func__, device), [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_module);
        GS_INPUT(image);
        GS_TRY(check_bytes(bytes));
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        uint64_t handle = 0;
        GS_TRY(load_module(thread, *target, image, bytes, &handle));
        *out_module = to_handle<gs_module_t>(handle);
        return kOk;
    });
}

GS_RARE gs_status_t gs_module_destroy(gs_module_t module) {
    if (in_bad_fork()) return GS_OK;
    return boundary<Rule::Device>(__func__,
                                  [&](ThreadBlock &thread) { return release_module(thread, handle_bits(module)); });
}

GS_RARE gs_status_t gs_module_get_kernel(gs_module_t module, const char *name, gs_kernel_t *out_kernel) {
    zero(out_kernel);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_kernel);
        GS_INPUT(name);
        uint64_t handle = 0;
        GS_TRY(get_kernel(thread, handle_bits(module), name, &handle));
        *out_kernel = to_handle<gs_kernel_t>(handle);
        return kOk;
    });
}

gs_status_t gs_kernel_launch(gs_kernel_t kernel, const gs_launch_config_t *config, void **arguments,
                             gs_stream_t stream) {
    return observable<kernel_launch, kSawKernelLaunch>(__func__, kernel, config, arguments, stream);
}

} // extern "C"
