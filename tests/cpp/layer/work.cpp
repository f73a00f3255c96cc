// SPDX-License-Identifier: Apache-2.0
// Memory, modules and queues. A kernel's arguments stay with C: in C++ their types are known when it is compiled.
#include "call.hpp"

using namespace layer;

LAYER(gs_memcpy_async, void *to, const void *from, size_t bytes, gs_stream_t stream) {
    return status_of([&] { return copy(to, from, bytes, stream_ref(stream)); });
}
LAYER(gs_memcpy_batch_async, const gs_copy_t *copies, size_t count, int32_t order, gs_stream_t stream) {
    return status_of(
        [&] { return gpustream::copy_batch(copies, count, stream, static_cast<gpustream::access_order>(order)); });
}
LAYER(gs_memset_async, void *to, int32_t value, size_t bytes, gs_stream_t stream) {
    return status_of([&] { return fill(to, value, bytes, stream_ref(stream)); });
}
LAYER(gs_module_load, gs_device_t on, const void *image, size_t bytes, gs_module_t *out) {
    OR_C(out, gs_module_load, on, image, bytes, out);
    if (image && bytes == 0)
        return give(out, [&] { return gpustream::module::load_file(on, static_cast<const char *>(image)); });
    return give(out, [&] { return gpustream::module::load(on, image, bytes); });
}
LAYER(gs_module_destroy, gs_module_t handle) {
    return status_of([&] { return gpustream::module(handle).close(); });
}
LAYER(gs_module_get_kernel, gs_module_t handle, const char *name, gs_kernel_t *out) {
    OR_C(out, gs_module_get_kernel, handle, name, out);
    gpustream::module owned(handle);
    const gs_status_t status = give(out, [&] { return owned.kernel(name); });
    static_cast<void>(owned.release());
    return status;
}

LAYER(gs_queue_create, uint32_t capacity, uint32_t flags, gs_queue_t *out) {
    if (flags != 0) return gs_queue_create(capacity, flags, out);
    OR_C(out, gs_queue_create, capacity, flags, out);
    return give(out, [&] { return queue::create(capacity); });
}
LAYER(gs_queue_destroy, gs_queue_t handle) {
    return status_of([&] { return queue(handle).close(); });
}
LAYER(gs_queue_fd, gs_queue_t handle, int32_t *out) {
    OR_C(out, gs_queue_fd, handle, out);
    return give(out, [&] { return queue_ref(handle).fd(); });
}
LAYER(gs_queue_add_stream, gs_queue_t handle, gs_stream_t stream, uint64_t token) {
    return status_of([&] { return queue_ref(handle).add(stream_ref(stream), token); });
}
LAYER(gs_queue_add_event, gs_queue_t handle, gs_event_t event, uint64_t token) {
    return status_of([&] { return queue_ref(handle).add(event_ref(event), token); });
}
LAYER(gs_queue_cancel, gs_queue_t handle, uint64_t token, size_t *out) {
    OR_C(out, gs_queue_cancel, handle, token, out);
    return give(out, [&] { return queue_ref(handle).cancel(token); });
}
LAYER(gs_queue_wake, gs_queue_t handle) {
    return status_of([&] { return queue_ref(handle).wake(); });
}
LAYER(gs_queue_poll, gs_queue_t handle, gs_completion_t *entries, size_t capacity, size_t *out) {
    OR_C(out, gs_queue_poll, handle, entries, capacity, out);
    return give(out, [&] { return queue_ref(handle).poll(entries, capacity); });
}
LAYER(gs_queue_wait, gs_queue_t handle, gs_completion_t *entries, size_t capacity, int64_t timeout_ns, size_t *out) {
    // The layer makes no difference between a limit that passed and a wake-up.
    if (timeout_ns >= 0) return gs_queue_wait(handle, entries, capacity, timeout_ns, out);
    OR_C(out, gs_queue_wait, handle, entries, capacity, timeout_ns, out);
    return give(out, [&] { return queue_ref(handle).wait(entries, capacity); });
}
