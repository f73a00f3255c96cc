/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of Calls.java in C, one line each: name, ns per call (the best of several rounds). */
#include <gpustream.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CALLS 200000
#define ROUNDS 9

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void check(gs_status_t status, const char *what) {
    if (status == GS_OK) return;
    gs_error_info_t error = {.struct_size = sizeof error};
    gs_last_error(&error);
    fprintf(stderr, "c_calls: %s: %s\n", what, error.message);
    exit(1);
}

#define MEASURE(name, call)                                                                                            \
    do {                                                                                                               \
        double best = 1e18;                                                                                            \
        for (int round = 0; round < ROUNDS; ++round) {                                                                 \
            gs_status_t failed = GS_OK;                                                                                \
            const double begin = now_ns();                                                                             \
            for (int i = 0; i < CALLS; ++i) failed |= call;                                                            \
            const double ns = (now_ns() - begin) / CALLS;                                                              \
            check(failed, name);                                                                                       \
            check(gs_device_synchronize(0), name);                                                                     \
            if (ns < best) best = ns;                                                                                  \
        }                                                                                                              \
        printf("%s\t%.1f\n", name, best);                                                                              \
    } while (0)

static gs_status_t scope_of(gs_stream_t stream) {
    uint64_t scope;
    const gs_status_t status = gs_push_current_stream(stream, &scope);
    return status != GS_OK ? status : gs_pop_current_stream(scope);
}

static gs_status_t event_life(void) {
    gs_event_t event;
    const gs_status_t status = gs_event_create(0, &event);
    return status != GS_OK ? status : gs_event_destroy(event);
}

static gs_status_t stream_life(void) {
    gs_stream_t stream;
    const gs_status_t status = gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &stream);
    return status != GS_OK ? status : gs_stream_destroy(stream);
}

int main(void) {
    gs_stream_t stream, other, current;
    gs_event_t event, unbound, complete, on_stream, start, end;
    int32_t number;
    uintptr_t native;
    double ms;
    check(gs_stream_create(0, 0, 0, &stream), "create");
    check(gs_stream_create(0, 0, 0, &other), "create");
    check(gs_event_create(0, &event), "create");
    check(gs_event_create(0, &unbound), "create");
    check(gs_event_create(0, &complete), "create");
    check(gs_event_create(0, &on_stream), "create");
    check(gs_event_create(GS_EVENT_TIMING, &start), "create");
    check(gs_event_create(GS_EVENT_TIMING, &end), "create");
    check(gs_event_record(complete, stream), "record");
    check(gs_event_record(on_stream, stream), "record");
    check(gs_event_record(start, stream), "record");
    check(gs_event_record(end, stream), "record");
    check(gs_stream_synchronize(stream), "synchronize");
    check(gs_event_query(complete, &number), "query");
    MEASURE("eventRecord", gs_event_record(event, stream));
    MEASURE("waitSameStream", gs_stream_wait_event(stream, on_stream));
    MEASURE("waitComplete", gs_stream_wait_event(other, complete));
    MEASURE("waitStream", gs_stream_wait_stream(other, stream));
    MEASURE("queryComplete", gs_event_query(complete, &number));
    MEASURE("streamQuery", gs_stream_query(stream, &number));
    MEASURE("elapsed", gs_event_elapsed_ms(start, end, &ms));
    MEASURE("streamNative", gs_stream_native(stream, &native));
    MEASURE("eventId", gs_event_id(complete, &native));
    MEASURE("eventDevice", gs_event_device(unbound, &number));
    MEASURE("version", (gs_status_t)(gs_version() == 0));
    MEASURE("currentStream", gs_current_stream(GS_DEVICE_CURRENT, &current));
    MEASURE("pushPop", scope_of(stream));
    MEASURE("eventCreateDestroy", event_life());
    MEASURE("streamCreateDestroy", stream_life());
    return 0;
}
