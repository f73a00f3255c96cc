/* SPDX-License-Identifier: Apache-2.0 */
/* As much of NCCL as examples/nccl calls: two ranks of one process, sums of 32-bit numbers, aborts. The sum is a host
 * function in each rank's stream; the last one that begins adds, and all wait for it. Memory is the fake driver's: the host's. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { SUCCESS = 0, INVALID_ARGUMENT = 4, INT32 = 2, SUM = 0, RANKS = 2 };

typedef struct world {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int arrived, rounds, aborted;
    int32_t *memory[RANKS];
} world_t;

typedef struct ncclComm {
    world_t *world;
    int rank;
} comm_t;

typedef struct {
    comm_t *comm;
    int32_t *memory;
    size_t count;
} operation_t;

#define EXPORT __attribute__((visibility("default")))

static void sum(const world_t *world, size_t count) {
    for (size_t i = 0; i < count; ++i)
        world->memory[0][i] = world->memory[1][i] = world->memory[0][i] + world->memory[1][i];
}

static void meet(void *argument) {
    operation_t *operation = argument;
    world_t *world = operation->comm->world;
    pthread_mutex_lock(&world->mutex);
    const int round = world->rounds;
    world->memory[operation->comm->rank] = operation->memory;
    if (++world->arrived == RANKS) {
        sum(world, operation->count);
        world->arrived = 0;
        ++world->rounds;
        pthread_cond_broadcast(&world->changed);
    }
    while (world->rounds == round && !world->aborted) pthread_cond_wait(&world->changed, &world->mutex);
    pthread_mutex_unlock(&world->mutex);
    free(operation);
}

EXPORT int ncclGetVersion(int *version) {
    *version = 20000;
    return SUCCESS;
}

/* Not for ranks of several processes. */
EXPORT int ncclGetUniqueId(void *id) {
    (void)id;
    return INVALID_ARGUMENT;
}

EXPORT int ncclCommInitRank(comm_t **comm) {
    *comm = NULL;
    return INVALID_ARGUMENT;
}

EXPORT int ncclCommInitAll(comm_t **comms, int count, const int *devices) {
    if (count != RANKS || !devices) return INVALID_ARGUMENT;
    world_t *world = calloc(1, sizeof *world);
    pthread_mutex_init(&world->mutex, NULL);
    pthread_cond_init(&world->changed, NULL);
    for (int rank = 0; rank < count; ++rank) {
        comms[rank] = malloc(sizeof(comm_t));
        *comms[rank] = (comm_t){world, rank};
    }
    return SUCCESS;
}

/* The world stays: a host function of it may still run. */
EXPORT int ncclCommAbort(comm_t *comm) {
    pthread_mutex_lock(&comm->world->mutex);
    comm->world->aborted = 1;
    pthread_cond_broadcast(&comm->world->changed);
    pthread_mutex_unlock(&comm->world->mutex);
    return SUCCESS;
}

EXPORT int ncclCommDestroy(comm_t *comm) { return ncclCommAbort(comm); }
EXPORT int ncclGroupStart(void) { return SUCCESS; }
EXPORT int ncclGroupEnd(void) { return SUCCESS; }

/* By the driver that the process has loaded. */
static int launch_host(void *stream, void (*function)(void *), void *argument) {
    void *driver = dlopen(getenv("GPUSTREAM_LIBCUDA"), RTLD_NOW | RTLD_NOLOAD);
    int (*cuLaunchHostFunc)(void *, void (*)(void *), void *) = NULL;
    if (driver) *(void **)&cuLaunchHostFunc = dlsym(driver, "cuLaunchHostFunc");
    return cuLaunchHostFunc ? cuLaunchHostFunc(stream, function, argument) : INVALID_ARGUMENT;
}

EXPORT int ncclAllReduce(const void *source, void *result, size_t count, int type, int operation, comm_t *comm,
                         void *stream) {
    if (source != result || type != INT32 || operation != SUM) return INVALID_ARGUMENT;
    operation_t *made = malloc(sizeof *made);
    *made = (operation_t){comm, result, count};
    if (launch_host(stream, meet, made) == SUCCESS) return SUCCESS;
    free(made);
    return INVALID_ARGUMENT;
}
