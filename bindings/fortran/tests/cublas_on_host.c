/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of cuBLAS that examples/blas calls, for the host backend: they get a raw stream and put work into it, as cuBLAS
   does. Statuses are cuBLAS's: 0, 3 for memory, 7 for an invalid value, 13 for a failure. */
#include <gpustream.h>
#include <stdlib.h>

struct handle {
    gs_stream_t stream;
};

struct work {
    int n, incx, incy;
    double alpha;
    const double *x;
    double *y;
};

int cublasCreate_v2(struct handle **out);
int cublasDestroy_v2(struct handle *handle);
int cublasSetStream_v2(struct handle *handle, void *stream);
int cublasDaxpy_v2(struct handle *handle, int n, const double *alpha, const double *x, int incx, double *y, int incy);

int cublasCreate_v2(struct handle **out) {
    *out = calloc(1, sizeof **out);
    return *out ? 0 : 3;
}

int cublasDestroy_v2(struct handle *handle) {
    const gs_status_t status = handle->stream ? gs_stream_destroy(handle->stream) : GS_OK;
    free(handle);
    return status == GS_OK ? 0 : 13;
}

int cublasSetStream_v2(struct handle *handle, void *stream) {
    if (handle->stream && gs_stream_destroy(handle->stream) != GS_OK) return 13;
    return gs_stream_from_native(GS_DEVICE_CURRENT, (uintptr_t)stream, &handle->stream) == GS_OK ? 0 : 7;
}

static void axpy(void *argument) {
    struct work *work = argument;
    for (int i = 0; i < work->n; ++i) work->y[i * work->incy] += work->alpha * work->x[i * work->incx];
    free(work);
}

int cublasDaxpy_v2(struct handle *handle, int n, const double *alpha, const double *x, int incx, double *y, int incy) {
    struct work *work;
    if (!handle->stream) return 7;
    work = malloc(sizeof *work);
    if (!work) return 3;
    *work = (struct work){n, incx, incy, *alpha, x, y};
    if (gs_stream_launch_host(handle->stream, axpy, work) == GS_OK) return 0;
    free(work);
    return 13;
}
