/* SPDX-License-Identifier: Apache-2.0 */
/* Small programs of the driver's API, written without gpustream: front_user NAME [ARGUMENT]. */
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(CUresult code, int line, const char *what) {
    if (code == CUDA_SUCCESS) return;
    printf("line %d: %s returned %d\n", line, what, (int)code);
    exit(3);
}
#define MUST(call) must(call, __LINE__, #call)
#define HOLDS(condition) must((condition) ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN, __LINE__, #condition)

static CUstream one, two;
static CUevent event;
static CUdeviceptr memory;
static int ordinal;
enum { BYTES = 1000 };

static void start(void) {
    CUdevice device;
    CUcontext context;
    MUST(cuInit(0));
    MUST(cuDeviceGet(&device, ordinal));
    MUST(cuDevicePrimaryCtxRetain(&context, device));
    MUST(cuCtxSetCurrent(context));
    MUST(cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
    MUST(cuStreamCreateWithPriority(&two, CU_STREAM_NON_BLOCKING, 0));
    MUST(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    MUST(cuMemAlloc(&memory, BYTES));
}

static void end(void) {
    MUST(cuMemFree(memory));
    MUST(cuEventDestroy(event));
    MUST(cuStreamDestroy(one));
    MUST(cuStreamDestroy(two));
}

static void round_of_work(void) {
    MUST(cuMemsetD8Async(memory, 1, BYTES, one));
    MUST(cuEventRecord(event, one));
    MUST(cuStreamWaitEvent(two, event, 0));
}

static int work(const char *rounds) {
    start();
    for (int i = 0; i < atoi(rounds); ++i) round_of_work();
    MUST(cuStreamSynchronize(two));
    end();
    return 0;
}

/* The streams of the first one live on: no address is used again. */
static int devices(const char *rounds) {
    start();
    round_of_work();
    ordinal = 1;
    return work(rounds);
}

static void *records(void *own) {
    for (int i = 0; i < 1000; ++i) MUST(cuEventRecord(own, one));
    return NULL;
}

static int threads(const char *count) {
    pthread_t all[16];
    CUevent events[16];
    const int threads = atoi(count);
    start();
    for (int i = 0; i < threads; ++i) MUST(cuEventCreate(&events[i], CU_EVENT_DISABLE_TIMING));
    for (int i = 0; i < threads; ++i) pthread_create(&all[i], NULL, records, events[i]);
    for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
    for (int i = 0; i < threads; ++i) MUST(cuEventDestroy(events[i]));
    end();
    return 0;
}

/* Names that the stand-in does not implement: each call must arrive there and return what it does. */
static int forwards(const char *path) {
    char name[128];
    int wrong = 0, called = 0;
    FILE *names = fopen(path, "r");
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    HOLDS(names && driver && driver == dlopen("libcuda.so", RTLD_NOW));
    while (fscanf(names, "%127s", name) == 1) {
        CUresult (*function)(void) = NULL;
        *(void **)&function = dlsym(driver, name);
        const int code = function ? (int)function() : -1;
        if (code != CUDA_ERROR_NOT_SUPPORTED) printf("%s: %d\n", name, code);
        wrong += code != CUDA_ERROR_NOT_SUPPORTED;
        ++called;
    }
    fclose(names);
    printf("%d called, %d wrong\n", called, wrong);
    return wrong != 0;
}

static int capture(const char *unused) {
    (void)unused;
    CUgraph graph;
    CUgraphExec exec;
    size_t nodes = 0;
    start();
    MUST(cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_GLOBAL));
    round_of_work();
    MUST(cuMemsetD8Async(memory, 2, BYTES, two));
    MUST(cuEventRecord(event, two));
    MUST(cuStreamWaitEvent(one, event, 0));
    MUST(cuStreamEndCapture(one, &graph));
    MUST(cuGraphGetNodes(graph, NULL, &nodes));
    printf("%zu nodes\n", nodes);
    MUST(cuGraphInstantiateWithFlags(&exec, graph, 0));
    MUST(cuGraphLaunch(exec, one));
    MUST(cuStreamSynchronize(one));
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphDestroy(graph));
    end();
    return 0;
}

/* A node of an executable gets other memory, so that another stream may use the first. */
static int changed(const char *unused) {
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode node;
    CUcontext context;
    size_t nodes = 1;
    CUDA_MEMSET_NODE_PARAMS fill = {.elementSize = 1, .width = BYTES, .height = 1};
    (void)unused;
    start();
    MUST(cuMemAlloc(&fill.dst, BYTES));
    MUST(cuCtxGetCurrent(&context));
    MUST(cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_GLOBAL));
    MUST(cuMemsetD8Async(memory, 2, BYTES, one));
    MUST(cuStreamEndCapture(one, &graph));
    MUST(cuGraphGetNodes(graph, &node, &nodes));
    MUST(cuGraphInstantiateWithFlags(&exec, graph, 0));
    MUST(cuGraphExecMemsetNodeSetParams(exec, node, &fill, context));
    MUST(cuGraphLaunch(exec, one));
    MUST(cuMemsetD8Async(memory, 1, BYTES, two));
    MUST(cuMemFree(fill.dst));
    end();
    return 0;
}

static void *synchronizes(void *unused) {
    (void)unused;
    printf("refused: %d\n", (int)cuStreamSynchronize(one));
    return NULL;
}

static int broken(const char *unused) {
    pthread_t other;
    CUgraph graph;
    (void)unused;
    start();
    MUST(cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_GLOBAL));
    pthread_create(&other, NULL, synchronizes, NULL);
    pthread_join(other, NULL);
    printf("ended: %d\n", (int)cuStreamEndCapture(one, &graph));
    return 0;
}

