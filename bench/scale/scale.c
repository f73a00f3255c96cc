// SPDX-License-Identifier: Apache-2.0
// How the cost of an operation grows with the number of pending ones.
//
//   scale [MOST]        default 1000000
//
// Each row is an operation on 1, 4 and 64 streams, with 10^3 to MOST objects pending. Its columns have the nanoseconds
// of each object, submitted and carried out; the exponent is that between the first and the last column. 1.0 is linear;
// n log n shows as about 1.1. A row ends when a column takes more than ten seconds. Runs on the host backend unless
// GPUSTREAM_BACKEND says otherwise.
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gpustream.h"

enum { kMostStreams = 64 };
static gs_stream_t g_streams[kMostStreams];
static size_t g_stream_count;
static atomic_size_t g_told;

static void require(gs_status_t status, const char *what) {
    if (status == GS_OK) return;
    gs_error_info_t error = {.struct_size = sizeof error};
    gs_last_error(&error);
    fprintf(stderr, "%s: %s\n", what, error.message);
    exit(1);
}
#define CALL(call) require((call), #call)

static double now_s(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static gs_stream_t stream_of(size_t i) { return g_streams[i % g_stream_count]; }

static void synchronize(void) {
    for (size_t i = 0; i < g_stream_count; ++i) CALL(gs_stream_synchronize(g_streams[i]));
}

// All streams wait for the first value of a timeline, so that what follows is pending.
static gs_timeline_t hold(void) {
    gs_timeline_t gate = NULL;
    CALL(gs_timeline_create(0, 0, 0, &gate));
    for (size_t i = 0; i < g_stream_count; ++i) CALL(gs_stream_wait_timeline(g_streams[i], gate, 1));
    return gate;
}

static void let_go(gs_timeline_t gate) {
    CALL(gs_timeline_signal(gate, 1));
    synchronize();
    CALL(gs_timeline_destroy(gate));
}

static void told(void *arg, gs_status_t status) {
    (void)arg;
    (void)status;
    atomic_fetch_add(&g_told, 1);
}

static void told_one(void *arg) {
    (void)arg;
    atomic_fetch_add(&g_told, 1);
}

static void notifications(size_t count) {
    gs_timeline_t gate = hold();
    atomic_store(&g_told, 0);
    for (size_t i = 0; i < count; ++i) CALL(gs_stream_notify(stream_of(i), told, NULL));
    let_go(gate);
    while (atomic_load(&g_told) != count) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static void entries(size_t count, int cancel) {
    gs_queue_t queue = NULL;
    gs_timeline_t gate = hold();
    CALL(gs_queue_create(UINT32_MAX, 0, &queue));
    for (size_t i = 0; i < count; ++i) CALL(gs_queue_add_stream(queue, stream_of(i), i));
    for (size_t i = count; cancel && i-- > 0;) {
        size_t cancelled = 0;
        CALL(gs_queue_cancel(queue, i, &cancelled));
    }
    if (!cancel) let_go(gate);
    for (size_t taken = 0; taken < count;) {
        gs_completion_t some[256];
        size_t got = 0;
        CALL(gs_queue_wait(queue, some, 256, -1, &got));
        taken += got;
    }
    if (cancel) let_go(gate);
    CALL(gs_queue_destroy(queue));
}

static void queue_entries(size_t count) { entries(count, 0); }
static void cancelled_entries(size_t count) { entries(count, 1); }

static void timeline_waits(size_t count) {
    gs_timeline_t timeline = NULL;
    CALL(gs_timeline_create(0, 0, 0, &timeline));
    for (size_t i = 0; i < count; ++i) CALL(gs_stream_wait_timeline(stream_of(i), timeline, i + 1));
    CALL(gs_timeline_signal(timeline, count));
    synchronize();
    CALL(gs_timeline_destroy(timeline));
}

static void timeline_signals(size_t count) {
    gs_timeline_t timeline = NULL, gate = hold();
    CALL(gs_timeline_create(0, 0, 0, &timeline));
    for (size_t i = 0; i < count; ++i) CALL(gs_stream_signal_timeline(stream_of(i), timeline, i + 1));
    let_go(gate);
    CALL(gs_timeline_synchronize(timeline, count, -1));
    CALL(gs_timeline_destroy(timeline));
}

// Each stream waits for a step of the one before it and signals its own, from the last stream on.
static void pipeline(size_t count) {
    gs_timeline_t timelines[kMostStreams + 1];
    for (size_t i = 0; i <= g_stream_count; ++i) CALL(gs_timeline_create(0, 0, 0, &timelines[i]));
    const size_t steps = count / g_stream_count;
    for (size_t stage = g_stream_count; stage-- > 0;)
        for (size_t step = 1; step <= steps; ++step) {
            CALL(gs_stream_wait_timeline(g_streams[stage], timelines[stage], step));
            CALL(gs_stream_signal_timeline(g_streams[stage], timelines[stage + 1], step));
        }
    if (steps != 0) CALL(gs_timeline_signal(timelines[0], steps));
    synchronize();
    for (size_t i = 0; i <= g_stream_count; ++i) CALL(gs_timeline_destroy(timelines[i]));
}

static void event_waits(size_t count) {
    gs_timeline_t gate = hold();
    gs_event_t event = NULL;
    CALL(gs_event_create(0, &event));
    for (size_t i = 0; i < count; ++i) {
        CALL(gs_event_record(event, stream_of(i)));
        CALL(gs_stream_wait_event(stream_of(i + 1), event));
    }
    let_go(gate);
    CALL(gs_event_destroy(event));
}

static void events(size_t count) {
    gs_event_t *all = calloc(count, sizeof *all);
    for (size_t i = 0; i < count; ++i) CALL(gs_event_create(0, &all[i]));
    for (size_t i = 0; i < count; ++i) CALL(gs_event_record(all[i], stream_of(i)));
    for (size_t i = 0; i < count; ++i) CALL(gs_event_destroy(all[i]));
    free(all);
    synchronize();
}

static void deferred(size_t count) {
    gs_timeline_t gate = hold();
    atomic_store(&g_told, 0);
    for (size_t i = 0; i < count; ++i) CALL(gs_stream_defer(stream_of(i), told_one, NULL));
    let_go(gate);
    CALL(gs_trim());
    while (atomic_load(&g_told) != count) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static const struct {
    const char *name;
    void (*run)(size_t count);
} kRows[] = {{"notifications", notifications},
             {"entries of a queue", queue_entries},
             {"cancelled entries", cancelled_entries},
             {"waits for a timeline", timeline_waits},
             {"signals of a timeline", timeline_signals},
             {"a pipeline of timelines", pipeline},
             {"waits for events", event_waits},
             {"events", events},
             {"deferred functions", deferred}};

static void measure(size_t row, size_t most) {
    double first = 0, last = 0;
    size_t first_count = 0, last_count = 0;
    printf("%-24s %7zu", kRows[row].name, g_stream_count);
    for (size_t count = 1000; count <= most; count *= 10) {
        const double begin = now_s();
        kRows[row].run(count);
        last = now_s() - begin;
        last_count = count;
        if (first_count == 0) {
            first = last;
            first_count = count;
        }
        printf(" %9.0f", last / (double)count * 1e9);
        fflush(stdout);
        if (last > 10) break;
    }
    const double exponent =
        last_count > first_count ? log(last / first) / log((double)last_count / (double)first_count) : 0;
    printf("   %5.2f\n", exponent);
}

int main(int count, char **arguments) {
    const size_t most = count > 1 ? strtoull(arguments[1], NULL, 10) : 1000000;
    setenv("GPUSTREAM_BACKEND", "host", 0);
    printf("%-24s %7s %s   exponent\n", "ns each, with pending:", "streams", "     10^3      10^4      10^5      10^6");
    for (size_t row = 0; row < sizeof kRows / sizeof *kRows; ++row)
        for (g_stream_count = 1; g_stream_count <= kMostStreams; g_stream_count *= g_stream_count == 1 ? 4 : 16) {
            for (size_t i = 0; i < g_stream_count; ++i) CALL(gs_stream_create(0, 0, 0, &g_streams[i]));
            measure(row, most);
            for (size_t i = 0; i < g_stream_count; ++i) CALL(gs_stream_destroy(g_streams[i]));
        }
    return 0;
}
