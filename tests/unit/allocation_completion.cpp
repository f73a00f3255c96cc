// SPDX-License-Identifier: Apache-2.0
// Queues, waits with a limit and deferred functions without memory.
#include <sched.h>

#include <atomic>

#include "allocation_hook.hpp"
#include "allocation_scenarios.hpp"
#include "allocation_steps.hpp"

namespace gs::test {

// Each add that was accepted has an entry, as soon as the scanner has the memory that it needs.
Failure queues() {
    Failure failure;
    gs_stream_t made = nullptr;
    gs_event_t event = nullptr;
    gs_queue_t queue = nullptr;
    gs_completion_t entries[4];
    size_t added = 0, got = 0;
    int32_t fd = -1;
    STEP(gs_stream_create, 0, 0, 0, &made);
    STEP(gs_event_create, 0, &event);
    STEP(gs_queue_create, 4, 0, &queue);
    STEP(gs_queue_fd, queue, &fd);
    STEP(gs_stream_sleep, made, 1000);
    STEP(gs_queue_add_stream, queue, made, 1);
    added += failure.status == GS_OK;
    STEP(gs_event_record, event, made);
    STEP(gs_queue_add_event, queue, event, 2);
    added += failure.status == GS_OK && added == 1;
    if (added > 0) stop_failing();
    for (; added > 0; added -= got)
        if (gs_queue_wait(queue, entries, added, -1, &got) != GS_OK) return {GS_ERROR_INTERNAL, "gs_queue_wait"};
    STEP(gs_event_synchronize_for, event, INT64_MAX);
    STEP(gs_stream_synchronize_for, made, INT64_MAX);
    GIVE_BACK(gs_queue_destroy, queue);
    GIVE_BACK(gs_event_destroy, event);
    GIVE_BACK(gs_stream_destroy, made);
    return failure;
}

Failure deferred() {
    Failure failure;
    gs_stream_t made = nullptr;
    std::atomic<int> ran{0};
    STEP(gs_stream_create, 0, 0, 0, &made);
    STEP(gs_stream_defer, made, [](void *arg) { *static_cast<std::atomic<int> *>(arg) = 1; }, &ran);
    const bool accepted = failure.status == GS_OK;
    STEP(gs_stream_sleep, made, 10);
    if (accepted) {
        stop_failing(); // its mark may have found no memory
        while (ran == 0 && gs_trim() == GS_OK) sched_yield();
    }
    GIVE_BACK(gs_stream_destroy, made);
    return failure;
}

// A range that finds no memory to be timed, or to be kept, is a range all the same.
Failure traced() {
    Failure failure;
    gs_trace_options_t options{};
    options.struct_size = sizeof options;
    options.flags = GS_TRACE_DEVICE_TIMES;
    uint64_t trace = 0;
    STEP(gs_trace_begin, &options, &trace);
    if (failure.status != GS_OK) return failure;
    STEP(gs_range_push, "step");
    const bool begun = failure.status == GS_OK;
    if (begun && gs_range_pop() != GS_OK) failure = {GS_ERROR_INTERNAL, "gs_range_pop"};
    if (gs_trace_end(trace) != GS_OK) failure = {GS_ERROR_INTERNAL, "gs_trace_end"};
    STEP(gs_trace_write, trace, [](void *, const char *, size_t) -> gs_status_t { return GS_OK; }, nullptr);
    return failure;
}

} // namespace gs::test