/* Until it is killed. */
static int hang(const char *unused) {
    static unsigned word[1024];
    CUdeviceptr address;
    (void)unused;
    start();
    MUST(cuMemHostRegister(word, sizeof word, 0));
    MUST(cuMemHostGetDevicePointer(&address, word, 0));
    MUST(cuStreamWaitValue32(one, address, 1, CU_STREAM_WAIT_VALUE_EQ));
    MUST(cuEventRecord(event, one));
    MUST(cuStreamWaitEvent(two, event, 0));
    printf("waiting\n");
    fflush(stdout);
    MUST(cuStreamSynchronize(two));
    return 0;
}

/* One stream fills a word, then each adds one by a kernel. If the fill comes late, one is missing. */
static int kernel(const char *how) {
    static const char text[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
                               ".visible .entry add_one(.param .u64 word) { ret; }\n";
    const int is_right = strcmp(how, "right") == 0;
    CUmodule module;
    CUfunction function;
    void *arguments[] = {&memory};
    uint32_t word;
    start();
    MUST(cuModuleLoadData(&module, text));
    MUST(cuModuleGetFunction(&function, module, "add_one"));
    MUST(cuMemsetD8Async(memory, 0, BYTES, one));
    MUST(cuEventRecord(event, one));
    if (is_right) MUST(cuStreamWaitEvent(two, event, 0));
    usleep(500); /* other work of the program */
    MUST(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, two, arguments, NULL));
    if (is_right) MUST(cuStreamSynchronize(two));
    usleep(500);
    MUST(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, one, arguments, NULL)); /* which both may only read */
    MUST(cuStreamSynchronize(two));
    MUST(cuStreamSynchronize(one));
    MUST(cuMemcpyDtoH(&word, memory, sizeof word));
    end();
    return word == 1; /* 0 where the driver runs no kernels */
}

static int leak(const char *unused) {
    (void)unused;
    start();
    MUST(cuStreamDestroy(one));
    return 0;
}

static int forks(const char *self) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        work("1"); /* the parent has not started the driver */
        execl(self, self, "work", "2", NULL);
        _exit(5);
    }
    HOLDS(waitpid(child, &status, 0) == child && status == 0);
    start();
    HOLDS(fork() != 0 || (_exit(cuStreamQuery(one) != CUDA_SUCCESS ? 0 : 6), 0)); /* the driver refuses a late child */
    HOLDS(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    round_of_work();
    MUST(cuStreamSynchronize(two));
    end();
    return 0;
}

/* Functions that other_driver.c exports or only answers for, in the two ways to find them. */
static int versions(const char *unused) {
    (void)unused;
    typedef CUresult (*Ask)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);
    typedef CUresult (*AskOld)(const char *, void **, int, cuuint64_t);
    typedef int (*Record)(uintptr_t, uintptr_t);
    typedef int (*Batch)(void *, void *, void *, size_t, void *, void *, size_t, uintptr_t, uintptr_t);
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *found = NULL;
    CUdriverProcAddressQueryResult why;
    Ask ask = NULL;
    *(void **)&ask = dlsym(driver, "cuGetProcAddress_v2");
    MUST(ask("cuGetProcAddress", &found, 12000, 0, &why));
    HOLDS(found == (void *)ask);
    MUST(ask("cuGetProcAddress", &found, 11030, 0, &why));
    HOLDS(found == dlsym(driver, "cuGetProcAddress") || found != (void *)ask);
    AskOld old = (AskOld)found;
    MUST(old("cuEventRecord", &found, 2000, 1));
    HOLDS(((Record)found)(1, 2) == 12);
    MUST(ask("cuEventRecord", &found, 12000, 2, &why));
    HOLDS(((Record)found)(1, 2) == 212);
    Record twin = NULL;
    *(void **)&twin = dlsym(driver, "cuEventRecord_ptsz");
    HOLDS(twin(3, 4) == 234);
    MUST(ask("cuMemcpyBatchAsync", &found, 12080, 1, &why));
    HOLDS(((Batch)found)(0, 0, 0, 0, 0, 0, 0, 7, 8) == 8);
    MUST(ask("cuLaterThan", &found, 13000, 1, &why)); /* no header knows it */
    HOLDS(((Record)found)(5, 6) == 956);
    HOLDS(ask("cuNothing", &found, 13000, 1, &why) != CUDA_SUCCESS);
    return 0;
}

static int leaves(const char *how) {
    start();
    round_of_work();
    if (strcmp(how, "_exit") == 0) _exit(0);
    if (strcmp(how, "thread") == 0) pthread_exit(NULL);
    if (strcmp(how, "signal") == 0) raise(9);
    exit(9);
}

static int nothing(const char *unused) {
    (void)unused;
    return 0;
}

static const struct {
    const char *name;
    int (*main)(const char *);
} programs[] = {{"work", work},       {"devices", devices}, {"threads", threads}, {"forwards", forwards},
                {"capture", capture}, {"broken", broken},   {"hang", hang},       {"leak", leak},
                {"kernel", kernel},   {"changed", changed}, {"forks", forks},     {"versions", versions},
                {"leaves", leaves},   {"nothing", nothing}};

int main(int count, char **arguments) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; count > 1 && i < sizeof programs / sizeof *programs; ++i)
        if (strcmp(programs[i].name, arguments[1]) == 0) return programs[i].main(count > 2 ? arguments[2] : "");
    return 2;
}
