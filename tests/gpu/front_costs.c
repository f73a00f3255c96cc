/* SPDX-License-Identifier: Apache-2.0 */
/* Nanoseconds that the front of `gpustream run` adds to calls: the real driver's function and the front's in one process, in turn. Prints for each
   call the least of both, and the median of the differences. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 201 };

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void must(CUresult code) {
    if (code == CUDA_SUCCESS) return;
    fprintf(stderr, "a call of the driver returned %d\n", (int)code);
    exit(9);
}

static int by_size(const void *one, const void *other) {
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static void *real, *front;

/* The call's text names its function `function`, of the type of `name`. */
#define MEASURE(name, count, call, after)                                                                              \
    do {                                                                                                               \
        static double differences[ROUNDS];                                                                             \
        double best[2] = {1e18, 1e18};                                                                                 \
        for (int round = 0; round < ROUNDS; ++round) {                                                                 \
            double took[2];                                                                                            \
            for (int turn = 0; turn < 2; ++turn) {                                                                     \
                const int which = (turn + round) % 2;                                                                  \
                __typeof__(&name) function;                                                                            \
                *(void **)&function = dlsym(which ? front : real, #name);                                              \
                const double began = now_ns();                                                                         \
                for (int i = 0; i < (count); ++i) must(call);                                                          \
                took[which] = (now_ns() - began) / (count);                                                            \
                must(after);                                                                                           \
                if (took[which] < best[which]) best[which] = took[which];                                              \
            }                                                                                                          \
            differences[round] = took[1] - took[0];                                                                    \
        }                                                                                                              \
        qsort(differences, ROUNDS, sizeof *differences, by_size);                                                      \
        printf("%s %.1f %.1f %.1f\n", #name, best[0], best[1], differences[ROUNDS / 2]);                               \
    } while (0)

int main(void) {
    CUdevice device;
    CUcontext context, current;
    CUstream stream, other;
    CUevent event;
    int version;
    char *path = strstr(getenv("GPUSTREAM_RUN"), "driver=") + 7;
    path = strndup(path, strcspn(path, ";"));
    real = dlopen(path, RTLD_NOW);
    front = dlopen("libcuda.so.1", RTLD_NOW);
    must(cuInit(0));
    must(cuDeviceGet(&device, 0));
    must(cuDevicePrimaryCtxRetain(&context, device));
    must(cuCtxSetCurrent(context));
    must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    must(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    must(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    must(cuEventRecord(event, stream));
    must(cuStreamSynchronize(stream));
    MEASURE(cuDriverGetVersion, 20000, function(&version), CUDA_SUCCESS);
    MEASURE(cuCtxGetCurrent, 20000, function(&current), CUDA_SUCCESS);
    MEASURE(cuEventQuery, 2000, function(event), CUDA_SUCCESS);
    MEASURE(cuEventRecord, 500, function(event, stream), cuStreamSynchronize(stream));
    MEASURE(cuStreamWaitEvent, 500, function(other, event, 0), cuStreamSynchronize(other));
    return 0;
}
