/* SPDX-License-Identifier: Apache-2.0 */
/* What device calls cost in a child forked too late, where each returns GS_ERROR_BAD_FORK: the best of several rounds,
   in nanoseconds per call, and the very first call of the child. Prints a table; GPUSTREAM_BACKEND and
   GPUSTREAM_LIBCUDA choose the backend. */
#include <gpustream.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 200000, ROUNDS = 15 };

static gs_stream_t g_stream;
static gs_event_t g_event;
static gs_device_info_t g_info = {.struct_size = sizeof(gs_device_info_t)};

static gs_status_t stream_query(void) {
    int32_t done;
    return gs_stream_query(g_stream, &done);
}
static gs_status_t event_record(void) { return gs_event_record(g_event, g_stream); }
static gs_status_t event_query(void) {
    int32_t done;
    return gs_event_query(g_event, &done);
}
static gs_status_t wait_event(void) { return gs_stream_wait_event(g_stream, g_event); }
static gs_status_t current_stream(void) {
    gs_stream_t stream;
    return gs_current_stream(0, &stream);
}
static gs_status_t stream_create(void) {
    gs_stream_t stream;
    return gs_stream_create(0, 0, 0, &stream);
}
static gs_status_t device_info(void) { return gs_device_get_info(0, &g_info); }
static gs_status_t synchronize(void) { return gs_device_synchronize(0); }
static gs_status_t malloc_async(void) {
    void *pointer;
    return gs_malloc_async(64, g_stream, &pointer);
}
static gs_status_t temperature(void) {
    gs_telemetry_t read = {.struct_size = sizeof read};
    return gs_device_get_telemetry(0, GS_TELEMETRY_TEMPERATURE, &read);
}
static gs_status_t initialize(void) { return gs_init(); }

static const struct {
    const char *name;
    gs_status_t (*call)(void);
} kCalls[] = {
    {"gs_stream_query", stream_query},
    {"gs_event_record", event_record},
    {"gs_event_query", event_query},
    {"gs_stream_wait_event", wait_event},
    {"gs_current_stream", current_stream},
    {"gs_stream_create", stream_create},
    {"gs_device_get_info", device_info},
    {"gs_device_synchronize", synchronize},
    {"gs_malloc_async", malloc_async},
    {"gs_device_get_telemetry", temperature},
    {"gs_init", initialize},
};

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double best_of_rounds(gs_status_t (*call)(void)) {
    double best = 1e18;
    for (int round = 0; round < ROUNDS; ++round) {
        const double begin = now_ns();
        for (int i = 0; i < CALLS; ++i)
            if (call() != GS_ERROR_BAD_FORK) _exit(3);
        const double ns = (now_ns() - begin) / CALLS;
        if (ns < best) best = ns;
    }
    return best;
}

static int child(void) {
    const double begin = now_ns();
    const gs_status_t status = stream_query();
    const double first = now_ns() - begin;
    if (status != GS_ERROR_BAD_FORK) return 3;
    printf("%-32s %8.0f ns\n", "the first call of the child", first);
    for (size_t i = 0; i < sizeof kCalls / sizeof *kCalls; ++i)
        printf("%-32s %8.1f ns\n", kCalls[i].name, best_of_rounds(kCalls[i].call));
    fflush(stdout);
    return 0;
}

int main(void) {
    gs_backend_t backend = 0;
    if (gs_init() != GS_OK || gs_stream_create(0, 0, 0, &g_stream) != GS_OK || gs_event_create(0, &g_event) != GS_OK ||
        gs_event_record(g_event, g_stream) != GS_OK || gs_default_backend(&backend) != GS_OK) {
        fprintf(stderr, "there is no device to begin with\n");
        return 1;
    }
    printf("%s backend, %d calls a round, best of %d rounds\n", backend == GS_BACKEND_HOST ? "host" : "cuda", CALLS,
           ROUNDS);
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) _exit(child());
    int status = 0;
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "the child did not refuse every call: wait status %d\n", status);
        return 1;
    }
    return 0;
}
