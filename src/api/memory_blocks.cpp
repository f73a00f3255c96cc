// SPDX-License-Identifier: Apache-2.0
// Memory in the order of a stream, and page-locked memory; and memory for allocators of other libraries, which name streams by the
// driver's handles.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "api/with.hpp"
#include "backend/registry.hpp"
#include "base/fork_state.hpp"
#include "base/lock.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/memory/allocate.hpp"
#include "core/memory/pools.hpp"

using namespace gs::api;

namespace {

// Wraps of the streams that use memory beside the one in which it is freed.
using Users = std::map<const void *, std::vector<gs_stream_t>>;
Mutex g_users_mutex;
std::atomic<bool> g_any_users{false}; // ever
Users &users() {
    static Users *const all = new Users; // not destroyed: threads may free while the process exits
    return *all;
}

Users::node_type take_users(const void *pointer) noexcept {
    if (!pointer || !g_any_users.load(std::memory_order_relaxed) || in_bad_fork()) return {};
    MutexLock lock(g_users_mutex);
    return users().extract(pointer);
}

void drop_users(Users::node_type &&node) noexcept {
    if (node)
        for (gs_stream_t stream : node.mapped()) (void)gs_stream_destroy(stream);
}

// False: the stream is one already.
bool add_user(const void *pointer, gs_stream_t stream) {
    MutexLock lock(g_users_mutex);
    std::vector<gs_stream_t> &streams = users()[pointer];
    if (std::find(streams.begin(), streams.end(), stream) != streams.end()) return false;
    streams.reserve(streams.size() + 2); // with room for the stream of the free
    streams.push_back(stream);
    g_any_users.store(true, std::memory_order_relaxed); // who frees the memory knows of this call
    return true;
}

// The record of a failure names the function that was called; its text names the one inside, too.
gs_status_t named(const char *function, gs_device_t device, gs_status_t status) noexcept {
    ThreadBlock *thread = t_block;
    if (status == GS_OK || !thread) return status;
    thread->pending = thread->last;
    thread->pending.stream = nullptr; // the wrap, which is gone
    if (thread->pending.device == GS_DEVICE_NONE) {
        const Device *current = device == GS_DEVICE_CURRENT ? known_current_device(*thread) : nullptr;
        thread->pending.device = current ? device_number(*current) : device;
    }
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
    drop_users(take_users(pointer)); // of memory at this address that was freed by another function
    (void)named(__func__, device, allocated);
    return reinterpret_cast<uintptr_t>(pointer);
}

gs_status_t gs_allocator_record_stream(void *pointer, uintptr_t native) {
    gs_stream_t stream = nullptr;
    gs_status_t status = gs_stream_from_native(GS_DEVICE_NONE, native, &stream);
    if (status != GS_OK) return named(__func__, GS_DEVICE_NONE, status);
    bool added = false;
    status = boundary<Rule::Device>(__func__, [&](ThreadBlock &) -> Status {
        Device *device = nullptr;
        if (!pointer) return kOk;
        GS_TRY(device_of_block(pointer, &device));
        added = add_user(pointer, stream); // std::bad_alloc becomes OUT_OF_MEMORY
        return kOk;
    });
    if (!added) (void)gs_stream_destroy(stream);
    return status;
}

gs_status_t gs_allocator_free(void *pointer, size_t, gs_device_t device, uintptr_t native) {
    Users::node_type others = take_users(pointer);
    const gs_status_t status = in_native(device, native, [&](gs_stream_t stream) {
        if (others) {
            std::vector<gs_stream_t> &streams = others.mapped();
            streams.push_back(stream);
            const gs_status_t freed = gs_free_after(pointer, streams.data(), streams.size());
            streams.pop_back();
            return freed;
        }
        const gs_status_t freed = gs_free_async(pointer, stream);
        return freed == GS_ERROR_CAPTURING ? gs_free_after(pointer, &stream, 1) : freed;
    });
    if (status == GS_OK || !others) {
        drop_users(std::move(others));
    } else { // the caller still has the memory
        MutexLock lock(g_users_mutex);
        users().insert(std::move(others));
    }
    return named(__func__, device, status);
}

} // extern "C"

namespace {

// repeated: so that each of the two has code of its own, of which the usual one is inlined.
template <bool repeated>
[[gnu::always_inline]] inline gs_status_t attempt_malloc(size_t bytes, gs_stream_t stream, AllocationTurn *turn,
                                                         void **out_pointer) noexcept {
    return submit_to_stream<Rule::DeviceInside>("gs_malloc_async", stream,
                                                [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
                                                    GS_INPUT(out_pointer);
                                                    GS_TRY(check_bytes(bytes));
                                                    if (bytes == 0) return kOk;
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
    const bool put_off = status == GS_OK && bytes != 0 && !*out_pointer;
    return put_off ? malloc_again(bytes, stream, out_pointer) : status;
}
constexpr auto kSawMallocAsync = [](size_t bytes, gs_stream_t stream, void *const *out_pointer) {
    if (*out_pointer) tools::saw_allocation(handle_bits(stream), *out_pointer, bytes);
};

} // namespace

extern "C" {

gs_status_t gs_malloc_async(size_t bytes, gs_stream_t stream, void **out_pointer) {
    zero(out_pointer);
    return observable<malloc_async, kSawMallocAsync>(__func__, bytes, stream, out_pointer);
}

gs_status_t gs_free_async(void *pointer, gs_stream_t stream) {
    const size_t freed = tools::observed() ? tools::before_free(handle_bits(stream), pointer) : 0;
    const gs_status_t status = submit_to_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        if (!pointer) return kOk;
        return free_memory(thread, slot, pointer);
    });
    if (tools::observed() && status == GS_OK) tools::saw_free(handle_bits(stream), pointer);
    if (freed != 0 && status != GS_OK) tools::saw_free_fail(pointer, freed);
    return status;
}

GS_RARE gs_status_t gs_malloc_host(size_t bytes, void **out_pointer) {
    const gs_status_t status = boundary<Rule::Slow>(__func__, GS_OUT(out_pointer), [&](ThreadBlock &thread) -> Status {
        GS_TRY(check_bytes(bytes));
        GS_TRY(ensure_initialized());
        Device *device = nullptr;
        GS_TRY(resolve_device(thread, GS_DEVICE_CURRENT, &device));
        GS_TRY(check_health(*device));
        if (bytes == 0) return kOk;
        void *pointer = nullptr;
        GS_TRY(device->backend->malloc_host(device->ordinal, bytes, &pointer));
        *out_pointer = pointer;
        return kOk;
    });
    if (tools::observed() && status == GS_OK && bytes != 0) tools::saw_host_allocation(*out_pointer, bytes);
    return status;
}

GS_RARE gs_status_t gs_free_host(void *pointer) {
    if (in_bad_fork()) return GS_OK;
    if (tools::observed()) tools::before_host_free(pointer);
    return boundary<Rule::Lengthy>(__func__, [&](ThreadBlock &) -> Status {
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

} // extern "C"
