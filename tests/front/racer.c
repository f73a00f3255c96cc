/* SPDX-License-Identifier: Apache-2.0 */
/* Programs with a wait, or without it: racer PATTERN right|wrong [streams]. Undisturbed both compute the same, as the work is done at once;
   they end with code 1 if what they have computed is wrong. The comments "earlier" and "later" stand in the lines of what races. */
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
static void pass_time(void) { nanosleep(&(struct timespec){0, 500000}, NULL); }

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
        MUST(cuMemsetD8Async((CUdeviceptr)host, (unsigned char)round, BYTES, one)); /* earlier */
        order(one, two);
        pass_time();
        MUST(cuMemcpyAsync((CUdeviceptr)other, (CUdeviceptr)host, BYTES, two)); /* later */
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
    MUST(cuMemcpyAsync((CUdeviceptr)other, (CUdeviceptr)host, BYTES, one)); /* earlier */
    order(one, two);
    pass_time();
    MUST(cuMemsetD8Async((CUdeviceptr)host, 2, BYTES, two)); /* later */
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

static CUgraphExec executable_of(CUstream captured) {
    CUgraph graph;
    CUgraphExec exec;
    MUST(cuStreamEndCapture(captured, &graph));
    MUST(cuGraphInstantiateWithFlags(&exec, graph, 0));
    return exec;
}

/* A missing edge inside of a captured graph: work of the same chain, in two streams that are joined too late. */
static int graph(void) {
    MUST(cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_GLOBAL));
    MUST(cuEventRecord(event, one));
    MUST(cuStreamWaitEvent(two, event, 0));
    MUST(cuMemsetD8Async((CUdeviceptr)host, 3, BYTES, one)); /* earlier */
    order(one, two);
    MUST(cuLaunchHostFunc(two, takes_time, NULL));
    MUST(cuMemcpyAsync((CUdeviceptr)other, (CUdeviceptr)host, BYTES, two)); /* later */
    MUST(cuEventRecord(event, two));
    MUST(cuStreamWaitEvent(one, event, 0));
    const CUgraphExec exec = executable_of(one);
    for (int i = 0; i < 8; ++i) {
        memset(host, 0, BYTES);
        MUST(cuGraphLaunch(exec, one));
        finish();
        if (other[BYTES - 1] != 3) return 1;
    }
    return 0;
}

/* From here on for the checker alone. In wrong programs the host passes the time instead of waiting: what is freed is no longer used. */
static void fill(CUstream stream, CUdeviceptr address) { MUST(cuMemsetD8Async(address, 1, BYTES, stream)); }
static void copy(CUstream stream, CUdeviceptr address) {
    MUST(cuMemcpyAsync((CUdeviceptr)other, address, BYTES, stream));
}

static CUdeviceptr allocated_in(CUstream stream) {
    CUdeviceptr address;
    MUST(cuMemAllocAsync(&address, BYTES, stream));
    return address;
}

/* Memory of a pool is freed while another stream reads it. */
static int freed(void) {
    const CUdeviceptr memory = allocated_in(one);
    finish();
    copy(two, memory); /* earlier */
    order(two, one);
    pass_time();
    MUST(cuMemFreeAsync(memory, one)); /* later */
    return 0;
}

/* The same by the call that waits for no work of a pool. */
static int freed_at_once(void) {
    const CUdeviceptr memory = allocated_in(one);
    finish();
    copy(one, memory); /* earlier */
    if (waits) finish();
    pass_time();
    MUST(cuMemFree(memory)); /* later */
    return 0;
}

static int used_too_early(void) {
    const CUdeviceptr memory = allocated_in(one); /* earlier */
    order(one, two);
    fill(two, memory); /* later */
    return 0;
}

/* A block changes its stream: by way of the driver's pool that is ordered, if not by the program. */
static int reused(void) {
    CUdeviceptr memory = allocated_in(one);
    fill(one, memory); /* earlier */
    if (waits) MUST(cuMemFreeAsync(memory, one)), memory = allocated_in(two);
    fill(two, memory); /* later */
    return 0;
}

/* A pinned buffer gets its next contents while a copy still reads it. */
static int refilled(void) {
    const CUdeviceptr memory = allocated_in(one);
    MUST(cuMemcpyAsync(memory, (CUdeviceptr)host, BYTES, one)); /* earlier */
    MUST(cuEventRecord(event, one));
    if (waits) MUST(cuEventSynchronize(event));
    MUST(cuMemcpyAsync((CUdeviceptr)host, (CUdeviceptr)other, BYTES, two)); /* later */
    return 0;
}

