// SPDX-License-Identifier: Apache-2.0
// Pools, and memory that several streams use. What a failed free leaves allocated is freed with the next run's pool.
#include <utility>
#include <vector>

#include "fault/scenario.hpp"

namespace gs::test {
namespace {

using MadePool = Made<gs_pool_t, gs_pool_destroy>;

// Memory whose free failed before the driver was asked; it is still allocated.
std::vector<void *> g_left_in_pools;

bool driver_was_asked() {
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    (void)gs_last_error(&info);
    return std::strncmp(info.native_function, "cuMemFree", 9) == 0;
}

void free_leftovers(gs_stream_t stream) {
    for (void *pointer : std::exchange(g_left_in_pools, {})) (void)gs_free_async(pointer, stream);
}

void give_back(Run &run, void *pointer, const gs_stream_t *streams, size_t count) {
    gs_status_t freed = GS_OK;
    if (count == 1)
        run.clean("gs_free_async(pointer, stream)", [&] { return freed = gs_free_async(pointer, streams[0]); });
    else
        run.clean("gs_free_after(pointer, streams)", [&] { return freed = gs_free_after(pointer, streams, count); });
    if (freed != GS_OK && !driver_was_asked()) g_left_in_pools.push_back(pointer);
}

void pool_life(Run &run) {
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    const gs_stream_t handle = stream;
    free_leftovers(stream);
    gs_pool_options_t options{};
    options.struct_size = sizeof options;
    options.flags = GS_POOL_PEERS | GS_POOL_POISON;
    options.limit_bytes = 1 << 20;
    MadePool pool(run, "gs_pool_destroy(pool)");
    MAKE(pool, gs_pool_create(0, &options, pool.out()));
    void *memory = nullptr, *again = nullptr;
    DO(gs_pool_malloc(pool, 5000, stream, run.out(&memory)));
    give_back(run, memory, &handle, 1);
    if (run.status != GS_OK) return;
    DO(gs_pool_malloc(pool, 5000, stream, run.out(&again)));
    run.require(memory == again, "freed memory is allocated again");
    give_back(run, again, &handle, 1);
    if (run.status != GS_OK) return;
    gs_pool_stats_t stats{};
    stats.struct_size = sizeof stats;
    DO(gs_pool_get_stats(pool, &stats));
    run.require(stats.allocated_bytes == 0 && stats.cached_bytes == 5120, "the statistics");
    DO(gs_pool_reset_peak(pool));
    DO(gs_pool_trim(pool, 0));
    DO(gs_pool_get_stats(pool, &stats));
    run.require(stats.cached_bytes == 0, "nothing is cached after a trim");
    DO(gs_pool_set_limit(pool, 512));
    DO_FAILING(GS_ERROR_OUT_OF_MEMORY, gs_pool_malloc(pool, 513, stream, run.out(&memory)));
}

void host_pool(Run &run) {
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    const gs_stream_t handle = stream;
    gs_pool_options_t options{};
    options.struct_size = sizeof options;
    options.flags = GS_POOL_HOST;
    MadePool pool(run, "gs_pool_destroy(pool)");
    MAKE(pool, gs_pool_create(0, &options, pool.out()));
    void *memory = nullptr;
    DO(gs_pool_malloc(pool, 64, stream, run.out(&memory)));
    give_back(run, memory, &handle, 1);
}

void memory_of_two_streams(Run &run) {
    STREAM(first);
    STREAM(second);
    MAKE(first, gs_stream_create(0, 0, 0, first.out()));
    MAKE(second, gs_stream_create(0, 0, 0, second.out()));
    free_leftovers(first);
    void *memory = nullptr;
    DO(gs_malloc_async(700, first, run.out(&memory)));
    DO(gs_memory_set_name(memory, "of two streams"));
    const gs_stream_t streams[] = {first, second};
    give_back(run, memory, streams, 2);
}

void memory_of_another_library(Run &run) {
    STREAM(stream);
    STREAM(other);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    MAKE(other, gs_stream_create(0, 0, 0, other.out()));
    free_leftovers(stream);
    uintptr_t native = 0, user = 0, address = 0;
    DO(gs_stream_native(stream, run.out(&native)));
    DO(gs_stream_native(other, run.out(&user)));
    const auto allocate = [&] {
        address = gs_allocator_malloc(4000, 0, native);
        gs_error_info_t info{};
        info.struct_size = sizeof info;
        if (address == 0) (void)gs_last_error(&info);
        return static_cast<gs_status_t>(info.status);
    };
    if (!run.step("gs_allocator_malloc(4000, 0, native)", GS_OK, allocate)) return;
    void *memory = reinterpret_cast<void *>(address); // NOLINT: as the other library has it
    run.clean("gs_allocator_record_stream(memory, user)", [&] { return gs_allocator_record_stream(memory, user); });
    gs_status_t freed = GS_OK;
    run.clean("gs_allocator_free(memory, 4000, 0, native)",
              [&] { return freed = gs_allocator_free(memory, 4000, 0, native); });
    if (freed != GS_OK && !driver_was_asked()) g_left_in_pools.push_back(memory);
}

// The default pool as a thread has it, and what else a process has of it.
void default_pool(Run &run) {
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    const gs_stream_t handle = stream;
    free_leftovers(stream);
    gs_pool_t pool = nullptr, current = nullptr;
    DO(gs_pool_default(0, run.out(&pool)));
    DO(gs_set_current_pool(pool));
    DO(gs_allocator_set_pool(pool));
    DO(gs_current_pool(0, run.out(&current)));
    run.require(current == pool, "the default pool is current");
    void *memory = nullptr;
    DO(gs_malloc_async(100, stream, run.out(&memory)));
    give_back(run, memory, &handle, 1);
    if (run.status != GS_OK) return;
    gs_pool_stats_t stats{};
    stats.struct_size = sizeof stats;
    DO(gs_pool_get_stats(pool, &stats));
    DO(gs_pool_reset_peak(pool));
    DO(gs_pool_trim(pool, 0));
}

} // namespace

std::vector<Scenario> pool_scenarios() {
    return {{"pool_life", pool_life},
            {"host_pool", host_pool},
            {"memory_of_two_streams", memory_of_two_streams},
            {"memory_of_another_library", memory_of_another_library},
            {"default_pool", default_pool},
            {"first_default_pool", default_pool, true}};
}

} // namespace gs::test
