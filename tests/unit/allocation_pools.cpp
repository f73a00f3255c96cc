// SPDX-License-Identifier: Apache-2.0
#include "allocation_hook.hpp"
#include "allocation_scenarios.hpp"
#include "allocation_steps.hpp"

namespace gs::test {

// Memory of a pool, which the thread has current, used by two streams.
Failure pools() {
    Failure failure;
    gs_stream_t streams[2] = {};
    gs_pool_t pool = nullptr, usual = nullptr;
    void *kept = nullptr, *shared = nullptr;
    for (gs_stream_t &stream : streams) STEP(gs_stream_create, 0, 0, 0, &stream);
    STEP(gs_pool_default, 0, &usual);
    STEP(gs_pool_create, 0, nullptr, &pool);
    STEP(gs_set_current_pool, pool);
    STEP(gs_malloc_async, 1000, streams[0], &kept);
    STEP(gs_malloc_async, 1000, streams[0], &shared);
    STEP(gs_memory_set_name, shared, "shared");
    STEP(gs_stream_sleep, streams[1], 1000);
    if (failure.status != GS_OK) stop_failing(); // its record must stay the last one
    if (shared) {
        gs_status_t status = gs_free_after(shared, streams, 2);
        if (status == GS_ERROR_OUT_OF_MEMORY) {
            if (failure.status == GS_OK) failure = {status, "gs_free_after"};
            stop_failing();
            status = gs_free_after(shared, streams, 2);
        }
        if (status != GS_OK) failure = {status, "gs_free_after (again)"};
    }
    if (kept) { // without memory for a front cache the block goes to the driver, which may need memory as well
        gs_status_t status = gs_free_async(kept, streams[0]);
        if (status == GS_ERROR_OUT_OF_MEMORY) {
            if (failure.status == GS_OK) failure = {status, "gs_free_async"};
            stop_failing();
            status = gs_free_async(kept, streams[0]);
        }
        if (status != GS_OK) failure = {status, "gs_free_async (again)"};
    }
    if (usual) { // a thread that has had no pool current may need memory for this, too
        gs_status_t status = gs_set_current_pool(usual);
        if (status == GS_ERROR_OUT_OF_MEMORY) {
            if (failure.status == GS_OK) failure = {status, "gs_set_current_pool"};
            stop_failing();
            status = gs_set_current_pool(usual);
        }
        if (status != GS_OK) failure = {status, "gs_set_current_pool (again)"};
    }
    for (gs_stream_t stream : streams) {
        if (stream) settle(stream, &failure);
        GIVE_BACK(gs_stream_destroy, stream);
    }
    GIVE_BACK(gs_pool_destroy, pool);
    return failure;
}

Failure devices() {
    Failure failure;
    gs_device_t device = 0;
    STEP(gs_set_current_device, 1);
    STEP(gs_exchange_device, 0, &device);
    return failure;
}

// A partition and two streams in it, which end after it.
Failure partitions() {
    Failure failure;
    const uint32_t one = 1;
    gs_partition_t partition = nullptr;
    gs_stream_t streams[2] = {};
    STEP(gs_partition_create, 0, &one, 1, 0, &partition);
    for (gs_stream_t &stream : streams) STEP(gs_stream_create_in, partition, 0, 0, &stream);
    STEP(gs_stream_wait_stream, streams[0], streams[1]);
    GIVE_BACK(gs_partition_destroy, partition);
    for (gs_stream_t stream : streams) GIVE_BACK(gs_stream_destroy, stream);
    return failure;
}

} // namespace gs::test