static int behind_default(CUstream first, CUstream ordered) {
    fill(first, (CUdeviceptr)host);                 /* earlier */
    copy(waits ? ordered : two, (CUdeviceptr)host); /* later */
    return 0;
}

/* Blocking streams are ordered with the default stream. */
static int default_stream(void) {
    CUstream blocking;
    MUST(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    return behind_default(CU_STREAM_LEGACY, blocking);
}

static int thread_stream(void) { return behind_default(CU_STREAM_PER_THREAD, CU_STREAM_LEGACY); }

static int copied_behind_event(void) {
    MUST(cuStreamWaitEvent(two, event, 0));
    copy(two, (CUdeviceptr)host); /* later */
    return 0;
}

static int recorded_too_early(void) {
    if (!waits) MUST(cuEventRecord(event, one));
    fill(one, (CUdeviceptr)host); /* earlier */
    if (waits) MUST(cuEventRecord(event, one));
    return copied_behind_event();
}

/* A wait is for the last record. */
static int recorded_again(void) {
    CUstream third;
    MUST(cuStreamCreate(&third, CU_STREAM_NON_BLOCKING));
    fill(one, (CUdeviceptr)host); /* earlier */
    MUST(cuEventRecord(event, one));
    if (waits) MUST(cuStreamWaitEvent(two, event, 0));
    MUST(cuEventRecord(event, third));
    return copied_behind_event();
}

static int never_recorded(void) {
    fill(one, (CUdeviceptr)host); /* earlier */
    if (waits) MUST(cuEventRecord(event, one));
    return copied_behind_event();
}

/* What a capture has recorded happens at the launch. */
static int launched(void) {
    MUST(cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_GLOBAL));
    fill(one, (CUdeviceptr)host); /* earlier */
    const CUgraphExec exec = executable_of(one);
    copy(two, (CUdeviceptr)host);
    MUST(cuStreamSynchronize(two));
    MUST(cuGraphLaunch(exec, one));
    order(one, two);
    copy(two, (CUdeviceptr)host); /* later */
    return 0;
}

/* A node waits for the event's record at the launch. */
static int awaited_in_a_graph(void) {
    MUST(cuStreamBeginCapture(two, CU_STREAM_CAPTURE_MODE_GLOBAL));
    MUST(cuStreamWaitEvent(two, event, CU_EVENT_WAIT_EXTERNAL));
    copy(two, (CUdeviceptr)host); /* later */
    const CUgraphExec exec = executable_of(two);
    fill(one, (CUdeviceptr)host); /* earlier */
    if (waits) MUST(cuEventRecord(event, one));
    MUST(cuGraphLaunch(exec, two));
    return 0;
}

/* All that shows the host that a stream is done. */
static int joined(void) {
    for (int how = 0; how < 6; ++how) {
        unsigned char pageable[BYTES];
        CUdeviceptr memory;
        MUST(cuMemAlloc(&memory, BYTES));
        fill(one, (CUdeviceptr)host); /* earlier */
        MUST(cuEventRecord(event, one));
        while (waits && how == 0 && cuStreamQuery(one) != CUDA_SUCCESS) pass_time();
        while (waits && how == 1 && cuEventQuery(event) != CUDA_SUCCESS) pass_time();
        if (waits && how == 2) MUST(cuCtxSynchronize());
        if (waits && how == 3) MUST(cuMemFree(memory));
        if (waits && how == 4) MUST(cuMemcpyAsync((CUdeviceptr)pageable, (CUdeviceptr)host, BYTES, one));
        if (waits && how == 5) MUST(cuLaunchHostFunc(one, takes_time, NULL)); /* which may tell the host */
        copy(two, (CUdeviceptr)host);                                         /* later */
        MUST(cuStreamSynchronize(two));
    }
    return 0;
}

#define PATTERNS(X)                                                                                                    \
    X(producer)                                                                                                        \
    X(unbound) X(consumer) X(pinned) X(graph) X(freed) X(freed_at_once) X(used_too_early) X(reused) X(refilled)        \
        X(default_stream) X(thread_stream) X(recorded_too_early) X(recorded_again) X(never_recorded) X(launched)       \
            X(awaited_in_a_graph) X(joined)
#define PATTERN(name) {#name, name},
static const struct {
    const char *name;
    int (*run)(void);
} patterns[] = {PATTERNS(PATTERN)};

int main(int count, char **arguments) {
    if (count < 3) return 8;
    waits = strcmp(arguments[2], "right") == 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; ++i) {
        if (strcmp(patterns[i].name, arguments[1]) != 0) continue;
        start();
        if (count > 3) printf("%p %p\n", (void *)one, (void *)two);
        const int code = patterns[i].run();
        return finish(), code;
    }
    return 8;
}
