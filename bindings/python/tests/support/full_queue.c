// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 in front of another one (FULL_QUEUE_DRIVER) whose queue can be full: calls that submit something then
// wait for room, as a driver's do. The functions come from the driver behind, except for those that wait.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uintptr_t word;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full, waiting;

static void *driver(const char *symbol) {
    static void *library;
    if (!library) library = dlopen(getenv("FULL_QUEUE_DRIVER"), RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, symbol) : NULL;
}

void full_queue_set(int yes) {
    pthread_mutex_lock(&mutex);
    full = yes;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

int full_queue_waiting(void) {
    pthread_mutex_lock(&mutex);
    const int threads = waiting;
    pthread_mutex_unlock(&mutex);
    return threads;
}

static void wait_for_room(void) {
    pthread_mutex_lock(&mutex);
    ++waiting;
    while (full) pthread_cond_wait(&changed, &mutex);
    --waiting;
    pthread_mutex_unlock(&mutex);
}

#define SUBMITS(name, parameters, arguments)                                                                           \
    static int(*behind_##name) parameters;                                                                             \
    static int name parameters {                                                                                       \
        wait_for_room();                                                                                               \
        return behind_##name arguments;                                                                                \
    }
SUBMITS(cuInit, (unsigned flags), (flags)) // as slow as it is held
SUBMITS(cuEventRecord, (word e, word s), (e, s))
SUBMITS(cuEventQuery, (word e), (e))
SUBMITS(cuEventElapsedTime, (word out, word start, word end), (out, start, end))
SUBMITS(cuStreamWaitEvent, (word s, word e, unsigned flags), (s, e, flags))
SUBMITS(cuStreamQuery, (word s), (s))
SUBMITS(cuLaunchHostFunc, (word s, word f, word a), (s, f, a))
SUBMITS(cuMemcpyAsync, (word d, word f, word n, word s), (d, f, n, s)) // of pageable memory: with the stream's work
SUBMITS(cuMemsetD8Async, (word p, unsigned char v, word n, word s), (p, v, n, s))
SUBMITS(cuMemAllocAsync, (word p, word n, word s), (p, n, s))
SUBMITS(cuMemFreeAsync, (word p, word s), (p, s))
SUBMITS(cuGraphCreate, (word out, unsigned flags), (out, flags))
SUBMITS(cuModuleLoadDataEx, (word out, word image, unsigned n, word o, word v), (out, image, n, o, v))
SUBMITS(cuLaunchKernel,
        (word f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g, unsigned m, word s, word p,
         word x),
        (f, a, b, c, d, e, g, m, s, p, x))

int cuDriverGetVersion(int *version) {
    int (*behind)(int *);
    void *address = driver("cuDriverGetVersion");
    if (!address) return 500;
    memcpy(&behind, &address, sizeof behind);
    return behind(version);
}

#define REPLACE(name)                                                                                                  \
    if (*found && strcmp(symbol, #name) == 0) {                                                                        \
        memcpy(&behind_##name, found, sizeof *found);                                                                  \
        *found = (void *)name;                                                                                         \
    }

int cuGetProcAddress_v2(const char *symbol, void **found, int version, uint64_t flags, int *status) {
    int (*lookup)(const char *, void **, int, uint64_t, int *);
    void *address = driver("cuGetProcAddress_v2");
    if (!address) return 500;
    memcpy(&lookup, &address, sizeof lookup);
    const int result = lookup(symbol, found, version, flags, status);
    if (result != 0 || !found) return result;
    REPLACE(cuInit)
    REPLACE(cuEventRecord)
    REPLACE(cuEventQuery)
    REPLACE(cuEventElapsedTime)
    REPLACE(cuStreamWaitEvent)
    REPLACE(cuStreamQuery)
    REPLACE(cuLaunchHostFunc)
    REPLACE(cuMemcpyAsync)
    REPLACE(cuMemsetD8Async)
    REPLACE(cuMemAllocAsync)
    REPLACE(cuMemFreeAsync)
    REPLACE(cuGraphCreate)
    REPLACE(cuModuleLoadDataEx)
    REPLACE(cuLaunchKernel)
    return result;
}
