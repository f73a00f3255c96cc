// SPDX-License-Identifier: Apache-2.0
// NCCL's functions that the example calls, found when it runs. So it is built without NCCL and without a CUDA toolkit, which
// nccl.h includes; a program that has both includes that and links NCCL.
#pragma once

#include <stddef.h>

typedef struct ncclComm *nccl_comm_t;
typedef struct {
    char bytes[128];
} nccl_id_t;

enum { kNcclSuccess = 0, kNcclInt32 = 2, kNcclSum = 0 };

typedef struct {
    int (*get_version)(int *version);
    int (*get_unique_id)(nccl_id_t *id);
    int (*comm_init_rank)(nccl_comm_t *comm, int ranks, nccl_id_t id, int rank);
    int (*comm_init_all)(nccl_comm_t *comms, int count, const int *devices);
    int (*comm_destroy)(nccl_comm_t comm);
    int (*comm_abort)(nccl_comm_t comm);
    int (*group_start)(void);
    int (*group_end)(void);
    int (*all_reduce)(const void *source, void *result, size_t count, int type, int operation, nccl_comm_t comm,
                      void *stream);
} nccl_t;

// NCCL of NCCL_LIBRARY, or libnccl.so.2 where the loader finds it. Returns 0 and prints why if there is none.
int nccl_load(nccl_t *nccl);
