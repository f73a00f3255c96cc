// SPDX-License-Identifier: Apache-2.0
// Timelines, words of memory, and tokens. A timeline is destroyed before the streams that may wait for it, which lets them go on.
#include <fcntl.h>
#include <unistd.h>

#include "fault/fake_driver.hpp"
#include "fault/scenario.hpp"

namespace gs::test {
namespace {

using MadeTimeline = Made<gs_timeline_t, gs_timeline_destroy>;

void timeline(Run &run) {
    STREAM(first);
    STREAM(second);
    MAKE(first, gs_stream_create(0, 0, 0, first.out()));
    MAKE(second, gs_stream_create(0, 0, 0, second.out()));
    MadeTimeline timeline(run, "gs_timeline_destroy(timeline)");
    MAKE(timeline, gs_timeline_create(0, 0, 0, timeline.out()));
    DO(gs_stream_wait_timeline(second, timeline, 2)); // comes first
    DO(gs_timeline_signal(timeline, 1));
    DO(gs_stream_signal_timeline(first, timeline, 2));
    DO(gs_stream_wait_timeline(second, timeline, 2));
    DO(gs_stream_signal_timeline(second, timeline, 3)); // may wait for the other stream's
    DO(gs_stream_synchronize(second));
    DO(gs_timeline_synchronize(timeline, 3, -1)); // which now asks for nothing, however long the work took
    uint64_t value = 0;
    DO(gs_timeline_value(timeline, run.out(&value)));
    run.require(value == 3, "the last signal's value");
}

// Records, waits for events, and questions about them.
void signal_first_timeline(Run &run) {
    STREAM(first);
    STREAM(second);
    MAKE(first, gs_stream_create(0, 0, 0, first.out()));
    MAKE(second, gs_stream_create(0, 0, 0, second.out()));
    MadeTimeline timeline(run, "gs_timeline_destroy(timeline)");
    MAKE(timeline, gs_timeline_create(0, 0, GS_TIMELINE_SIGNAL_FIRST, timeline.out()));
    DO(gs_stream_signal_timeline(first, timeline, 1));
    DO(gs_stream_wait_timeline(second, timeline, 1));
    DO(gs_stream_signal_timeline(second, timeline, 3)); // waits for the other stream's
    DO(gs_stream_synchronize(second));
    uint64_t value = 0;
    DO(gs_timeline_value(timeline, run.out(&value)));
    // A driver that wrongly says "not ready" is believed.
    run.require(value == 3 || value == 1 || value == 0, "a value that was signalled");
    DO(gs_stream_wait_timeline(second, timeline, 2));
    DO(gs_stream_synchronize(second));
    DO(gs_timeline_synchronize(timeline, 3, -1));
    DO(gs_timeline_value(timeline, run.out(&value)));
    run.require(value == 3, "the last signal's value");
}

// The first timeline of a process registers memory with the driver.
void first_timeline(Run &run) {
    MadeTimeline timeline(run, "gs_timeline_destroy(timeline)");
    MAKE(timeline, gs_timeline_create(0, 7, 0, timeline.out()));
    uint64_t value = 0;
    DO(gs_timeline_value(timeline, run.out(&value)));
    run.require(value == 7, "the initial value");
}

int exported_semaphore() { return fake().make_semaphore(0); }

// The file descriptor is the driver's after a success, also one that the driver reported as a failure.
void imported_timeline(Run &run) {
    STREAM(first);
    STREAM(second);
    MAKE(first, gs_stream_create(0, 0, 0, first.out()));
    MAKE(second, gs_stream_create(0, 0, 0, second.out()));
    MadeTimeline timeline(run, "gs_timeline_destroy(timeline)");
    const int fd = exported_semaphore();
    const bool imported = run.step("gs_timeline_from_fd", GS_OK,
                                   [&] { return gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, fd, timeline.out()); });
    if (!imported && fcntl(fd, F_GETFD) >= 0) close(fd);
    if (!timeline.keep(imported)) return;
    DO(gs_stream_signal_timeline(first, timeline, 1));
    DO(gs_stream_wait_timeline(second, timeline, 1));
    DO(gs_stream_signal_timeline(second, timeline, 2)); // waits for the other stream's
    DO(gs_stream_synchronize(second));
}

void timeline_abort(Run &run) {
    STREAM(waits);
    STREAM(signals);
    MAKE(waits, gs_stream_create(0, 0, 0, waits.out()));
    MAKE(signals, gs_stream_create(0, 0, 0, signals.out()));
    MadeTimeline timeline(run, "gs_timeline_destroy(timeline)");
    MAKE(timeline, gs_timeline_create(0, 0, 0, timeline.out()));
    DO(gs_stream_sleep(signals, 1000));
    DO(gs_stream_signal_timeline(signals, timeline, 1));
    DO(gs_stream_wait_timeline(waits, timeline, 2));
    const bool aborted = run.step("gs_timeline_abort(timeline, GS_ERROR_ABORTED)", GS_OK,
                                  [&] { return gs_timeline_abort(timeline, GS_ERROR_ABORTED); });
    run.require(aborted, "an abort needs no driver");
    DO(gs_stream_synchronize(waits));
    DO(gs_trim());
}

void *g_fault_word = nullptr;

void make_word() {
    if (gs_malloc_host(64, &g_fault_word) != GS_OK) g_fault_word = nullptr;
}

void values(Run &run) {
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    DO(gs_stream_write_value(stream, g_fault_word, 3, 0));
    DO(gs_stream_write_value(stream, g_fault_word, 3, GS_VALUE_32));
    DO(gs_stream_wait_value(stream, g_fault_word, 3, GS_VALUE_GEQ));
    DO(gs_stream_wait_value(stream, g_fault_word, 3, GS_VALUE_EQ | GS_VALUE_32));
    DO(gs_stream_wait_value(stream, g_fault_word, 3, GS_VALUE_NOR));
    const gs_value_op_t ops[] = {{g_fault_word, 4, GS_VALUE_WRITE, 0}, {g_fault_word, 3, GS_VALUE_GEQ, 0}};
    DO(gs_stream_batch_values(stream, ops, 2));
    DO(gs_stream_synchronize(stream));
}

// Leases end, and the events of those that ended are used again.
void token(Run &run) {
    STREAM(first);
    STREAM(second);
    MAKE(first, gs_stream_create(0, 0, 0, first.out()));
    MAKE(second, gs_stream_create(0, 0, 0, second.out()));
    for (int round = 0; round < 3; ++round) {
        gs_token_t token{};
        gs_status_t seen = GS_OK;
        DO(gs_stream_sleep(first, 1000));
        DO(gs_token_create(first, run.out(&token)));
        DO(gs_token_wait(second, &token));
        DO(gs_stream_synchronize(second));
        DO(gs_token_status(&token, run.out(&seen)));
        // A driver that wrongly says "not ready" is believed.
        run.require(seen == GS_OK || seen == GS_NOT_READY, "the other process has not ended");
        DO(gs_token_wait(first, &token));
    }
    DO(gs_trim());
}

} // namespace

std::vector<Scenario> timeline_scenarios() {
    return {{"timeline", timeline},
            {"signal_first_timeline", signal_first_timeline, false, nullptr, nullptr, true},
            {"first_timeline", first_timeline, true},
            {"imported_timeline", imported_timeline},
            {"timeline_abort", timeline_abort},
            {"token", token, false, "GPUSTREAM_TOKEN_LEASE_MS=0"},
            {"first_token", token, true, "GPUSTREAM_TOKEN_LEASE_MS=0"},
            {"values", values, false, nullptr, make_word}};
}

} // namespace gs::test
