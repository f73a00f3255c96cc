// SPDX-License-Identifier: Apache-2.0
// NCCL's all-reduce on gpustream's streams, overlapped with the work before and after it; and how one without an answer ends.
//   nccl_all_reduce one|two      two GPUs of one process, or of two processes
// Exit status 77: there is no NCCL, or there are fewer than two GPUs.
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rank.h"

enum { kRanks = 2, kSkip = 77 };
static const int64_t kLimitNs = 60000000000, kShortNs = 300000000;

static uint64_t host_waits(void) {
    gs_stats_t stats = {.struct_size = sizeof stats};
    CALL(gs_get_stats(&stats));
    return stats.synchronizes;
}

static void require_nccl(int result, const char *what) { require(result == kNcclSuccess, what, result); }

// The ranks of this process do all chunks; a queue says when their copies are done.
static void overlapped(rank_t *ranks, int count, const nccl_t *nccl, gs_queue_t queue) {
    const uint64_t waits = host_waits();
    for (int chunk = 0; chunk < kChunks; ++chunk) {
        for (int i = 0; i < count; ++i) rank_fill(&ranks[i], chunk);
        require_nccl(nccl->group_start(), "ncclGroupStart"); // one thread has several ranks
        for (int i = 0; i < count; ++i) rank_sum(&ranks[i], nccl, chunk);
        require_nccl(nccl->group_end(), "ncclGroupEnd");
        for (int i = 0; i < count; ++i) rank_copy(&ranks[i], chunk);
    }
    for (int i = 0; i < count; ++i) CALL(gs_queue_add_stream(queue, ranks[i].copy, (uint64_t)i));
    REQUIRE(host_waits() == waits);
    for (int done = 0; done < count;) {
        gs_completion_t entries[kRanks];
        size_t taken = 0;
        CALL(gs_queue_wait(queue, entries, kRanks, kLimitNs, &taken));
        for (size_t i = 0; i < taken; ++i, ++done) {
            REQUIRE(entries[i].status == GS_OK);
            REQUIRE(rank_is_right(&ranks[entries[i].token], kRanks));
        }
    }
}

// Rank 0 sums without the others: the queue's wait ends by its limit, and aborting the communicator ends the stream's work.
static void without_an_answer(rank_t *rank, const nccl_t *nccl, gs_queue_t queue) {
    gs_completion_t entry;
    size_t taken = 0;
    rank_sum(rank, nccl, 0);
    CALL(gs_queue_add_stream(queue, rank->sum, 0));
    REQUIRE(gs_queue_wait(queue, &entry, 1, kShortNs, &taken) == GS_ERROR_TIMEOUT);
    require_nccl(nccl->comm_abort(rank->comm), "ncclCommAbort");
    rank->comm = NULL;
    CALL(gs_queue_wait(queue, &entry, 1, kLimitNs, &taken));
    REQUIRE(taken == 1);
    printf("an all-reduce without an answer ends by a limit and an abort\n");
}

// until: a pipe whose other end is closed when no rank needs this one any more; -1: all ranks are in this process.
static void run(rank_t *ranks, int count, const nccl_t *nccl, int until) {
    char nothing;
    gs_queue_t queue = NULL;
    CALL(gs_queue_create(16, 0, &queue));
    overlapped(ranks, count, nccl, queue);
    if (ranks[0].number == 0) {
        printf("%d chunks summed over %d ranks, no wait on the host\n", kChunks, kRanks);
        without_an_answer(&ranks[0], nccl, queue);
    }
    if (until >= 0) REQUIRE(read(until, &nothing, 1) == 0);
    for (int i = 0; i < count; ++i) {
        // A communicator that lost its peer cannot be destroyed in agreement with it.
        if (ranks[i].comm) require_nccl(nccl->comm_abort(ranks[i].comm), "ncclCommAbort");
        rank_close(&ranks[i]);
    }
    CALL(gs_queue_destroy(queue));
}

static int gpus(void) {
    int32_t count = 0;
    return gs_init() == GS_OK && gs_device_count(GS_BACKEND_CUDA, &count) == GS_OK ? count : 0;
}

static int one_process(const nccl_t *nccl) {
    rank_t ranks[kRanks];
    nccl_comm_t comms[kRanks];
    const int devices[kRanks] = {0, 1};
    if (gpus() < kRanks) return kSkip;
    require_nccl(nccl->comm_init_all(comms, kRanks, devices), "ncclCommInitAll");
    for (int i = 0; i < kRanks; ++i) {
        rank_open(&ranks[i], i, GS_DEVICE(GS_BACKEND_CUDA, i));
        ranks[i].comm = comms[i];
    }
    run(ranks, kRanks, nccl, -1);
    return 0;
}

static int rank_process(int number, const nccl_t *nccl, int in, int out) {
    nccl_id_t id;
    rank_t rank;
    if (gpus() < kRanks) return kSkip;
    const gs_device_t device = GS_DEVICE(GS_BACKEND_CUDA, number);
    rank_open(&rank, number, device);
    CALL(gs_set_current_device(device)); // NCCL goes by the driver's current context, which has to exist by then
    if (number == 0) {
        require_nccl(nccl->get_unique_id(&id), "ncclGetUniqueId");
        REQUIRE(write(out, &id, sizeof id) == sizeof id);
    } else {
        REQUIRE(read(in, &id, sizeof id) == sizeof id);
    }
    require_nccl(nccl->comm_init_rank(&rank.comm, kRanks, id, number), "ncclCommInitRank");
    run(&rank, 1, nccl, in);
    return 0;
}

// Neither process has called CUDA before the fork.
static int two_processes(const nccl_t *nccl) {
    int ends[2], status = 0;
    REQUIRE(pipe(ends) == 0);
    fflush(stdout);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        close(ends[1]); // so that the read ends if the other process does
        _exit(rank_process(1, nccl, ends[0], -1));
    }
    const int own = rank_process(0, nccl, -1, ends[1]);
    close(ends[1]);
    REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return own ? own : WEXITSTATUS(status);
}

int main(int count, char **arguments) {
    nccl_t nccl;
    int version = 0, result = kSkip;
    if (count != 2 || (strcmp(arguments[1], "one") != 0 && strcmp(arguments[1], "two") != 0)) {
        fprintf(stderr, "usage: %s one|two\n", arguments[0]);
        return 2;
    }
    if (!nccl_load(&nccl)) return kSkip;
    require_nccl(nccl.get_version(&version), "ncclGetVersion");
    printf("NCCL %d.%d.%d\n", version / 10000, version / 100 % 100, version % 100);
    result = strcmp(arguments[1], "one") == 0 ? one_process(&nccl) : two_processes(&nccl);
    if (result == kSkip) printf("no two GPUs\n");
    return result;
}
