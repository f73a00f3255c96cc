// SPDX-License-Identifier: Apache-2.0
#include "allocation_scenarios.hpp"

#include <pthread.h>

#include <cstdlib>
#include <utility>

#include "allocation_hook.hpp"
#include "allocation_steps.hpp"
#include "calls/calls.hpp"
#include "support/launches.hpp"

namespace gs::test {

void settle(gs_stream_t stream, Failure *failure) {
    if (failure->status != GS_OK) stop_failing(); // its record must stay the last one
    gs_status_t status = gs_stream_synchronize(stream);
    if (status == GS_ERROR_OUT_OF_MEMORY) { // waiting may need memory
        if (failure->status == GS_OK) *failure = {status, "gs_stream_synchronize"};
        stop_failing();
        status = gs_stream_synchronize(stream);
    }
    if (status != GS_OK) *failure = {status, "gs_stream_synchronize (again)"};
}

namespace {

gs_status_t no_call(void *) { return GS_OK; }

Failure initialisation() {
    Failure failure;
    int32_t number = 0;
    gs_stats_t stats{};
    stats.struct_size = sizeof stats;
    STEP(gs_call_on_init, no_call, nullptr);
    STEP(gs_is_available, &number);
    STEP(gs_device_count, GS_BACKEND_DEFAULT, &number);
    STEP(gs_init);
    STEP(gs_is_initialized, &number);
    STEP(gs_get_stats, &stats);
    STEP(gs_reset_stats);
    return failure;
}

template <uint32_t flags>
Failure stream() {
    Failure failure;
    gs_stream_t made = nullptr, again = nullptr, unpacked = nullptr;
    uintptr_t native = 0;
    gs_stream_triple_t triple{};
    int32_t number = 0;
    STEP(gs_stream_create, 0, 0, flags, &made);
    STEP(gs_stream_sleep, made, 10);
    STEP(gs_stream_query, made, &number);
    STEP(gs_stream_synchronize, made);
    STEP(gs_stream_native, made, &native);
    STEP(gs_stream_from_native, 0, native, &again);
    STEP(gs_stream_pack, made, &triple);
    STEP(gs_stream_unpack, &triple, &unpacked);
    STEP(gs_stream_is_capturing, made, &number);
    const bool ok_so_far = failure.status == GS_OK;
    STEP(gs_stream_retain, made);
    if (ok_so_far && failure.status == GS_OK) GIVE_BACK(gs_stream_destroy, made); // the reference just taken
    GIVE_BACK(gs_stream_destroy, unpacked);
    GIVE_BACK(gs_stream_destroy, again);
    GIVE_BACK(gs_stream_destroy, made);
    return failure;
}

Failure default_streams() {
    Failure failure;
    gs_stream_t legacy = nullptr, own = nullptr;
    int32_t number = 0;
    STEP(gs_default_stream, 0, &legacy);
    STEP(gs_per_thread_stream, 0, &own);
    STEP(gs_stream_sleep, own, 10);
    STEP(gs_stream_sleep, legacy, 10);
    STEP(gs_stream_query, own, &number);
    STEP(gs_stream_synchronize, legacy);
    return failure;
}

Failure current_streams() {
    Failure failure;
    gs_stream_t made = nullptr, previous = nullptr, legacy = nullptr;
    uint64_t first = 0, scope = 0;
    STEP(gs_default_stream, 0, &legacy);
    STEP(gs_stream_create, 0, 0, 0, &made);
    STEP(gs_set_current_stream, made);
    const bool changed = failure.status == GS_OK;
    STEP(gs_exchange_current_stream, made, &previous);
    STEP(gs_push_current_stream, made, &first);
    for (int i = 0; i < 40; ++i) STEP(gs_push_current_stream, made, &scope);
    if (first)
        if (const gs_status_t status = gs_unwind_current_stream(first); status != GS_OK)
            failure = {status, "gs_unwind_current_stream (giving back)"};
    if (changed)
        if (const gs_status_t status = gs_set_current_stream(legacy); status != GS_OK)
            failure = {status, "gs_set_current_stream (giving back)"};
    GIVE_BACK(gs_stream_destroy, previous);
    GIVE_BACK(gs_stream_destroy, made);
    return failure;
}

template <uint32_t flags>
Failure events() {
    Failure failure;
    gs_stream_t a = nullptr, b = nullptr;
    gs_event_t start = nullptr, end = nullptr;
    gs_ipc_handle_t handle{};
    int32_t number = 0;
    double ms = 0;
    uintptr_t native = 0;
    STEP(gs_stream_create, 0, 0, 0, &a);
    STEP(gs_stream_create, 0, 0, GS_STREAM_BLOCKING, &b);
    STEP(gs_event_create, flags, &start);
    STEP(gs_event_create, flags, &end);
    STEP(gs_event_record, start, a);
    STEP(gs_stream_sleep, a, 1000);
    STEP(gs_stream_record_event, a, end);
    STEP(gs_event_wait, end, b);
    STEP(gs_stream_wait_event, b, start);
    STEP(gs_stream_wait_stream, b, a);
    STEP(gs_event_query, end, &number);
    STEP(gs_event_synchronize, end);
    STEP(gs_stream_synchronize, b);
    if constexpr (flags & GS_EVENT_TIMING) STEP(gs_event_elapsed_ms, start, end, &ms);
    if constexpr (flags & GS_EVENT_INTERPROCESS) STEP(gs_event_ipc_export, start, &handle);
    STEP(gs_event_native, start, &native);
    GIVE_BACK(gs_event_destroy, end);
    GIVE_BACK(gs_event_destroy, start);
    GIVE_BACK(gs_stream_destroy, b);
    GIVE_BACK(gs_stream_destroy, a);
    return failure;
}

Failure memory() {
    Failure failure;
    void *host = nullptr, *device = nullptr;
    gs_stream_t legacy = nullptr;
    STEP(gs_default_stream, 0, &legacy);
    STEP(gs_malloc_host, 1000, &host);
    STEP(gs_malloc_async, 1000, GS_STREAM_CURRENT, &device);
    STEP(gs_memset_async, device, 1, 1000, GS_STREAM_CURRENT);
    STEP(gs_memcpy_async, host, device, 1000, GS_STREAM_CURRENT);
    if (legacy) settle(legacy, &failure);
    if (device) { // is queued in the stream, so it may need memory: on failure the block stays the caller's
        gs_status_t status = gs_free_async(device, GS_STREAM_CURRENT);
        if (status == GS_ERROR_OUT_OF_MEMORY) {
            if (failure.status == GS_OK) failure = {status, "gs_free_async"};
            stop_failing();
            status = gs_free_async(device, GS_STREAM_CURRENT);
        }
        if (status != GS_OK) failure = {status, "gs_free_async (again)"};
    }
    GIVE_BACK(gs_free_host, host);
    return failure;
}

#if defined(GS_TEST_HOST_KERNELS)
Failure kernels() {
    Failure failure;
    gs_module_t module = nullptr;
    gs_kernel_t kernel = nullptr;
    // Not on the stack: when waiting for the kernel fails, it may still write here after this function has returned.
    auto *words = static_cast<uint32_t *>(std::calloc(4, sizeof(uint32_t)));
    uint32_t *out = words;
    uint32_t base = 1, count = 4;
    void *arguments[] = {&out, &base, &count};
    const gs_launch_config_t config = launch_of(2, 2, 64);
    gs_stream_t legacy = nullptr;
    STEP(gs_default_stream, 0, &legacy);
    STEP(gs_module_load, 0, GS_TEST_HOST_KERNELS, 0, &module);
    STEP(gs_module_get_kernel, module, "fill_index", &kernel);
    STEP(gs_kernel_launch, kernel, &config, arguments, legacy);
    if (legacy) settle(legacy, &failure);
    if (failure.status == GS_OK && words[3] != 4) failure = {GS_ERROR_INTERNAL, "the kernel's result"};
    if (failure.status == GS_OK) std::free(words);
    GIVE_BACK(gs_module_destroy, module);
    return failure;
}
#endif

// Calls of the generated table: a new function that leaves no trace, or one that its undo ends, is here by itself.
const std::vector<Call> kRepeatable = repeatable_calls(); // before any allocation is made to fail

Failure table() {
    Failure failure;
    Objects o;
    static uint64_t words[8]; // which the calls of this kind only name
    o.host_memory = words;
    const uint32_t one = 1;
    STEP(gs_stream_create, 0, 0, 0, &o.stream);
    STEP(gs_stream_create, 0, 0, 0, &o.recorder);
    const std::pair<uint32_t, gs_event_t *> made[] = {
        {0, &o.event}, {0, &o.fresh}, {GS_EVENT_TIMING, &o.timed}, {GS_EVENT_INTERPROCESS, &o.shared}};
    for (const auto &[flags, event] : made) STEP(gs_event_create, flags, event);
    STEP(gs_queue_create, 1u << 20, 0, &o.queue);
    STEP(gs_timeline_create, 0, 0, 0, &o.timeline);
    STEP(gs_pool_create, 0, nullptr, &o.pool);
    STEP(gs_partition_create, 0, &one, 1, 0, &o.partition);
    STEP(gs_stream_pack, o.stream, &o.triple);
    STEP(gs_event_record, o.event, o.recorder);
    STEP(gs_event_record, o.timed, o.recorder);
    STEP(gs_stream_synchronize, o.recorder);
    for (const Call &call : kRepeatable) {
        if (failure.status != GS_OK) break;
        failure = {call.call(o), call.name};
        if (failure.status == GS_OK && call.undo) failure = {call.undo(o), call.undo_name};
    }
    for (const auto &[_, event] : made) {
        GIVE_BACK(gs_event_destroy, *event);
    }
    GIVE_BACK(gs_queue_destroy, o.queue);
    GIVE_BACK(gs_timeline_destroy, o.timeline);
    GIVE_BACK(gs_pool_destroy, o.pool);
    GIVE_BACK(gs_partition_destroy, o.partition);
    for (gs_stream_t stream : {o.recorder, o.stream}) {
        if (stream) settle(stream, &failure);
        GIVE_BACK(gs_stream_destroy, stream);
    }
    return failure;
}

Failure new_thread() {
    Failure failure;
    pthread_t thread;
    const auto body = [](void *arg) -> void * {
        *static_cast<Failure *>(arg) = events<0>();
        Failure current = current_streams();
        if (static_cast<Failure *>(arg)->status == GS_OK) *static_cast<Failure *>(arg) = current;
        return nullptr;
    };
    if (pthread_create(&thread, nullptr, body, &failure) != 0) return {GS_ERROR_INTERNAL, "pthread_create"};
    pthread_join(thread, nullptr);
    return failure;
}

Failure trimming() {
    Failure failure = events<0>();
    STEP(gs_trim);
    return failure;
}

} // namespace
const Scenario kAllocationScenarios[] = {
    {"initialisation", initialisation},
    {"devices", devices},
    {"streams", stream<0>},
    {"shared_streams", stream<GS_STREAM_SHARED>},
    {"dedicated_streams", stream<GS_STREAM_DEDICATED>},
    {"default_streams", default_streams},
    {"current_streams", current_streams},
    {"events", events<0>},
    {"timed_events", events<GS_EVENT_TIMING>},
    {"interprocess_events", events<GS_EVENT_INTERPROCESS>},
    {"host_functions", host_functions},
    {"calls_in_host_functions", calls_in_host_functions},
    {"queues", queues},
    {"deferred", deferred},
    {"traced", traced},
    {"memory", memory},
    {"pools", pools},
    {"partitions", partitions},
    {"tokens", tokens},
    {"words", words},
    {"built_graph", built_graph},
    {"captured_random", captured_random},
    {"captured_work", captured_work},
    {"captured_into_a_graph", captured_into_a_graph},
    {"conditions", conditions},
    {"checked_race", checked_race},
    {"checked_launch", checked_launch},
    {"births_and_syncs", births_and_syncs},
#if defined(GS_TEST_HOST_KERNELS)
    {"kernels", kernels},
#endif
    {"table", table},
    {"new_thread", new_thread},
    {"trimming", trimming},
};
const int kAllocationScenarioCount = sizeof kAllocationScenarios / sizeof kAllocationScenarios[0];
} // namespace gs::test
