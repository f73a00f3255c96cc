// SPDX-License-Identifier: Apache-2.0
// How many hand-overs per second pairs of processes make, in stream order and with a wait on the host.
//   handover MODE PROCESSES SECONDS
// MODE: "token": the source leases a token of its stream's end into a message of 144 bytes; the destination's stream waits.
//       "event": the source records an interprocess event and sends 16 bytes; the destination's stream waits for it.
//       "wait": the source waits for its stream before it sends; the destination waits before it answers.
// Each hand-over is 4 KiB that the source's stream writes and the destination's stream reads and checks. A slot is used again
// when the destination says that its reader is done. Prints: processes, hand-overs per second of all pairs, waits on the
// host, resident KiB of a source and of a destination, and wrong ones.
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gpustream.h"

enum { kSlots = 64, kBytes = 4096, kMostProcesses = 256, kBatch = 16 };

typedef enum { kToken, kEvent, kWait, kModes } handover_mode_t;
static const char *const kModeNames[kModes] = {"token", "event", "wait"};

typedef struct {
    uint32_t slot, last;
    uint64_t number;
    gs_token_t token; // sent in the mode that has one
} message_t;

static size_t message_bytes(handover_mode_t mode) {
    return mode == kToken ? sizeof(message_t) : offsetof(message_t, token);
}

// What the processes of a pair share, and what they report.
typedef struct {
    gs_ipc_handle_t events[kSlots];
    unsigned char memory[kSlots][kBytes];
    atomic_int exported;
    _Atomic uint64_t done, waits, wrong;
    long source_kib, destination_kib;
    double seconds; // from the first message to the last slot that is free again
} pair_t;

static void require(int right, const char *what) {
    if (right) return;
    gs_error_info_t error = {.struct_size = sizeof error};
    gs_last_error(&error);
    fprintf(stderr, "%s: %s\n", what, error.message);
    _exit(1);
}
#define REQUIRE(condition) require((condition), #condition)
#define CALL(call) require((call) == GS_OK, #call)

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static long resident_kib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static uint64_t host_waits(void) {
    gs_stats_t stats = {.struct_size = sizeof stats};
    CALL(gs_get_stats(&stats));
    return stats.synchronizes;
}

static void source(pair_t *pair, int fd, handover_mode_t mode, double seconds) {
    gs_stream_t stream = NULL;
    gs_event_t events[kSlots];
    uint32_t free_slots[kSlots];
    uint32_t count = kSlots;
    uint64_t number = 0;
    CALL(gs_stream_create(0, 0, 0, &stream));
    for (uint32_t i = 0; i < kSlots; ++i) {
        free_slots[i] = i;
        if (mode == kToken) continue;
        CALL(gs_event_create(GS_EVENT_INTERPROCESS, &events[i]));
        CALL(gs_event_ipc_export(events[i], &pair->events[i]));
    }
    atomic_store(&pair->exported, 1);
    const double end = now() + seconds;
    for (int last = 0; !last;) {
        while (count == 0) {
            uint32_t back[kSlots];
            const ssize_t bytes = recv(fd, back, sizeof back, 0);
            REQUIRE(bytes > 0);
            for (size_t i = 0; i < (size_t)bytes / sizeof *back; ++i) free_slots[count++] = back[i];
        }
        last = (number & 63) == 0 && now() >= end;
        message_t message = {.slot = free_slots[--count], .last = (uint32_t)last, .number = ++number};
        CALL(gs_memset_async(pair->memory[message.slot], (int32_t)(number & 255), kBytes, stream));
        if (mode == kToken)
            CALL(gs_token_create(stream, &message.token));
        else
            CALL(gs_event_record(events[message.slot], stream));
        if (mode == kWait) CALL(gs_stream_synchronize(stream));
        REQUIRE(send(fd, &message, message_bytes(mode), 0) == (ssize_t)message_bytes(mode));
    }
    pair->source_kib = resident_kib();
    atomic_fetch_add(&pair->waits, host_waits());
    char ended;
    while (recv(fd, &ended, sizeof ended, 0) > 0) { // the destination still waits for the last events
    }
}

typedef struct {
    pair_t *pair;
    uint32_t slot;
    uint64_t number;
} check_t;

static void check(void *argument) {
    const check_t *wanted = argument;
    const unsigned char *memory = wanted->pair->memory[wanted->slot];
    if (memory[0] != (wanted->number & 255) || memory[kBytes - 1] != (wanted->number & 255))
        atomic_fetch_add(&wanted->pair->wrong, 1);
}

