// SPDX-License-Identifier: Apache-2.0
// Copies, fills, modules, kernels and host functions.
#include <cstdint>

#include "api/with.hpp"
#include "backend/copy_each.hpp"
#include "base/sized_struct.hpp"
#include "core/completion/completion_calls.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/stream/captured.hpp"
#include "core/work/host_call.hpp"
#include "core/work/kernels.hpp"

using namespace gs::api;

namespace {

[[gnu::noinline]] gs_status_t memcpy_async(void *dst, const void *src, size_t bytes, gs_stream_t stream) noexcept {
    return submit_to_stream<Rule::LengthyInside>(
        "gs_memcpy_async", stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
            GS_TRY(check_bytes(bytes));
            if (bytes == 0) return kOk;
            GS_INPUT(dst);
            GS_INPUT(src);
            return slot.backend->memcpy_async(thread, slot.ref(), dst, src, bytes);
        });
}
constexpr auto kSawMemcpyAsync = [](void *dst, const void *src, size_t bytes, gs_stream_t stream) {
    tools::saw_copy(handle_bits(stream), dst, src, bytes);
};

Status check_copies(const gs_copy_t *copies, size_t count, int32_t order) noexcept {
    if (order < GS_ACCESS_ORDER_STREAM || order > GS_ACCESS_ORDER_ANY)
        return fail(GS_ERROR_INVALID_ARGUMENT, "%d is no order: 1 (stream), 2 (during the call) and 3 (any) are",
                    order);
    if (count != 0) GS_INPUT(copies);
    for (size_t i = 0; i < count; ++i) {
        const gs_copy_t &copy = copies[i];
        const Status size = check_bytes(copy.bytes);
        if (!size.ok()) return fail_element(size, "copies", i);
        if (copy.bytes != 0 && (!copy.dst || !copy.src))
            return fail_element(null_argument(copy.dst ? "src" : "dst"), "copies", i);
    }
    return kOk;
}

[[gnu::noinline]] gs_status_t memcpy_batch_async(const gs_copy_t *copies, size_t count, int32_t order,
                                                 gs_stream_t stream) noexcept {
    return submit_to_stream<Rule::LengthyInside>(
        "gs_memcpy_batch_async", stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
            GS_TRY(check_copies(copies, count, order));
            if (count == 0) return kOk;
            bool captured = false;
            if (!never_captured(slot)) GS_TRY(is_captured(thread, slot, &captured));
            if (!captured) return slot.backend->memcpy_batch(thread, slot.ref(), copies, count, order);
            if (order == GS_ACCESS_ORDER_DURING_CALL)
                return fail(GS_ERROR_CAPTURING, "the stream is being captured, and launches of the graph read the "
                                                "sources: GS_ACCESS_ORDER_DURING_CALL cannot be met");
            return copy_each(*slot.backend, thread, slot.ref(), copies, count);
        });
}
constexpr auto kSawMemcpyBatchAsync = [](const gs_copy_t *copies, size_t count, int32_t order, gs_stream_t stream) {
    tools::saw_copies(handle_bits(stream), copies, count, order);
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
    tools::saw_fill(handle_bits(stream), dst, bytes);
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
constexpr auto kSawKernelLaunch = [](gs_kernel_t, const gs_launch_config_t *config, void **, gs_stream_t stream) {
    tools::saw_submit(handle_bits(stream));
    gs_launch_config_t known{};
    if (read_sized(config, &known).ok() && known.programmatic_event)
        tools::saw_early_record(handle_bits(known.programmatic_event), handle_bits(stream));
};

[[gnu::noinline]] gs_status_t stream_sleep(gs_stream_t stream, uint64_t cycles) noexcept {
    return submit_to_stream<Rule::DeviceInside>("gs_stream_sleep", stream, [&](ThreadBlock &thread, StreamSlot &slot) {
        return slot.backend->sleep(thread, slot.ref(), cycles);
    });
}
constexpr auto kSawStreamSleep = [](gs_stream_t stream, uint64_t) { tools::saw_submit(handle_bits(stream)); };

} // namespace

extern "C" {

gs_status_t gs_memcpy_async(void *dst, const void *src, size_t bytes, gs_stream_t stream) {
    return observable<memcpy_async, kSawMemcpyAsync>(__func__, dst, src, bytes, stream);
}

gs_status_t gs_memcpy_batch_async(const gs_copy_t *copies, size_t count, int32_t order, gs_stream_t stream) {
    return observable<memcpy_batch_async, kSawMemcpyBatchAsync>(__func__, copies, count, order, stream);
}

gs_status_t gs_memset_async(void *dst, int32_t value, size_t bytes, gs_stream_t stream) {
    return observable<memset_async, kSawMemsetAsync>(__func__, dst, value, bytes, stream);
}

GS_RARE gs_status_t gs_module_load(gs_device_t device, const void *image, size_t bytes, gs_module_t *out_module) {
    return make_object<Rule::Slow>(Call(__func__, device), GS_OUT(out_module),
                                   [&](ThreadBlock &thread, uint64_t *handle) -> Status {
                                       GS_INPUT(image);
                                       GS_TRY(check_bytes(bytes));
                                       Device *target = nullptr;
                                       GS_TRY(find_device(thread, device, &target));
                                       return load_module(thread, *target, image, bytes, handle);
                                   });
}

GS_RARE gs_status_t gs_module_destroy(gs_module_t module) {
    if (in_bad_fork()) return GS_OK;
    return boundary<Rule::Lengthy>(__func__,
                                   [&](ThreadBlock &thread) { return release_module(thread, handle_bits(module)); });
}

GS_RARE gs_status_t gs_module_get_kernel(gs_module_t module, const char *name, gs_kernel_t *out_kernel) {
    return make_object(__func__, GS_OUT(out_kernel), [&](ThreadBlock &thread, uint64_t *handle) -> Status {
        GS_INPUT(name);
        return get_kernel(thread, handle_bits(module), name, handle);
    });
}

gs_status_t gs_kernel_launch(gs_kernel_t kernel, const gs_launch_config_t *config, void **arguments,
                             gs_stream_t stream) {
    return observable<kernel_launch, kSawKernelLaunch>(__func__, kernel, config, arguments, stream);
}

gs_status_t gs_stream_launch_host(gs_stream_t stream, void (*fn)(void *arg), void *arg) {
    if (tools::observed()) tools::before_function(handle_bits(stream));
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_INPUT(fn);
        return launch_host(thread, slot, fn, arg);
    });
}

gs_status_t gs_stream_notify(gs_stream_t stream, void (*fn)(void *arg, gs_status_t status), void *arg) {
    if (tools::observed()) tools::before_function(handle_bits(stream));
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_INPUT(fn);
        return notify(thread, slot, fn, arg);
    });
}

gs_status_t gs_stream_sleep(gs_stream_t stream, uint64_t cycles) {
    return observable<stream_sleep, kSawStreamSleep>(__func__, stream, cycles);
}

} // extern "C"
