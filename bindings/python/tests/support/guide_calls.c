/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the functions of the C snippets, which test_guide_interop.py puts where it says so. Returns 0 if all is right. */
#include <gpustream.h>

#include "others.h"

/* SNIPPETS */

#define REQUIRE(condition)                                                                                             \
    if (!(condition)) return __LINE__

int guide_calls(void);
int guide_calls(void) {
    gs_stream_t stream = NULL, reader = NULL;
    uintptr_t raw = 0;
    REQUIRE(gs_stream_create(0, 0, 0, &stream) == GS_OK && gs_stream_create(0, 0, 0, &reader) == GS_OK);
    REQUIRE(gs_stream_native(stream, &raw) == GS_OK);

    struct {
        cudaStream_t stream;
    } blas = {NULL}, comm = {NULL};
    REQUIRE(gs_set_current_stream(stream) == GS_OK);
    REQUIRE(use_current_stream((cublasHandle_t)&blas) == CUBLAS_STATUS_SUCCESS && (uintptr_t)blas.stream == raw);
    float value = 1;
    REQUIRE(sum_over_ranks(&value, 1, (ncclComm_t)&comm, stream) == ncclSuccess && (uintptr_t)comm.stream == raw);

    struct ready ready = {NULL, 0};
    struct ArrowDeviceArray array = {0};
    int32_t done = 1;
    REQUIRE(wait_ready(&array, 0, reader) == GS_OK);
    REQUIRE(gs_stream_sleep(stream, 50000000) == GS_OK);
    REQUIRE(export_ready(&ready, stream, &array) == GS_OK && array.sync_event);
    REQUIRE(wait_ready(&array, 0, reader) == GS_OK);
    REQUIRE(gs_stream_query(reader, &done) == GS_OK);
    REQUIRE(gs_stream_synchronize(reader) == GS_OK);
    REQUIRE(gs_event_query(ready.event, &done) == GS_OK && done);
    REQUIRE(gs_event_destroy(ready.event) == GS_OK);

    gs_event_t fork = NULL, join = NULL;
    REQUIRE(gs_event_create(0, &fork) == GS_OK && gs_event_create(0, &join) == GS_OK);
    REQUIRE(beside(raw, reader, fork, join) == GS_OK);
    REQUIRE(gs_stream_synchronize(stream) == GS_OK);
    gs_event_destroy(fork), gs_event_destroy(join);
    gs_stream_destroy(stream), gs_stream_destroy(reader);
    return 0;
}
