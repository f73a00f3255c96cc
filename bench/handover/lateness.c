// SPDX-License-Identifier: Apache-2.0
// How late a stream of another process goes on after the stream that it waits for: by a token and by an interprocess
// event, in turn, in one run.
//
//   lateness [ROUNDS]        default 2000
//
// A round: the producer's stream is held by a word of memory. Behind that it writes a word of the producer's, and then comes
// the record or token. The consumer's stream waits for it, and then writes a word of the consumer's. When all is
// submitted, and some time has passed, the hold ends. A thread of each process spins on its word and takes the time when
// it changes; all devices write words in the same way, so the difference is how late the consumer's stream went on.
//
// Prints microseconds. Ends with 1 if a call fails, a stream went on early, or one does not go on within ten seconds.
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gpustream.h"

enum { kWarm = 20, kMostRounds = 100000 };
typedef enum { kEvent, kToken, kModes } handover_mode_t;
static const char *const kModeNames[kModes] = {"event", "token"};

// What the two processes share. step: 4 * turn + what has been done in that turn.
typedef struct {
    atomic_uint_fast64_t step;
    atomic_int failed;
    gs_ipc_handle_t event;
    gs_token_t token;
    int64_t producer_ns; // when the producer's word changed, of the present turn
    double us[kModes][kMostRounds];
} shared_t;
enum { kSubmitted = 1, kArmed = 2, kSeen = 3 };

static shared_t *g_shared;

static void require(int right, const char *what) {
    if (right) return;
    gs_error_info_t error = {.struct_size = sizeof error};
    gs_last_error(&error);
    fprintf(stderr, "%s: %s\n", what, error.message);
    atomic_store(&g_shared->failed, 1);
    _exit(1);
}
#define REQUIRE(condition) require((condition), #condition)
#define CALL(call) require((call) == GS_OK, #call)

static int64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void await_step(uint64_t step) {
    const int64_t end = now_ns() + 10000000000LL;
    for (unsigned looks = 0; atomic_load(&g_shared->step) < step; ++looks) {
        if (atomic_load(&g_shared->failed)) _exit(1);
        if (looks % 1024 == 1023) {
            REQUIRE(now_ns() < end && "the other process goes on");
            sched_yield();
        }
    }
}

static uint64_t load(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

// Spins until the word has the value: when that was.
static int64_t time_of(const uint64_t *word, uint64_t value) {
    const int64_t end = now_ns() + 10000000000LL;
    int64_t now = 0;
    do {
        now = now_ns();
        REQUIRE(now < end && "the stream goes on");
    } while (load(word) != value);
    return now;
}

static uint64_t *make_word(void) {
    void *word = NULL;
    CALL(gs_malloc_host(64, &word));
    __atomic_store_n((uint64_t *)word, 0, __ATOMIC_RELEASE);
    return word;
}

static handover_mode_t mode_of(uint64_t turn) { return (handover_mode_t)(turn % kModes); }

static void submit_point(gs_stream_t stream, gs_event_t event, uint64_t turn) {
    if (mode_of(turn) == kEvent)
        CALL(gs_event_record(event, stream));
    else
        CALL(gs_token_create(stream, &g_shared->token));
}

static void produce(uint64_t turns) {
    gs_stream_t stream = NULL;
    gs_event_t event = NULL;
    CALL(gs_stream_create(0, 0, 0, &stream));
    CALL(gs_event_create(GS_EVENT_INTERPROCESS, &event));
    CALL(gs_event_ipc_export(event, &g_shared->event));
    uint64_t *hold = make_word(), *word = make_word();
    atomic_store(&g_shared->step, 1); // exported
    await_step(2);                    // opened
    for (uint64_t turn = 0; turn < turns; ++turn) {
        const uint64_t base = 4 * (turn + 1);
        await_step(base);
        CALL(gs_stream_wait_value(stream, hold, turn + 1, GS_VALUE_GEQ));
        CALL(gs_stream_write_value(stream, word, turn + 1, 0));
        submit_point(stream, event, turn);
        atomic_store(&g_shared->step, base + kSubmitted);
        await_step(base + kArmed);
        usleep(50); // what was submitted last has come to the device
        __atomic_store_n(hold, turn + 1, __ATOMIC_SEQ_CST);
        g_shared->producer_ns = time_of(word, turn + 1);
        atomic_store(&g_shared->step, base + kSeen);
        CALL(gs_stream_synchronize(stream));
    }
    await_step(4 * (turns + 1));
    CALL(gs_event_destroy(event));
    CALL(gs_stream_destroy(stream));
}

static void consume(uint64_t turns) {
    gs_stream_t stream = NULL;
    gs_event_t event = NULL;
    CALL(gs_stream_create(0, 0, 0, &stream));
    uint64_t *word = make_word();
    await_step(1);
    CALL(gs_event_ipc_open(0, &g_shared->event, &event));
    atomic_store(&g_shared->step, 4);
    for (uint64_t turn = 0; turn < turns; ++turn) {
        const uint64_t base = 4 * (turn + 1);
        await_step(base + kSubmitted);
        if (mode_of(turn) == kEvent)
            CALL(gs_stream_wait_event(stream, event));
        else
            CALL(gs_token_wait(stream, &g_shared->token));
        CALL(gs_stream_write_value(stream, word, turn + 1, 0));
        usleep(50);
        REQUIRE(load(word) != turn + 1 && "the stream waits"); // the other one is held
        atomic_store(&g_shared->step, base + kArmed);
        const int64_t seen_ns = time_of(word, turn + 1);
        await_step(base + kSeen);
        g_shared->us[mode_of(turn)][turn / kModes] = (double)(seen_ns - g_shared->producer_ns) / 1000;
        atomic_store(&g_shared->step, base + 4);
    }
    CALL(gs_event_destroy(event));
    CALL(gs_stream_destroy(stream));
}

static int by_number(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void report(uint64_t rounds) {
    const uint64_t count = rounds - kWarm;
    double event = 0;
    printf("%-22s %9s %9s %9s %9s   of the event's\n", "after the other, us", "median", "90 %", "99 %", "most");
    for (int mode = 0; mode < kModes; ++mode) {
        double *us = g_shared->us[mode] + kWarm;
        qsort(us, count, sizeof *us, by_number);
        if (mode == kEvent) event = us[count / 2];
        printf("%-22s %9.2f %9.2f %9.2f %9.2f   %.2f\n", kModeNames[mode], us[count / 2], us[count * 9 / 10],
               us[count * 99 / 100], us[count - 1], us[count / 2] / event);
    }
}

int main(int count, char **arguments) {
    const int given = count > 1 ? atoi(arguments[1]) : 2000;
    const uint64_t rounds = kWarm + (given > 0 ? (uint64_t)given : 0), turns = rounds * kModes;
    g_shared = mmap(NULL, sizeof *g_shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (g_shared == MAP_FAILED || given <= 0 || rounds > kMostRounds) {
        fprintf(stderr, "usage: %s [ROUNDS], at most %d\n", arguments[0], kMostRounds - kWarm);
        return 2;
    }
    for (int consumer = 0; consumer < 2; ++consumer) { // before the library starts
        const pid_t child = fork();
        if (child < 0) return 1;
        if (child != 0) continue;
        if (consumer)
            consume(turns);
        else
            produce(turns);
        _exit(0);
    }
    int failed = 0;
    for (int status = 0; wait(&status) > 0;) failed |= status;
    if (failed) return 1;
    report(rounds);
    return 0;
}
