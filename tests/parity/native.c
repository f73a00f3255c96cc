/* SPDX-License-Identifier: Apache-2.0 */
/* What the parity cases need in native code, as a shared library for the runners of all languages: gates that hold a
   stream, counters, functions to be called in streams, and host kernels. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpustream.h"

#define EXPORT __attribute__((visibility("default")))

/* What cases made is never freed, since work in a stream may still use it, but stays reachable for leak checkers. */
struct parity_object {
    struct parity_object *next;
};
static _Atomic(struct parity_object *) all_objects;

static void *new_object(size_t bytes) {
    struct parity_object *object = calloc(1, bytes);
    if (!object) abort();
    object->next = atomic_load(&all_objects);
    while (!atomic_compare_exchange_weak(&all_objects, &object->next, object)) {}
    return object;
}

struct parity_gate {
    struct parity_object object;
    pthread_mutex_t mutex;
    pthread_cond_t opened;
    int open;
};

struct parity_counter {
    struct parity_object object;
    _Atomic int64_t number;
};

EXPORT struct parity_gate *parity_gate_new(void);
EXPORT void parity_gate_wait(void *gate);
EXPORT void parity_gate_open(void *gate);
EXPORT struct parity_counter *parity_counter_new(void);
EXPORT int64_t parity_counter_get(void *counter);
EXPORT void parity_count(void *counter);
EXPORT void parity_store_status(void *counter, gs_status_t status);
EXPORT gs_status_t parity_count_ok(void *counter);
EXPORT gs_status_t parity_count_and_fail(void *counter);
EXPORT void parity_create_inside(void *counter);
EXPORT void parity_wait_inside(void *counter);
EXPORT void parity_synchronize_inside(void *counter, gs_status_t status);
EXPORT void parity_ignore_log(void *counter, int32_t level, const char *text);
EXPORT void parity_count_race(void *counter, const char *text, const char *json);
EXPORT gs_status_t parity_count_text(void *counter, const char *text, size_t bytes);
EXPORT void parity_count_operation(void *counter, int32_t kind, uint64_t stream, uint64_t object, uint64_t value,
                                   const char *text);

struct parity_gate *parity_gate_new(void) {
    struct parity_gate *gate = new_object(sizeof *gate);
    pthread_mutex_init(&gate->mutex, NULL);
    pthread_cond_init(&gate->opened, NULL);
    return gate;
}

/* A host function: holds its stream until the gate is opened. */
void parity_gate_wait(void *arg) {
    struct parity_gate *gate = arg;
    pthread_mutex_lock(&gate->mutex);
    while (!gate->open) pthread_cond_wait(&gate->opened, &gate->mutex);
    pthread_mutex_unlock(&gate->mutex);
}

void parity_gate_open(void *arg) {
    struct parity_gate *gate = arg;
    pthread_mutex_lock(&gate->mutex);
    gate->open = 1;
    pthread_cond_broadcast(&gate->opened);
    pthread_mutex_unlock(&gate->mutex);
}

struct parity_counter *parity_counter_new(void) { return new_object(sizeof(struct parity_counter)); }

static _Atomic int64_t *number_of(void *counter) { return &((struct parity_counter *)counter)->number; }

int64_t parity_counter_get(void *counter) { return atomic_load(number_of(counter)); }

void parity_count(void *counter) { atomic_fetch_add(number_of(counter), 1); }

/* A notification: leaves 100 + its status. */
void parity_store_status(void *counter, gs_status_t status) { atomic_store(number_of(counter), 100 + status); }

gs_status_t parity_count_ok(void *counter) {
    parity_count(counter);
    return GS_OK;
}

gs_status_t parity_count_and_fail(void *counter) {
    parity_count(counter);
    return GS_ERROR_SYSTEM;
}

void parity_ignore_log(void *counter, int32_t level, const char *text) {
    (void)level;
    if (text) parity_count(counter);
}

