// SPDX-License-Identifier: Apache-2.0
// Memory, copies, modules, kernels: enough work to feed a stream from any language.
#include <cstdint>

#include "api/boundary.hpp"
#include "backend/registry.hpp"
#include "base/sized_struct.hpp"
#include "core/lookup.hpp"
#include "core/runtime.hpp"
#include "core/work/kernels.hpp"

using gs::CallMark;
using gs::Device;
using gs::handle_bits;
using gs::Status;
using gs::StreamSlot;
using gs::ThreadBlock;
using gs::to_handle;
using gs::api::boundary;
using gs::api::Rule;
using gs::api::zero;

namespace {

template <typename Body>
gs_status_t on_stream(const char *function, gs_stream_t stream, Body &&body) noexcept {
    return boundary<Rule::Device>(function, [&](ThreadBlock &thread) -> Status {
        CallMark mark(thread);
        StreamSlot *slot = nullptr;
        GS_TRY(gs::optional_stream(thread, handle_bits(stream), &slot));
        GS_TRY(gs::check_health(*slot->device));
        gs::mark_used(*slot);
        return body(thread, *slot);
    });
}

// A negative number that was cast to size_t on its way.
Status check_bytes(size_t bytes) noexcept {
    if (bytes <= static_cast<size_t>(PTRDIFF_MAX)) return gs::kOk;
    return gs::fail(GS_ERROR_INVALID_ARGUMENT, "%zu bytes: larger than any object (a negative number?)", bytes);
}

} // namespace

extern "C" {

gs_status_t gs_malloc_async(size_t bytes, gs_stream_t stream, void **out_pointer) {
    zero(out_pointer);
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_INPUT(out_pointer);
        GS_TRY(check_bytes(bytes));
        if (bytes == 0) return gs::fail(GS_ERROR_INVALID_ARGUMENT, "0 bytes cannot be allocated");
        void *pointer = nullptr;
        GS_TRY(slot.backend->malloc_async(thread, slot.ref(), bytes, &pointer));
        *out_pointer = pointer;
        return gs::kOk;
    });
}

gs_status_t gs_free_async(void *pointer, gs_stream_t stream) {
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        if (!pointer) return gs::kOk;
        return slot.backend->free_async(thread, slot.ref(), pointer);
    });
}

gs_status_t gs_malloc_host(size_t bytes, void **out_pointer) {
    zero(out_pointer);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_pointer);
        GS_TRY(check_bytes(bytes));
        if (bytes == 0) return gs::fail(GS_ERROR_INVALID_ARGUMENT, "0 bytes cannot be allocated");
        GS_TRY(gs::ensure_initialized());
        Device *device = nullptr;
        GS_TRY(gs::resolve_device(thread, GS_DEVICE_CURRENT, &device));
        GS_TRY(gs::check_health(*device));
        void *pointer = nullptr;
        GS_TRY(device->backend->malloc_host(device->ordinal, bytes, &pointer));
        *out_pointer = pointer;
        return gs::kOk;
    });
}

gs_status_t gs_free_host(void *pointer) {
    if (gs::in_bad_fork()) return GS_OK;
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &) -> Status {
        if (!pointer) return gs::kOk;
        // Each backend knows what it allocated; the pointer belongs to one of those that run.
        for (const gs::BackendRow &row : gs::backend_rows()) {
            if (!gs::backend_started(row.kind)) continue;
            const Status status = row.instance().free_host(pointer);
            if (status.code != GS_ERROR_INVALID_ARGUMENT) return status;
        }
        return gs::fail(GS_ERROR_INVALID_ARGUMENT, "%p did not come from gs_malloc_host, or was freed", pointer);
    });
}

gs_status_t gs_memcpy_async(void *dst, const void *src, size_t bytes, gs_stream_t stream) {
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_TRY(check_bytes(bytes));
        if (bytes == 0) return gs::kOk;
        GS_INPUT(dst);
        GS_INPUT(src);
        return slot.backend->memcpy_async(thread, slot.ref(), dst, src, bytes);
    });
}

gs_status_t gs_memset_async(void *dst, int32_t value, size_t bytes, gs_stream_t stream) {
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_TRY(check_bytes(bytes));
        if (value < 0 || value > 0xFF)
            return gs::fail(GS_ERROR_INVALID_ARGUMENT, "value %d does not fit into a byte (0 to 255)", value);
        if (bytes == 0) return gs::kOk;
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
        GS_TRY(gs::ensure_initialized_for(device));
        Device *target = nullptr;
        GS_TRY(gs::resolve_device(thread, device, &target));
        uint64_t handle = 0;
        GS_TRY(gs::load_module(thread, *target, image, bytes, &handle));
        *out_module = to_handle<gs_module_t>(handle);
        return gs::kOk;
    });
}

gs_status_t gs_module_destroy(gs_module_t module) {
    if (gs::in_bad_fork()) return GS_OK;
    return boundary<Rule::Device>(__func__,
                                  [&](ThreadBlock &thread) { return gs::release_module(thread, handle_bits(module)); });
}

gs_status_t gs_module_get_kernel(gs_module_t module, const char *name, gs_kernel_t *out_kernel) {
    zero(out_kernel);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_kernel);
        GS_INPUT(name);
        uint64_t handle = 0;
        GS_TRY(gs::get_kernel(thread, handle_bits(module), name, &handle));
        *out_kernel = to_handle<gs_kernel_t>(handle);
        return gs::kOk;
    });
}

gs_status_t gs_kernel_launch(gs_kernel_t kernel, const gs_launch_config_t *config, void **arguments,
                             gs_stream_t stream) {
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_INPUT(config);
        gs_launch_config_t known{};
        GS_TRY(gs::read_sized(config, &known));
        return gs::launch_kernel(thread, handle_bits(kernel), known, arguments, slot);
    });
}

} // extern "C"
