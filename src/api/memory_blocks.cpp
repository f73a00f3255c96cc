// SPDX-License-Identifier: Apache-2.0
// Memory in the order of a stream, and page-locked memory.
#include <cstdint>

#include "api/with.hpp"
#include "backend/registry.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/memory/allocate.hpp"
#include "core/memory/pools.hpp"

using namespace gs::api;

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
    zero(out_pointer);
    const gs_status_t status = boundary<Rule::Slow>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_pointer);
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
