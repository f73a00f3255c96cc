// SPDX-License-Identifier: Apache-2.0
// What a token costs the two processes that it is between, beside an interprocess event that is recorded and waited for.
//   tokens [ROUNDS]        default 2000
// Each round the maker makes 64 tokens at the end of an idle stream, and the reader's stream waits for each. Only these calls
// are timed, in processor time of their threads. Prints nanoseconds per call: create, wait, both; record, wait, both.
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gpustream.h"

enum { kBatch = 64, kWarm = 20 };

typedef struct {
    gs_token_t tokens[kBatch];
    gs_ipc_handle_t events[kBatch];
    atomic_int turn; // even: the maker's
    double ns[4];    // create, wait for tokens; record, wait for events
} shared_t;

static void require(int right, const char *what) {
    if (right) return;
    gs_error_info_t error = {.struct_size = sizeof error};
    gs_last_error(&error);
    fprintf(stderr, "%s: %s\n", what, error.message);
    _exit(1);
}
#define CALL(call) require((call) == GS_OK, #call)

static double cpu_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void await(shared_t *shared, int turn) {
    while (atomic_load(&shared->turn) != turn) sched_yield();
}

static void make(shared_t *shared, int rounds) {
    gs_stream_t stream = NULL;
    gs_event_t events[kBatch];
    CALL(gs_stream_create(0, 0, 0, &stream));
    for (int i = 0; i < kBatch; ++i) {
        CALL(gs_event_create(GS_EVENT_INTERPROCESS, &events[i]));
        CALL(gs_event_ipc_export(events[i], &shared->events[i]));
    }
    for (int round = 0; round < rounds; ++round) {
        await(shared, 2 * round);
        const double begin = cpu_ns();
        for (int i = 0; i < kBatch; ++i) CALL(gs_token_create(stream, &shared->tokens[i]));
        const double middle = cpu_ns();
        for (int i = 0; i < kBatch; ++i) CALL(gs_event_record(events[i], stream));
        const double end = cpu_ns();
        if (round >= kWarm) {
            shared->ns[0] += middle - begin;
            shared->ns[2] += end - middle;
        }
        CALL(gs_stream_synchronize(stream));
        atomic_fetch_add(&shared->turn, 1);
    }
    await(shared, 2 * rounds);
}

static void read_all(shared_t *shared, int rounds) {
    gs_stream_t stream = NULL;
    gs_event_t events[kBatch] = {NULL};
    CALL(gs_stream_create(0, 0, 0, &stream));
    for (int round = 0; round < rounds; ++round) {
        await(shared, 2 * round + 1);
        for (int i = 0; round == 0 && i < kBatch; ++i) CALL(gs_event_ipc_open(0, &shared->events[i], &events[i]));
        const double begin = cpu_ns();
        for (int i = 0; i < kBatch; ++i) CALL(gs_token_wait(stream, &shared->tokens[i]));
        const double middle = cpu_ns();
        for (int i = 0; i < kBatch; ++i) CALL(gs_stream_wait_event(stream, events[i]));
        const double end = cpu_ns();
        if (round >= kWarm) {
            shared->ns[1] += middle - begin;
            shared->ns[3] += end - middle;
        }
        CALL(gs_stream_synchronize(stream));
        atomic_fetch_add(&shared->turn, 1);
    }
}

int main(int count, char **arguments) {
    const int rounds = kWarm + (count > 1 ? atoi(arguments[1]) : 2000);
    shared_t *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || rounds <= kWarm) {
        fprintf(stderr, "usage: %s [ROUNDS]\n", arguments[0]);
        return 2;
    }
    for (int reader = 0; reader < 2; ++reader) { // before the library starts
        const pid_t child = fork();
        if (child < 0) return 1;
        if (child != 0) continue;
        if (reader)
            read_all(shared, rounds);
        else
            make(shared, rounds);
        _exit(0);
    }
    int failed = 0;
    for (int status = 0; wait(&status) > 0;) failed |= status;
    double ns[4];
    for (int i = 0; i < 4; ++i) ns[i] = shared->ns[i] / ((double)(rounds - kWarm) * kBatch);
    printf("token: create %.0f wait %.0f both %.0f ns; event: record %.0f wait %.0f both %.0f ns\n", ns[0], ns[1],
           ns[0] + ns[1], ns[2], ns[3], ns[2] + ns[3]);
    return failed ? 1 : 0;
}
