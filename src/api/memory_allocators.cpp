// SPDX-License-Identifier: Apache-2.0
// Memory for allocators of other libraries, which name streams by the driver's handles.
#include "api/with.hpp"
#include "core/memory/pools.hpp"

using namespace gs::api;

namespace {

// The record of a failure names the function that was called; its text names the one inside, too.
gs_status_t named(const char *function, gs_status_t status) noexcept {
    ThreadBlock *thread = t_block;
    if (status == GS_OK || !thread) return status;
    thread->pending = thread->last;
    thread->pending.stream = nullptr; // the wrap, which is gone
    commit_error(*thread, function, status);
    return status;
}

// body(stream) with the driver's stream, wrapped for the length of the call: its owner may destroy it after that.
template <typename Body>
gs_status_t in_native(gs_device_t device, uintptr_t native, Body &&body) noexcept {
    gs_stream_t stream = nullptr;
    const gs_status_t wrapped = gs_stream_from_native(device, native, &stream);
    if (wrapped != GS_OK) return wrapped;
    const gs_status_t status = body(stream);
    (void)gs_stream_destroy(stream);
    return status;
}

// The pool that is set for all threads, with a reference; nullptr: none is.
gs_status_t hold_pool(gs_stream_t stream, gs_pool_t *out) noexcept {
    return with_stream<Rule::Getter>("gs_allocator_malloc", stream, [&](ThreadBlock &, StreamSlot &slot) -> Status {
        *out = to_handle<gs_pool_t>(hold_shared_pool(*slot.device));
        return kOk;
    });
}

} // namespace

extern "C" {

GS_RARE gs_status_t gs_allocator_set_pool(gs_pool_t pool) {
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &) { return set_shared_pool(handle_bits(pool)); });
}

uintptr_t gs_allocator_malloc(size_t bytes, gs_device_t device, uintptr_t native) {
    void *pointer = nullptr;
    const gs_status_t allocated = in_native(device, native, [&](gs_stream_t stream) {
        gs_pool_t pool = nullptr;
        const gs_status_t held = hold_pool(stream, &pool);
        if (held != GS_OK) return held;
        if (!pool) return gs_malloc_async(bytes, stream, &pointer);
        const gs_status_t status = gs_pool_malloc(pool, bytes, stream, &pointer);
        gs_pool_destroy(pool);
        return status;
    });
    (void)named(__func__, allocated);
    return reinterpret_cast<uintptr_t>(pointer);
}

gs_status_t gs_allocator_free(void *pointer, size_t, gs_device_t device, uintptr_t native) {
    const gs_status_t status = in_native(device, native, [&](gs_stream_t stream) {
        const gs_status_t freed = gs_free_async(pointer, stream);
        return freed == GS_ERROR_CAPTURING ? gs_free_after(pointer, &stream, 1) : freed;
    });
    return named(__func__, status);
}

} // extern "C"
