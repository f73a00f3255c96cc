// SPDX-License-Identifier: Apache-2.0
// Memory, copies, modules, kernels: enough work to feed a stream from any language.
#include <cstdint>

#include "api/with.hpp"
#include "backend/registry.hpp"
#include "base/sized_struct.hpp"
#include "core/work/kernels.hpp"

using namespace gs::api;

namespace {

// A negative number that was cast to size_t on its way.
Status check_bytes(size_t bytes) noexcept {
    if (bytes <= static_cast<size_t>(PTRDIFF_MAX)) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "%zu bytes: larger than any object (a negative number?)", bytes);
}

} // namespace

extern "C" {

gs_status_t gs_malloc_async(size_t bytes, gs_stream_t stream, void **out_pointer) {
    zero(out_pointer);
    return submit_to_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_INPUT(out_pointer);
        GS_TRY(check_bytes(bytes));
        if (bytes == 0) return fail(GS_ERROR_INVALID_ARGUMENT, "0 bytes cannot be allocated");
        void *pointer = nullptr;
        GS_TRY(slot.backend->malloc_async(thread, slot.ref(), bytes, &pointer));
        *out_pointer = pointer;
        return kOk;
    });
}

gs_status_t gs_free_async(void *pointer, gs_stream_t stream) {
    return submit_to_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        if (!pointer) return kOk;
        return slot.backend->free_async(thread, slot.ref(), pointer);
    });
}

gs_status_t gs_malloc_host(size_t bytes, void **out_pointer) {
    zero(out_pointer);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_pointer);
        GS_TRY(check_bytes(bytes));
        if (bytes == 0) return fail(GS_ERROR_INVALID_ARGUMENT, "0 bytes cannot be allocated");
        GS_TRY(ensure_initialized());
        Device *device = nullptr;
        GS_TRY(resolve_device(thread, GS_DEVICE_CURRENT, &device));
        GS_TRY(check_health(*device));
        void *pointer = nullptr;
        GS_TRY(device->backend->malloc_host(device->ordinal, bytes, &pointer));
        *out_pointer = pointer;
        return kOk;
    });
}

gs_status_t gs_free_host(void *pointer) {
    if (in_bad_fork()) return GS_OK;
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
    return submit_to_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_TRY(check_bytes(bytes));
        if (bytes == 0) return kOk;
        GS_INPUT(dst);
        GS_INPUT(src);
        return slot.backend->memcpy_async(thread, slot.ref(), dst, src, bytes);
    });
}

gs_status_t gs_memset_async(void *dst, int32_t value, size_t bytes, gs_stream_t stream) {
    return submit_to_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_TRY(check_bytes(bytes));
        if (value < 0 || value > 0xFF)
            return fail(GS_ERROR_INVALID_ARGUMENT, "value %d does not fit into a byte (0 to 255)", value);
        if (bytes == 0) return kOk;
        GS_INPUT(dst);
        return slot.backend->memset_async(thread, slot.ref(), dst, static_cast<uint8_t>(value), bytes);
    });
}

gs_status_t gs_module_load(gs_device_t device, const void *image, size_t bytes, gs_module_t *out_module) {
    zero(out_module);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
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

gs_status_t gs_module_destroy(gs_module_t module) {
    if (in_bad_fork()) return GS_OK;
    return boundary<Rule::Device>(__func__,
                                  [&](ThreadBlock &thread) { return release_module(thread, handle_bits(module)); });
}

gs_status_t gs_module_get_kernel(gs_module_t module, const char *name, gs_kernel_t *out_kernel) {
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
    return submit_to_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_INPUT(config);
        gs_launch_config_t known{};
        GS_TRY(read_sized(config, &known));
        return launch_kernel(thread, handle_bits(kernel), known, arguments, slot);
    });
}

} // extern "C"
