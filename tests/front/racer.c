/* SPDX-License-Identifier: Apache-2.0 */
/* Programs with a wait, or without it: racer PATTERN right|wrong. Undisturbed both compute the same, as the work is done at once; they end
   with code 1 if what they have computed is wrong. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 64, ROUNDS = 6 };

static CUstream one, two;
static CUevent event;
static unsigned char *host, *other;
static int waits;

static void must(CUresult code, const char *what) {
    if (code == CUDA_SUCCESS) return;
    printf("%s: %d\n", what, (int)code);
    exit(9);
}
#define MUST(call) must(call, #call)

static void start(void) {
    CUdevice device;
    CUcontext context;
    MUST(cuInit(0));
    MUST(cuDeviceGet(&device, 0));
    MUST(cuDevicePrimaryCtxRetain(&context, device));
    MUST(cuCtxSetCurrent(context));
    MUST(cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
    MUST(cuStreamCreate(&two, CU_STREAM_NON_BLOCKING));
    MUST(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    MUST(cuMemHostAlloc((void **)&host, BYTES, 0));
    MUST(cuMemHostAlloc((void **)&other, BYTES, 0));
    memset(host, 0, BYTES);
    memset(other, 0, BYTES);
}

/* What lies between is other work of the program. */
static void pass_time(void) {
    struct timespec rest = {0, 500000};
    nanosleep(&rest, NULL);
}

static void order(CUstream first, CUstream second) {
    MUST(cuEventRecord(event, first));
    if (waits) MUST(cuStreamWaitEvent(second, event, 0));
}

static void finish(void) {
    MUST(cuStreamSynchronize(one));
    MUST(cuStreamSynchronize(two));
}

/* One stream fills, the other copies. */
static int producer(void) {
    for (int round = 1; round <= ROUNDS; ++round) {
        MUST(cuMemsetD8Async((CUdeviceptr)host, (unsigned char)round, BYTES, one));
        order(one, two);
        pass_time();
        MUST(cuMemcpyAsync((CUdeviceptr)other, (CUdeviceptr)host, BYTES, two));
        finish();
        if (other[BYTES - 1] != round) return 1;
    }
    return 0;
}

/* Calls with a stream need no current context. */
static int unbound(void) {
    MUST(cuCtxSetCurrent(NULL));
    return producer();
}

/* One stream copies, the other fills what is copied, too early. */
static int consumer(void) {
    memset(host, 1, BYTES);
    MUST(cuMemcpyAsync((CUdeviceptr)other, (CUdeviceptr)host, BYTES, one));
    order(one, two);
    pass_time();
    MUST(cuMemsetD8Async((CUdeviceptr)host, 2, BYTES, two));
    finish();
    return other[BYTES - 1] == 1 ? 0 : 1;
}

/* The host writes what is being copied. */
static int pinned(void) {
    host[BYTES - 1] = 1;
    MUST(cuMemcpyAsync((CUdeviceptr)other, (CUdeviceptr)host, BYTES, one));
    if (waits) MUST(cuStreamSynchronize(one));
    pass_time();
    host[BYTES - 1] = 2;
    finish();
    return other[BYTES - 1] == 1 ? 0 : 1;
}

static void takes_time(void *unused) {
    (void)unused;
    pass_time();
}

/* A missing edge inside of a captured graph: work of the same chain, in two streams that are joined too late. */
static int graph(void) {
    CUgraph graph;
    CUgraphExec exec;
    MUST(cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_GLOBAL));
    MUST(cuEventRecord(event, one));
    MUST(cuStreamWaitEvent(two, event, 0));
    MUST(cuMemsetD8Async((CUdeviceptr)host, 3, BYTES, one));
    order(one, two);
    MUST(cuLaunchHostFunc(two, takes_time, NULL));
    MUST(cuMemcpyAsync((CUdeviceptr)other, (CUdeviceptr)host, BYTES, two));
    MUST(cuEventRecord(event, two));
    MUST(cuStreamWaitEvent(one, event, 0));
    MUST(cuStreamEndCapture(one, &graph));
    MUST(cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 0; i < 8; ++i) {
        memset(host, 0, BYTES);
        MUST(cuGraphLaunch(exec, one));
        finish();
        if (other[BYTES - 1] != 3) return 1;
    }
    return 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} patterns[] = {
    {"producer", producer}, {"unbound", unbound}, {"consumer", consumer}, {"pinned", pinned}, {"graph", graph}};

int main(int count, char **arguments) {
    if (count != 3) return 8;
    waits = strcmp(arguments[2], "right") == 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; ++i) {
        if (strcmp(patterns[i].name, arguments[1]) != 0) continue;
        start();
        return patterns[i].run();
    }
    return 8;
}
