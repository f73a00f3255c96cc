// SPDX-License-Identifier: Apache-2.0
#include "rank.h"

#include <stdio.h>
#include <stdlib.h>

void require(int right, const char *what, int number) {
    if (right) return;
    gs_error_info_t error = {.struct_size = sizeof error};
    gs_last_error(&error);
    fprintf(stderr, "%s (%d): %s\n", what, number, error.message);
    exit(1);
}

static int value_of(int rank, int chunk) { return 3 * rank + chunk + 1; }

static char *place_of(const rank_t *rank, int chunk) { return (char *)rank->memory + (size_t)chunk * kChunkBytes; }

void rank_open(rank_t *rank, int number, gs_device_t device) {
    rank->number = number;
    CALL(gs_stream_create(device, 0, 0, &rank->fill));
    CALL(gs_stream_create(device, 0, 0, &rank->sum));
    CALL(gs_stream_create(device, 0, 0, &rank->copy));
    CALL(gs_stream_native(rank->sum, &rank->sum_native));
    CALL(gs_event_create(0, &rank->filled));
    CALL(gs_event_create(0, &rank->summed));
    CALL(gs_malloc_async((size_t)kChunks * kChunkBytes, rank->fill, &rank->memory));
    void *result = NULL;
    CALL(gs_malloc_host((size_t)kChunks * kChunkBytes, &result));
    rank->result = result;
}

void rank_close(rank_t *rank) {
    CALL(gs_free_async(rank->memory, rank->copy));
    CALL(gs_free_host(rank->result));
    CALL(gs_event_destroy(rank->filled));
    CALL(gs_event_destroy(rank->summed));
    CALL(gs_stream_destroy(rank->fill));
    CALL(gs_stream_destroy(rank->sum));
    CALL(gs_stream_destroy(rank->copy));
}

void rank_fill(rank_t *rank, int chunk) {
    CALL(gs_memset_async(place_of(rank, chunk), value_of(rank->number, chunk), kChunkBytes, rank->fill));
    CALL(gs_event_record(rank->filled,
                         rank->fill)); // a wait keeps to the record that it saw: one event serves all chunks
    CALL(gs_stream_wait_event(rank->sum, rank->filled));
}

void rank_sum(rank_t *rank, const nccl_t *nccl, int chunk) {
    char *place = place_of(rank, chunk);
    const int result = nccl->all_reduce(place, place, kChunkBytes / sizeof(int32_t), kNcclInt32, kNcclSum, rank->comm,
                                        (void *)rank->sum_native);
    require(result == kNcclSuccess, "ncclAllReduce", result);
}

void rank_copy(rank_t *rank, int chunk) {
    CALL(gs_event_record(rank->summed, rank->sum));
    CALL(gs_stream_wait_event(rank->copy, rank->summed));
    CALL(gs_memcpy_async((char *)rank->result + (size_t)chunk * kChunkBytes, place_of(rank, chunk), kChunkBytes,
                         rank->copy));
}

int rank_is_right(const rank_t *rank, int ranks) {
    const size_t count = kChunkBytes / sizeof(int32_t);
    for (int chunk = 0; chunk < kChunks; ++chunk) {
        int32_t sum = 0;
        for (int each = 0; each < ranks; ++each) sum += value_of(each, chunk) * 0x01010101;
        for (size_t i = 0; i < count; ++i)
            if (rank->result[(size_t)chunk * count + i] != sum) return 0;
    }
    return 1;
}
