// SPDX-License-Identifier: Apache-2.0
// A rank is killed while all are sending around a ring, with the rest of the ring submitted already. The others find
// out in bounded time, give up what cannot end any more, and free everything.
//   mpirun -n N mpi_lost BYTES FOLDER
// Rank 1 kills itself in the middle. Each other rank writes what it saw to FOLDER/RANK.
//
// Most MPIs do not report that a rank is gone, and their launcher kills all ranks then: README.md says how it is kept from
// that. So each rank also has a token of every other one, for a point that stays pending while the rank lives: the library sees
// that its maker has ended.
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "channel.h"
#include "require.h"

enum { kRounds = 200, kLost = 1, kRingTag = 1 };
static const int64_t kSliceNs = 20000000, kLimitNs = 20000000000;

static int64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// A token of a stream that waits until its rank is through.
typedef struct {
    gs_stream_t stream;
    gs_timeline_t through;
    gs_token_t *tokens; // of all ranks
} alive_t;

static void be_alive(alive_t *alive) {
    gs_token_t own;
    alive->tokens = calloc((size_t)g_ranks, sizeof own);
    REQUIRE(alive->tokens != NULL);
    CALL(gs_timeline_create(0, 0, 0, &alive->through));
    CALL(gs_stream_create(0, 0, 0, &alive->stream));
    CALL(gs_stream_wait_timeline(alive->stream, alive->through, 1));
    CALL(gs_token_create(alive->stream, &own));
    MPI_Allgather(&own, sizeof own, MPI_BYTE, alive->tokens, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
}

static void be_through(alive_t *alive) {
    CALL(gs_timeline_signal(alive->through, 1));
    CALL(gs_stream_synchronize(alive->stream));
    CALL(gs_stream_destroy(alive->stream));
    CALL(gs_timeline_destroy(alive->through));
    free(alive->tokens);
}

// A rank that is through, and may end, is no failure.
static gs_status_t find_lost(const alive_t *alive) {
    for (int rank = 0; rank < g_ranks; ++rank) {
        gs_status_t status = GS_OK;
        if (gs_token_status(&alive->tokens[rank], &status) == GS_OK && status == GS_ERROR_PEER_LOST) return status;
    }
    return GS_OK;
}

// As channel_wait(), and ends too when a rank of the machine is gone.
static gs_status_t wait_while_all_live(channel_t *channel, const alive_t *alive, int64_t limit_ns) {
    const int64_t end_ns = now_ns() + limit_ns;
    for (;;) {
        gs_status_t status = channel_wait(channel, kSliceNs);
        if (status != GS_ERROR_TIMEOUT) return status;
        if ((status = find_lost(alive)) != GS_OK) return status;
        if (now_ns() >= end_ns) return GS_ERROR_TIMEOUT;
    }
}

typedef struct {
    atomic_int rounds;
} progress_t;

static void count_round(void *progress) {
    // Inside the stream's work, as a crash would come: without a message, and with everything open.
    if (atomic_fetch_add(&((progress_t *)progress)->rounds, 1) + 1 == kRounds / 2 && g_rank == kLost) raise(SIGKILL);
}

static void report(const char *folder, gs_status_t seen, int64_t took_ns) {
    char path[512];
    REQUIRE(snprintf(path, sizeof path, "%s/%d", folder, g_rank) < (int)sizeof path);
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL);
    REQUIRE(fprintf(file, "%s %lld\n", gs_status_name(seen), (long long)(took_ns / 1000000)) > 0);
    REQUIRE(fclose(file) == 0);
}

static void lose_a_rank(const char *folder, int bytes) {
    const int right = (g_rank + 1) % g_ranks, left = (g_rank + g_ranks - 1) % g_ranks;
    char *in = calloc(1, (size_t)bytes), *out = calloc(1, (size_t)bytes);
    progress_t progress = {0};
    gs_stream_t stream = NULL;
    engine_t *engine = NULL;
    channel_t *channel = NULL;
    REQUIRE(in && out);
    CALL(gs_stream_create(0, 0, 0, &stream));
    alive_t alive;
    be_alive(&alive);
    CALL(engine_start(MPI_COMM_WORLD, &engine));
    CALL(channel_open(engine, stream, &channel));
    const int64_t begin_ns = now_ns();
    for (int i = 0; i < kRounds; ++i) {
        if (g_rank != 0) CALL(channel_receive(channel, in, bytes, left, kRingTag));
        CALL(gs_stream_launch_host(stream, count_round, &progress));
        CALL(channel_send(channel, out, bytes, right, kRingTag));
        if (g_rank == 0) CALL(channel_receive(channel, in, bytes, left, kRingTag));
    }
    const gs_status_t seen = wait_while_all_live(channel, &alive, kLimitNs);
    const int64_t took_ns = now_ns() - begin_ns;
    REQUIRE(atomic_load(&progress.rounds) < kRounds);

    channel_close(channel);
    CALL(gs_stream_synchronize(stream)); // its later work runs, without the messages
    REQUIRE(atomic_load(&progress.rounds) == kRounds);
    CALL(gs_stream_destroy(stream));
    engine_stop(engine);
    be_through(&alive);
    free(in);
    free(out);
    report(folder, seen, took_ns);
}

int main(int count, char **arguments) {
    int provided = 0;
    signal(SIGUSR1, SIG_IGN); // by which MPICH's launcher says that a rank is gone
    MPI_Init_thread(&count, &arguments, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g_ranks);
    const int bytes = count == 3 ? atoi(arguments[1]) : 0;
    if (bytes < 1 || g_ranks < 3) {
        if (g_rank == 0) fprintf(stderr, "usage: mpirun -n N %s BYTES FOLDER, N at least 3\n", arguments[0]);
        MPI_Finalize();
        return 2;
    }
    lose_a_rank(arguments[2], bytes);
    // Not MPI_Finalize(): that would wait for the rank that is gone.
    return 0;
}
