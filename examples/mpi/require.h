// SPDX-License-Identifier: Apache-2.0
// Ends all ranks of an example when something is not as it must be.
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpustream.h"

static int g_rank, g_ranks;

static void require(int right, const char *what) {
    if (right) return;
    gs_error_info_t error = {.struct_size = sizeof error};
    gs_last_error(&error);
    fprintf(stderr, "rank %d: %s: %s\n", g_rank, what, error.message);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}
#define REQUIRE(condition) require((condition), #condition)
#define CALL(call) require((call) == GS_OK, #call)
