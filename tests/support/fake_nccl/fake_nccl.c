/* SPDX-License-Identifier: Apache-2.0 */
/* As much of NCCL as examples/nccl calls: two ranks of one process or of two, sums of 32-bit numbers, aborts. The sum is a host
 * function in each rank's stream: each rank leaves its numbers in memory that both share, the last one adds, and all take the
 * result. Memory of the ranks is the fake driver's: the host's. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SUCCESS = 0, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4, INVALID_USAGE = 5, INT32 = 2, SUM = 0, RANKS = 2, MOST = 1 << 18 };

typedef struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int joined, arrived, rounds;
    int aborted[RANKS], devices[RANKS];
    int32_t given[RANKS][MOST], result[MOST];
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

typedef struct {
    char path[128]; /* of the world's file */
} unique_id_t;

#define EXPORT __attribute__((visibility("default")))

static void sum(world_t *world, size_t count) {
    for (size_t i = 0; i < count; ++i) world->result[i] = world->given[0][i] + world->given[1][i];
}

static void meet(void *argument) {
    operation_t *operation = argument;
    world_t *world = operation->comm->world;
    const int rank = operation->comm->rank;
    const size_t bytes = operation->count * sizeof(int32_t);
    pthread_mutex_lock(&world->mutex);
    const int round = world->rounds;
    memcpy(world->given[rank], operation->memory, bytes);
    if (++world->arrived == RANKS) {
        sum(world, operation->count);
        world->arrived = 0;
        ++world->rounds;
        pthread_cond_broadcast(&world->changed);
    }
    while (world->rounds == round && !world->aborted[rank]) pthread_cond_wait(&world->changed, &world->mutex);
    /* The next round ends only after this rank has come back. */
    if (world->rounds != round) memcpy(operation->memory, world->result, bytes);
    pthread_mutex_unlock(&world->mutex);
    free(operation);
}

/* Shared with the processes that map the same file; -1: with none. */
static world_t *map_world(int file) {
    void *memory = mmap(NULL, sizeof(world_t), PROT_READ | PROT_WRITE,
                        file < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void make_world(world_t *world) {
    pthread_mutexattr_t mutex;
    pthread_condattr_t condition;
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&world->mutex, &mutex);
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&world->changed, &condition);
}

static comm_t *make_comm(world_t *world, int rank) {
    comm_t *comm = malloc(sizeof *comm);
    *comm = (comm_t){world, rank};
    return comm;
}

/* Of the driver that the process has loaded. */
static void *driver_function(const char *name) {
    void *driver = dlopen(getenv("GPUSTREAM_LIBCUDA"), RTLD_NOW | RTLD_NOLOAD);
    return driver ? dlsym(driver, name) : NULL;
}

/* NCCL asks the CUDA runtime, which goes by the current context, and takes the first device where there is none. */
static int current_device(void) {
    int device = 0, (*cuCtxGetDevice)(int *) = NULL;
    *(void **)&cuCtxGetDevice = driver_function("cuCtxGetDevice");
    return cuCtxGetDevice && cuCtxGetDevice(&device) == SUCCESS ? device : 0;
}

EXPORT int ncclGetVersion(int *version) {
    *version = 20000;
    return SUCCESS;
}

EXPORT int ncclGetUniqueId(unique_id_t *id) {
    memset(id, 0, sizeof *id);
    snprintf(id->path, sizeof id->path, "/dev/shm/fake-nccl-XXXXXX");
    const int file = mkstemp(id->path);
    if (file < 0) return SYSTEM_ERROR;
    world_t *world = ftruncate(file, sizeof *world) == 0 ? map_world(file) : NULL;
    close(file);
    if (!world) return unlink(id->path), SYSTEM_ERROR;
    make_world(world);
    munmap(world, sizeof *world);
    return SUCCESS;
}

/* Returns when all ranks have called it. The last one removes the file. Each needs a device of its own. */
EXPORT int ncclCommInitRank(comm_t **comm, int count, unique_id_t id, int rank) {
    if (count != RANKS || rank < 0 || rank >= RANKS) return INVALID_ARGUMENT;
    const int file = open(id.path, O_RDWR | O_CLOEXEC);
    if (file < 0) return SYSTEM_ERROR;
    world_t *world = map_world(file);
    close(file);
    if (!world) return SYSTEM_ERROR;
    pthread_mutex_lock(&world->mutex);
    world->devices[rank] = current_device();
    if (++world->joined == RANKS) unlink(id.path);
    pthread_cond_broadcast(&world->changed);
    while (world->joined < RANKS) pthread_cond_wait(&world->changed, &world->mutex);
    pthread_mutex_unlock(&world->mutex);
    if (world->devices[0] == world->devices[1]) return INVALID_USAGE;
    *comm = make_comm(world, rank);
    return SUCCESS;
}

EXPORT int ncclCommInitAll(comm_t **comms, int count, const int *devices) {
    if (count != RANKS || !devices) return INVALID_ARGUMENT;
    world_t *world = map_world(-1);
    if (!world) return SYSTEM_ERROR;
    make_world(world);
    for (int rank = 0; rank < count; ++rank) comms[rank] = make_comm(world, rank);
    return SUCCESS;
}

/* The world stays: a host function of it may still run. */
EXPORT int ncclCommAbort(comm_t *comm) {
    pthread_mutex_lock(&comm->world->mutex);
    comm->world->aborted[comm->rank] = 1;
    pthread_cond_broadcast(&comm->world->changed);
    pthread_mutex_unlock(&comm->world->mutex);
    return SUCCESS;
}

EXPORT int ncclCommDestroy(comm_t *comm) { return ncclCommAbort(comm); }
EXPORT int ncclGroupStart(void) { return SUCCESS; }
EXPORT int ncclGroupEnd(void) { return SUCCESS; }

static int launch_host(void *stream, void (*function)(void *), void *argument) {
    int (*cuLaunchHostFunc)(void *, void (*)(void *), void *) = NULL;
    *(void **)&cuLaunchHostFunc = driver_function("cuLaunchHostFunc");
    return cuLaunchHostFunc ? cuLaunchHostFunc(stream, function, argument) : INVALID_ARGUMENT;
}

EXPORT int ncclAllReduce(const void *source, void *result, size_t count, int type, int operation, comm_t *comm,
                         void *stream) {
    if (source != result || type != INT32 || operation != SUM || count > MOST) return INVALID_ARGUMENT;
    operation_t *made = malloc(sizeof *made);
    *made = (operation_t){comm, result, count};
    if (launch_host(stream, meet, made) == SUCCESS) return SUCCESS;
    free(made);
    return INVALID_ARGUMENT;
}