void parity_count_race(void *counter, const char *text, const char *json) {
    if (text && json && json[0] == '{') parity_count(counter);
}

gs_status_t parity_count_text(void *counter, const char *text, size_t bytes) {
    if (text && bytes != 0) parity_count(counter);
    return GS_OK;
}

/* Of the calling thread's marks. */
void parity_count_operation(void *counter, int32_t kind, uint64_t stream, uint64_t object, uint64_t value,
                            const char *text) {
    if (kind == GS_TRACED_MARK && stream == 0 && object == 0 && value == 0 && text) parity_count(counter);
}

/* musl does not find by its name a library that a runner has loaded by a path. */
static int find_library(struct dl_phdr_info *info, size_t size, void *out_path) {
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    (void)size;
    if (!slash || strncmp(slash, "/libgpustream.so", 16) != 0) return 0;
    *(const char **)out_path = info->dlpi_name;
    return 1;
}

static void *library_function(const char *name) {
    const char *path = NULL;
    void *library = dlopen("libgpustream.so.0", RTLD_NOW | RTLD_NOLOAD);
    if (!library && dl_iterate_phdr(find_library, &path)) library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    void *function = library ? dlsym(library, name) : NULL;
    if (!function) abort();
    return function;
}

/* A host function that calls the library: leaves 100 + the status it got. */
void parity_create_inside(void *counter) {
    gs_status_t (*create)(uint32_t, gs_event_t *) = NULL;
    *(void **)&create = library_function("gs_event_create");
    gs_event_t event = NULL;
    atomic_store(number_of(counter), 100 + create(0, &event));
}

/* A notification that synchronizes: leaves 100 + the status it got. */
void parity_synchronize_inside(void *counter, gs_status_t status) {
    gs_status_t (*synchronize)(gs_device_t) = NULL;
    (void)status;
    *(void **)&synchronize = library_function("gs_device_synchronize");
    atomic_store(number_of(counter), 100 + synchronize(GS_DEVICE_CURRENT));
}

/* A function that others wait for, and that would wait: leaves 100 + the status that all of its calls got, else 1. */
void parity_wait_inside(void *counter) {
    gs_status_t (*wait_all)(const gs_event_t *, size_t, int64_t) = NULL;
    gs_status_t (*wait_timeline)(gs_timeline_t, uint64_t, int64_t) = NULL;
    gs_status_t (*wait_queue)(gs_queue_t, gs_completion_t *, size_t, int64_t, size_t *) = NULL;
    gs_status_t (*create)(gs_device_t, int32_t, uint32_t, gs_stream_t *) = NULL;
    *(void **)&wait_all = library_function("gs_event_synchronize_all");
    *(void **)&wait_timeline = library_function("gs_timeline_synchronize");
    *(void **)&wait_queue = library_function("gs_queue_wait");
    *(void **)&create = library_function("gs_stream_create");
    gs_completion_t entry;
    gs_stream_t stream = NULL;
    size_t count = 0;
    const gs_status_t status = wait_all(NULL, 0, -1);
    const int same = wait_timeline(NULL, 1, -1) == status && wait_queue(NULL, &entry, 1, -1, &count) == status &&
                     create(0, 0, 0, &stream) == status;
    atomic_store(number_of(counter), same ? 100 + status : 1);
}

/* Host kernels: out[i] = factor * i for the threads of the block. */
EXPORT extern const size_t parity_scale_argument_sizes[];
const size_t parity_scale_argument_sizes[] = {sizeof(uint32_t *), sizeof(uint32_t), 0};
EXPORT void parity_scale(const gs_kernel_context_t *context, void **arguments);
void parity_scale(const gs_kernel_context_t *context, void **arguments) {
    uint32_t *out = *(uint32_t **)arguments[0];
    const uint32_t factor = *(uint32_t *)arguments[1];
    for (uint32_t thread = 0; thread < context->block_dim_x; ++thread) {
        const uint32_t index = context->block_x * context->block_dim_x + thread;
        out[index] = factor * index;
    }
}
