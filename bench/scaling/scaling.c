// SPDX-License-Identifier: Apache-2.0
/* How the cost of calls and the use of memory grow with the number of objects: gpustream_scaling [most recorded events]
   One line per number, tab separated: what grows, how many, what was measured, the number, its unit. */
#include <gpustream.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5, CALLS = 20000, MOST_STREAMS = 10000, MOST_EVENTS = 1000000, MOST_DEVICES = 4 };

static void check(gs_status_t status, const char *what) {
    if (status == GS_OK) return;
    gs_error_info_t error = {.struct_size = sizeof error};
    gs_last_error(&error);
    fprintf(stderr, "scaling: %s: %s\n", what, error.message);
    exit(1);
}
#define CHECK(call) check(call, #call)

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Resident size of the process, bytes. */
static double resident(void) {
    long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2) exit(1);
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void report(const char *grows, long n, const char *what, double value, const char *unit) {
    printf("%s\t%ld\t%s\t%.1f\t%s\n", grows, n, what, value, unit);
    fflush(stdout);
}

/* The least time of a few rounds, per execution of the statement; i runs through the objects in turn. */
#define MEASURE(grows, n, what, count, statement)                                                                      \
    do {                                                                                                               \
        double least = 1e30;                                                                                           \
        gs_status_t failed = GS_OK;                                                                                    \
        for (int round = 0; round < ROUNDS; ++round) {                                                                 \
            const double started = now_ns();                                                                           \
            for (long k = 0, i = 0; k < CALLS; ++k) {                                                                  \
                statement;                                                                                             \
                if (++i == (count)) i = 0;                                                                             \
            }                                                                                                          \
            const double each = (now_ns() - started) / CALLS;                                                          \
            if (each < least) least = each;                                                                            \
        }                                                                                                              \
        check(failed, what);                                                                                           \
        report(grows, n, what, least, "ns");                                                                           \
    } while (0)

static void live_streams(void) {
    static gs_stream_t streams[MOST_STREAMS];
    gs_event_t event;
    CHECK(gs_event_create(0, &event));
    const double before = resident();
    double making = 0;
    long live = 0;
    for (long target = 1; target <= MOST_STREAMS; target *= 10) {
        const double begin = now_ns();
        for (; live < target; ++live) {
            CHECK(gs_stream_create(0, 0, 0, &streams[live]));
            CHECK(gs_event_record(event, streams[live]));
        }
        making += now_ns() - begin;
        if (live == MOST_STREAMS) {
            report("live streams", live, "make one and use it", making / (double)live, "ns");
            report("live streams", live, "memory of one", (resident() - before) / (double)live, "bytes");
        }
        gs_event_t mine;
        gs_stream_t other;
        uint64_t scope;
        int32_t done;
        CHECK(gs_event_create(0, &mine));
        MEASURE("live streams", live, "event record", live, failed |= gs_event_record(mine, streams[i]));
        MEASURE("live streams", live, "stream query", live, failed |= gs_stream_query(streams[i], &done));
        MEASURE("live streams", live, "current stream push + pop", live,
                failed |= gs_push_current_stream(streams[i], &scope);
                failed |= gs_pop_current_stream(scope));
        MEASURE("live streams", live, "stream create + destroy", live, failed |= gs_stream_create(0, 0, 0, &other);
                failed |= gs_stream_destroy(other));
        CHECK(gs_event_destroy(mine));
    }
    for (long i = 0; i < live; ++i) CHECK(gs_stream_destroy(streams[i]));
    CHECK(gs_device_synchronize(0));
    CHECK(gs_trim());
    CHECK(gs_event_destroy(event));
}

static void live_events(long most_recorded) {
    gs_event_t *events = calloc(MOST_EVENTS, sizeof *events);
    gs_stream_t stream;
    if (!events) exit(1);
    CHECK(gs_stream_create(0, 0, 0, &stream));
    const double before = resident();
    double used_by_unrecorded = 0;
    long live = 0, recorded = 0;
    for (long target = 1; target <= MOST_EVENTS; target *= 10) {
        const double base = resident();
        const long made = target - live;
        for (; live < target; ++live) CHECK(gs_event_create(0, &events[live]));
        used_by_unrecorded += resident() - base;
        if (made >= 100000)
            report("live events", live, "memory of one, never recorded", (resident() - base) / (double)made, "bytes");
        for (; recorded < live && recorded < most_recorded; ++recorded) {
            CHECK(gs_event_record(events[recorded], stream));
            if (recorded % 500 == 0) CHECK(gs_stream_synchronize(stream));
        }
        CHECK(gs_stream_synchronize(stream));
        int32_t done;
        gs_event_t mine;
        for (long i = 0; i < recorded; ++i) CHECK(gs_event_query(events[i], &done));
        MEASURE("live events", live, "query complete event", recorded, failed |= gs_event_query(events[i], &done));
        MEASURE("live events", live, "event record", recorded, failed |= gs_event_record(events[i], stream));
        MEASURE("live events", live, "event create + destroy", 1, failed |= gs_event_create(0, &mine);
                failed |= gs_event_destroy(mine));
    }
    report("live events", recorded, "memory of one, recorded",
           (resident() - before - used_by_unrecorded) / (double)recorded + used_by_unrecorded / (double)live, "bytes");
    for (long i = 0; i < live; ++i) CHECK(gs_event_destroy(events[i]));
    CHECK(gs_stream_destroy(stream));
    free(events);
}

static void devices(void) {
    int32_t available = 0;
    gs_backend_t backend;
    CHECK(gs_default_backend(&backend));
    CHECK(gs_device_count(backend, &available));
    gs_stream_t streams[MOST_DEVICES];
    gs_event_t events[MOST_DEVICES];
    for (int32_t n = 1; n <= available && n <= MOST_DEVICES; ++n) {
        CHECK(gs_stream_create(n - 1, 0, 0, &streams[n - 1]));
        CHECK(gs_event_create(0, &events[n - 1]));
        CHECK(gs_event_record(events[n - 1], streams[n - 1]));
        uint64_t scope;
        MEASURE("devices", n, "event record", n, failed |= gs_event_record(events[i], streams[i]));
        MEASURE("devices", n, "current stream push + pop", n, failed |= gs_push_current_stream(streams[i], &scope);
                failed |= gs_pop_current_stream(scope));
    }
    for (int32_t n = 0; n < available && n < MOST_DEVICES; ++n) {
        CHECK(gs_event_destroy(events[n]));
        CHECK(gs_stream_destroy(streams[n]));
    }
}

int main(int argc, char **argv) {
    const long most_recorded = argc > 1 ? atol(argv[1]) : MOST_EVENTS;
    if (most_recorded < 1) {
        fprintf(stderr, "usage: gpustream_scaling [most recorded events]\n");
        return 2;
    }
    CHECK(gs_set_current_device(0));
    devices();
    live_streams();
    live_events(most_recorded);
    return 0;
}