// Slots whose readers are done go back in batches.
static void take_back(gs_queue_t queue, int fd, uint32_t *pending, int64_t timeout_ns) {
    gs_completion_t entries[kSlots];
    uint32_t back[kSlots];
    size_t count = 0;
    const gs_status_t status = gs_queue_wait(queue, entries, kSlots, timeout_ns, &count);
    REQUIRE(status == GS_OK || status == GS_ERROR_TIMEOUT);
    for (size_t i = 0; i < count; ++i) {
        REQUIRE(entries[i].status == GS_OK);
        back[i] = (uint32_t)entries[i].token;
    }
    if (count > 0) REQUIRE(send(fd, back, count * sizeof *back, 0) > 0);
    *pending -= (uint32_t)count;
}

static void destination(pair_t *pair, int fd, handover_mode_t mode) {
    gs_stream_t stream = NULL;
    gs_queue_t queue = NULL;
    gs_event_t events[kSlots] = {NULL};
    check_t checks[kSlots];
    uint32_t pending = 0;
    message_t message = {.last = 0};
    CALL(gs_stream_create(0, 0, 0, &stream));
    CALL(gs_queue_create(kSlots, 0, &queue));
    while (!atomic_load(&pair->exported)) usleep(1000);
    double begin = 0;
    while (!message.last) {
        struct pollfd readable = {.fd = fd, .events = POLLIN};
        while (pending > 0 && poll(&readable, 1, 0) == 0) take_back(queue, fd, &pending, 1000000);
        REQUIRE(recv(fd, &message, sizeof message, 0) == (ssize_t)message_bytes(mode));
        if (begin == 0) begin = now();
        if (mode == kToken) {
            CALL(gs_token_wait(stream, &message.token));
        } else {
            gs_event_t *event = &events[message.slot];
            if (!*event) CALL(gs_event_ipc_open(0, &pair->events[message.slot], event)); // once
            CALL(gs_stream_wait_event(stream, *event));
        }
        checks[message.slot] = (check_t){pair, message.slot, message.number};
        CALL(gs_stream_launch_host(stream, check, &checks[message.slot]));
        if (mode == kWait) CALL(gs_stream_synchronize(stream));
        CALL(gs_queue_add_stream(queue, stream, message.slot));
        if (++pending >= kBatch) take_back(queue, fd, &pending, 0);
    }
    while (pending > 0) take_back(queue, fd, &pending, -1);
    pair->seconds = now() - begin;
    atomic_store(&pair->done, message.number);
    pair->destination_kib = resident_kib();
    atomic_fetch_add(&pair->waits, host_waits());
}

int main(int count, char **arguments) {
    const int processes = count == 4 ? atoi(arguments[2]) : 0;
    const double seconds = count == 4 ? atof(arguments[3]) : 0;
    handover_mode_t mode = kToken;
    while (count == 4 && mode < kModes && strcmp(arguments[1], kModeNames[mode]) != 0) ++mode;
    if (processes < 2 || processes > kMostProcesses || processes % 2 || seconds <= 0 || mode == kModes) {
        fprintf(stderr, "usage: %s token|event|wait PROCESSES SECONDS, PROCESSES even and at most %d\n", arguments[0],
                kMostProcesses);
        return 2;
    }
    const int pairs = processes / 2;
    pair_t *shared =
        mmap(NULL, sizeof(pair_t) * (size_t)pairs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(shared != MAP_FAILED);
    for (int i = 0; i < processes; ++i) { // before the library starts
        static int ends[2];
        if (i % 2 == 0) REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            close(ends[i % 2 == 0]);
            if (i % 2 == 0)
                source(&shared[i / 2], ends[0], mode, seconds);
            else
                destination(&shared[i / 2], ends[1], mode);
            _exit(0);
        }
        if (i % 2 == 1) {
            close(ends[0]);
            close(ends[1]);
        }
    }
    int failed = 0;
    for (int status = 0; wait(&status) > 0;) failed |= status;
    double rate = 0;
    uint64_t waited = 0, wrong = 0;
    for (int i = 0; i < pairs; ++i) {
        rate += (double)atomic_load(&shared[i].done) / shared[i].seconds;
        waited += atomic_load(&shared[i].waits);
        wrong += atomic_load(&shared[i].wrong);
    }
    printf("%s %d %.0f %llu %ld %ld %llu\n", arguments[1], processes, rate, (unsigned long long)waited,
           shared[0].source_kib, shared[0].destination_kib, (unsigned long long)wrong);
    return failed || wrong ? 1 : 0;
}
