// SPDX-License-Identifier: Apache-2.0
// One rank: a GPU with three streams. Its memory is filled chunk by chunk; each chunk is summed over the ranks while the
// next one is filled, and copied to the host while the next one is summed. Only events order the streams.
#pragma once

#include <stdint.h>

#include "gpustream.h"
#include "nccl_calls.h"

enum { kChunks = 16, kChunkBytes = 1 << 20 };

typedef struct {
    int number;
    gs_stream_t fill, sum, copy;
    gs_event_t filled, summed;
    uintptr_t sum_native; // the raw cudaStream_t for NCCL
    nccl_comm_t comm;
    void *memory;    // of the GPU: all chunks
    int32_t *result; // of the host
} rank_t;

// On the device of the rank's number, or of device 0 if there is one device for each process.
void rank_open(rank_t *rank, int number, gs_device_t device);
void rank_close(rank_t *rank);

// Submits the filling of a chunk, and makes the stream of the sum wait for it. Does not block, as all that follows.
void rank_fill(rank_t *rank, int chunk);
// Submits the sum of a chunk to NCCL.
void rank_sum(rank_t *rank, const nccl_t *nccl, int chunk);
// Submits the copy of a chunk behind its sum.
void rank_copy(rank_t *rank, int chunk);
// Whether the result, which must be complete, is the sum over all ranks.
int rank_is_right(const rank_t *rank, int ranks);

// Ends the program with the failed call.
void require(int right, const char *what, int number);
#define REQUIRE(condition) require((condition), #condition, -1)
#define CALL(call) require((call) == GS_OK, #call, -1)
