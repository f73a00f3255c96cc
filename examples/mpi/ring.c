// SPDX-License-Identifier: Apache-2.0
// A number goes around all ranks, and each adds one, as a part of its stream's work: the host waits only after all of
// it has been submitted. Then what every stream-aware MPI must get right: an event that is recorded after a receive
// completes only once the message is there; a receive without an answer ends by a limit and an abort.
//   mpirun -n N mpi_ring [ROUNDS]
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "channel.h"
#include "require.h"

enum { kRingTag = 1, kGoTag, kAnswerTag, kUnansweredTag, kAnswer = 42 };

typedef struct {
    int in, out;
} numbers_t;

static void add_one(void *numbers) { ((numbers_t *)numbers)->out = ((numbers_t *)numbers)->in + 1; }
static void set_flag(void *flag) { atomic_store((atomic_int *)flag, 1); }

static gs_stream_t new_stream(void) {
    gs_stream_t stream = NULL;
    CALL(gs_stream_create(0, 0, 0, &stream));
    return stream;
}

static uint64_t host_waits(void) {
    gs_stats_t stats = {.struct_size = sizeof stats};
    CALL(gs_get_stats(&stats));
    return stats.synchronizes;
}

static void ring(engine_t *engine, int rounds) {
    gs_stream_t stream = new_stream();
    channel_t *channel = NULL;
    numbers_t numbers = {0, 0};
    const int right = (g_rank + 1) % g_ranks, left = (g_rank + g_ranks - 1) % g_ranks;
    CALL(channel_open(engine, stream, &channel));
    for (int i = 0; i < rounds; ++i) {
        if (g_rank != 0) CALL(channel_receive(channel, &numbers.in, sizeof numbers.in, left, kRingTag));
        CALL(gs_stream_launch_host(stream, add_one, &numbers));
        CALL(channel_send(channel, &numbers.out, sizeof numbers.out, right, kRingTag));
        if (g_rank == 0) CALL(channel_receive(channel, &numbers.in, sizeof numbers.in, left, kRingTag));
    }
    REQUIRE(host_waits() == 0);
    CALL(channel_wait(channel, -1));
    const int wanted = g_rank == 0 ? rounds * g_ranks : (rounds - 1) * g_ranks + g_rank;
    REQUIRE(numbers.in == wanted);
    channel_close(channel);
    CALL(gs_stream_destroy(stream));
    if (g_rank == 0) printf("%d rounds over %d ranks: %d\n", rounds, g_ranks, numbers.in);
}

// Rank 1 answers rank 0 when that says so, which is after it has looked at the event.
static void event_behind_a_receive(engine_t *engine) {
    gs_stream_t stream = new_stream(), other = new_stream();
    channel_t *channel = NULL, *go = NULL;
    int answer = 0, word = kAnswer;
    CALL(channel_open(engine, stream, &channel));
    CALL(channel_open(engine, other, &go));
    if (g_rank == 0) {
        gs_event_t event = NULL;
        CALL(gs_event_create(0, &event));
        CALL(channel_receive(channel, &answer, sizeof answer, 1, kAnswerTag));
        CALL(gs_event_record(event, stream));
        int32_t done = 1;
        CALL(gs_event_query(event, &done));
        REQUIRE(!done && answer == 0);
        CALL(channel_send(go, &word, sizeof word, 1, kGoTag));
        CALL(gs_event_synchronize(event));
        REQUIRE(answer == kAnswer);
        CALL(channel_wait(go, -1));
        CALL(gs_event_destroy(event));
        printf("an event behind a receive waits for the message\n");
    } else if (g_rank == 1) {
        CALL(channel_receive(channel, &answer, sizeof answer, 0, kGoTag));
        CALL(channel_send(channel, &answer, sizeof answer, 0, kAnswerTag));
        CALL(channel_wait(channel, -1));
    }
    channel_close(channel);
    channel_close(go);
    CALL(gs_stream_destroy(stream));
    CALL(gs_stream_destroy(other));
}

static void limit_and_abort(engine_t *engine) {
    gs_stream_t stream = new_stream();
    channel_t *channel = NULL;
    int nothing = 0;
    atomic_int ran = 0;
    CALL(channel_open(engine, stream, &channel));
    CALL(channel_receive(channel, &nothing, sizeof nothing, g_rank, kUnansweredTag));
    CALL(gs_stream_launch_host(stream, set_flag, &ran));
    REQUIRE(channel_wait(channel, 20000000) == GS_ERROR_TIMEOUT && !atomic_load(&ran));
    channel_close(channel);
    CALL(gs_stream_synchronize(stream));
    REQUIRE(atomic_load(&ran) && nothing == 0);
    CALL(gs_stream_destroy(stream));
    if (g_rank == 0) printf("a receive without an answer ends by a limit and an abort\n");
}

int main(int count, char **arguments) {
    int provided = 0;
    const int rounds = count > 1 ? atoi(arguments[1]) : 100;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g_ranks);
    if (rounds < 1 || g_ranks < 2) {
        if (g_rank == 0)
            fprintf(stderr, "usage: mpirun -n N %s [ROUNDS], N at least 2, ROUNDS at least 1\n", arguments[0]);
        MPI_Finalize();
        return 2;
    }
    engine_t *engine = NULL;
    CALL(engine_start(MPI_COMM_WORLD, &engine));
    ring(engine, rounds);
    event_behind_a_receive(engine);
    limit_and_abort(engine);
    engine_stop(engine);
    MPI_Finalize();
    return 0;
}
