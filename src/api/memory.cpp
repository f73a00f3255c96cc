// SPDX-License-Identifier: Apache-2.0
// Pools.
#include <cstdint>

#include "api/with.hpp"
#include "base/sized_struct.hpp"
#include "core/memory/allocate.hpp"
#include "core/memory/pools.hpp"

using namespace gs::api;

namespace {

constexpr uint32_t kPoolFlags = GS_POOL_HOST | GS_POOL_PEERS | GS_POOL_POISON;

// What programs ask for in loops: statistics that end with the bytes in use.
constexpr uint32_t kUpToAllocated = offsetof(gs_pool_stats_t, allocated_peak_bytes);

// body(thread, pool) with a pool that does not end before it returns.
template <typename Body>
gs_status_t with_pool(const char *function, gs_pool_t pool, Body &&body) noexcept {
    return boundary<Rule::Device>(function, [&](ThreadBlock &thread) -> Status {
        PoolUse use;
        GS_TRY(use.enter(handle_bits(pool)));
        return body(thread, use.pool());
    });
}

template <typename Find>
gs_status_t pool_of_device(const char *function, gs_device_t device, gs_pool_t *out_pool, Find &&find) noexcept {
    return boundary<Rule::Device>(Call(function, device), GS_OUT(out_pool), [&](ThreadBlock &thread) -> Status {
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        PoolSlot *pool = nullptr;
        GS_TRY(find(thread, *target, &pool));
        *out_pool = to_handle<gs_pool_t>(pool->handle.load(std::memory_order_acquire));
        return kOk;
    });
}

// repeated: so that each of the two has code of its own, of which the usual one is inlined.
template <bool repeated>
[[gnu::always_inline]] inline gs_status_t attempt_malloc(gs_pool_t pool, size_t bytes, gs_stream_t stream,
                                                         AllocationTurn *turn, void **out_pointer) noexcept {
    return boundary<Rule::DeviceInside>(Call("gs_pool_malloc", stream), [&](ThreadBlock &thread) -> Status {
        PoolUse use;
        GS_INPUT(out_pointer);
        GS_TRY(check_bytes(bytes));
        GS_TRY(use.enter(handle_bits(pool)));
        CallMark mark(thread);
        StreamSlot *slot = nullptr;
        GS_TRY(optional_stream(thread, handle_bits(stream), &slot));
        const Device &device = *use.pool().device;
        if (slot->device != &device)
            return fail(GS_ERROR_DEVICE_MISMATCH, "the pool is of %s device %d, the stream of %s device %d",
                        device.backend->name(), device.ordinal, slot->backend->name(), slot->ordinal);
        GS_TRY(check_health(*slot));
        if (bytes == 0) return kOk;
        mark_used(*slot);
        void *pointer = nullptr;
        GS_TRY(allocate(thread, use.pool(), *slot, bytes, turn, &pointer));
        *out_pointer = pointer;
        return kOk;
    });
}
[[gnu::cold, gnu::noinline]] gs_status_t malloc_again(gs_pool_t pool, size_t bytes, gs_stream_t stream,
                                                      void **out_pointer) noexcept {
    AllocationTurn turn;
    gs_status_t status = GS_OK;
    do status = attempt_malloc<true>(pool, bytes, stream, &turn, out_pointer);
    while (turn.again());
    return status;
}
[[gnu::noinline]] gs_status_t pool_malloc(gs_pool_t pool, size_t bytes, gs_stream_t stream,
                                          void **out_pointer) noexcept {
    zero(out_pointer);
    const gs_status_t status = attempt_malloc<false>(pool, bytes, stream, nullptr, out_pointer);
    const bool put_off = status == GS_OK && bytes != 0 && !*out_pointer;
    return put_off ? malloc_again(pool, bytes, stream, out_pointer) : status;
}
constexpr auto kSawPoolMalloc = [](gs_pool_t, size_t bytes, gs_stream_t stream, void *const *out_pointer) {
    if (*out_pointer) tools::saw_allocation(handle_bits(stream), *out_pointer, bytes);
};

} // namespace

extern "C" {

GS_RARE gs_status_t gs_pool_create(gs_device_t device, const gs_pool_options_t *options, gs_pool_t *out_pool) {
    return make_object(Call(__func__, device), GS_OUT(out_pool), [&](ThreadBlock &thread, uint64_t *handle) -> Status {
        gs_pool_options_t known{};
        if (options) GS_TRY(read_sized(options, &known));
        GS_TRY(
            check_flags("pool flags", known.flags, kPoolFlags, "GS_POOL_HOST 1, GS_POOL_PEERS 2 and GS_POOL_POISON 4"));
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        return create_pool(thread, *target, known, handle);
    });
}

gs_status_t gs_pool_default(gs_device_t device, gs_pool_t *out_pool) {
    return pool_of_device(__func__, device, out_pool,
                          [](ThreadBlock &, Device &target, PoolSlot **pool) { return default_pool(target, pool); });
}

GS_RARE gs_status_t gs_pool_retain(gs_pool_t pool) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) { return retain_pool(handle_bits(pool)); });
}

GS_RARE gs_status_t gs_pool_destroy(gs_pool_t pool) {
    if (in_bad_fork()) return GS_OK;
    return boundary<Rule::Device>(__func__,
                                  [&](ThreadBlock &thread) { return release_pool(thread, handle_bits(pool)); });
}

gs_status_t gs_pool_malloc(gs_pool_t pool, size_t bytes, gs_stream_t stream, void **out_pointer) {
    zero(out_pointer);
    return observable<pool_malloc, kSawPoolMalloc>(__func__, pool, bytes, stream, out_pointer);
}

GS_RARE gs_status_t gs_pool_trim(gs_pool_t pool, uint64_t keep_bytes) {
    return with_pool(__func__, pool,
                     [&](ThreadBlock &thread, PoolSlot &slot) { return trim_pool(thread, slot, keep_bytes); });
}

gs_status_t gs_pool_get_stats(gs_pool_t pool, gs_pool_stats_t *out_stats) {
    return with_pool(__func__, pool, [&](ThreadBlock &thread, PoolSlot &slot) -> Status {
        GS_INPUT(out_stats);
        if (out_stats->struct_size == kUpToAllocated) return allocated_of_pool(slot, out_stats);
        return pool_stats(thread, slot, out_stats);
    });
}

GS_RARE gs_status_t gs_pool_reset_peak(gs_pool_t pool) {
    return with_pool(__func__, pool, [](ThreadBlock &thread, PoolSlot &slot) { return reset_pool_peak(thread, slot); });
}

GS_RARE gs_status_t gs_pool_set_limit(gs_pool_t pool, uint64_t bytes) {
    return with_pool(__func__, pool, [&](ThreadBlock &, PoolSlot &slot) -> Status {
        limit_pool(slot, bytes);
        return kOk;
    });
}

GS_RARE gs_status_t gs_set_current_pool(gs_pool_t pool) {
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        CoreThread *core = core_thread(thread);
        if (!core) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the thread's current pools");
        return set_current_pool(*core, handle_bits(pool));
    });
}

GS_RARE gs_status_t gs_current_pool(gs_device_t device, gs_pool_t *out_pool) {
    return pool_of_device(__func__, device, out_pool, [](ThreadBlock &thread, Device &target, PoolSlot **pool) {
        return current_pool(thread, target, pool);
    });
}

} // extern "C"
