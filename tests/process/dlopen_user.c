/* SPDX-License-Identifier: Apache-2.0 */
/* A program that does not link the library: it opens it, uses it, closes it. dlopen_user WAY LIBRARY [SECOND COPY] */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpustream.h"

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            const char *why = dlerror();                                                                               \
            fprintf(stderr, "%s:%d: not true: %s %s\n", __FILE__, __LINE__, #condition, why ? why : "");               \
            exit(90);                                                                                                  \
        }                                                                                                              \
    } while (0)

/* Only functions declared by the header, against which the program is checked. */
#define EACH(X)                                                                                                        \
    X(gs_init)                                                                                                         \
    X(gs_version)                                                                                                      \
    X(gs_instance_count)                                                                                               \
    X(gs_stream_create)                                                                                                \
    X(gs_stream_destroy)                                                                                               \
    X(gs_event_create) X(gs_event_destroy) X(gs_event_record) X(gs_stream_wait_event) X(gs_event_query)                \
        X(gs_stream_synchronize) X(gs_stream_launch_host) X(gs_stream_notify) X(gs_stream_sleep)                       \
            X(gs_set_current_stream) X(gs_current_stream) X(gs_stream_query) X(gs_last_error)

struct api {
#define X(name) __typeof__(&name) name;
    EACH(X)
#undef X
};

static void load(void *library, struct api *api) {
#define X(name)                                                                                                        \
    {                                                                                                                  \
        void *symbol = dlsym(library, #name);                                                                          \
        REQUIRE(symbol != NULL);                                                                                       \
        memcpy(&api->name, &symbol, sizeof symbol);                                                                    \
    }
    EACH(X)
#undef X
}

static int entries(const char *folder) {
    DIR *all = opendir(folder);
    REQUIRE(all != NULL);
    int count = 0;
    for (struct dirent *entry = readdir(all); entry != NULL; entry = readdir(all)) count += entry->d_name[0] != '.';
    closedir(all);
    return count;
}

/* Loading must leave the threads and the open files as they are. */
static void *open_library(const char *name) {
    const int threads = entries("/proc/self/task");
    const int files = entries("/proc/self/fd");
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != NULL);
    REQUIRE(entries("/proc/self/task") == threads);
    REQUIRE(entries("/proc/self/fd") == files);
    return library;
}

static void set_flag(void *flag) { __atomic_store_n((int *)flag, 1, __ATOMIC_RELEASE); }
static void notified(void *flag, gs_status_t status) {
    __atomic_store_n((int *)flag, status == GS_OK ? 1 : 2, __ATOMIC_RELEASE);
}

static void use(const struct api *api) {
    static int flags[2];
    gs_stream_t a = NULL, b = NULL;
    gs_event_t event = NULL;
    int32_t done = -1;
    flags[0] = flags[1] = 0;
    REQUIRE(api->gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &a) == GS_OK);
    REQUIRE(api->gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &b) == GS_OK);
    REQUIRE(api->gs_event_create(0, &event) == GS_OK);
    REQUIRE(api->gs_stream_sleep(a, 2000000) == GS_OK);
    REQUIRE(api->gs_stream_launch_host(a, set_flag, &flags[0]) == GS_OK);
    REQUIRE(api->gs_event_record(event, a) == GS_OK);
    REQUIRE(api->gs_stream_wait_event(b, event) == GS_OK);
    REQUIRE(api->gs_stream_notify(b, notified, &flags[1]) == GS_OK);
    REQUIRE(api->gs_stream_synchronize(b) == GS_OK);
    REQUIRE(__atomic_load_n(&flags[0], __ATOMIC_ACQUIRE) == 1);
    REQUIRE(api->gs_event_query(event, &done) == GS_OK && done == 1);
    while (__atomic_load_n(&flags[1], __ATOMIC_ACQUIRE) == 0) sched_yield();
    REQUIRE(flags[1] == 1);
    REQUIRE(api->gs_set_current_stream(a) == GS_OK);
    REQUIRE(api->gs_event_destroy(event) == GS_OK);
    REQUIRE(api->gs_stream_destroy(a) == GS_OK && api->gs_stream_destroy(b) == GS_OK);
}

struct worker {
    const struct api *api;
    int close_seen;
    int ready;
};

/* Calls the library after dlclose, since it stays loaded. Its thread-exit hook runs then as well. */
static void *work_beyond_close(void *opaque) {
    struct worker *worker = opaque;
    use(worker->api);
    __atomic_store_n(&worker->ready, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&worker->close_seen, __ATOMIC_ACQUIRE)) sched_yield();
    use(worker->api);
    return NULL;
}

static void use_and_close(const char *name) {
    void *library = open_library(name);
    struct api api;
    load(library, &api);
    REQUIRE(api.gs_instance_count() == 1);
    use(&api);
    struct worker worker = {&api, 0, 0};
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, work_beyond_close, &worker) == 0);
    while (!__atomic_load_n(&worker.ready, __ATOMIC_ACQUIRE)) sched_yield();
    REQUIRE(dlclose(library) == 0);
    __atomic_store_n(&worker.close_seen, 1, __ATOMIC_RELEASE);
    REQUIRE(pthread_join(thread, NULL) == 0);
    library = open_library(name); /* the same copy again, with its state */
    struct api again;
    load(library, &again);
    REQUIRE(again.gs_init == api.gs_init && again.gs_instance_count() == 1);
    use(&again);
    REQUIRE(dlclose(library) == 0);
}

static void two_copies(const char *first, const char *second) {
    struct api a, b;
    void *one = open_library(first);
    void *two = open_library(second);
    load(one, &a);
    load(two, &b);
    REQUIRE(a.gs_init != b.gs_init);
    REQUIRE(a.gs_instance_count() == 2 && b.gs_instance_count() == 2);
    use(&a);
    use(&b);
    /* Two copies, two states: what is current in one is not in the other. */
    gs_stream_t stream = NULL, in_a = NULL, in_b = NULL;
    REQUIRE(a.gs_stream_create(0, 0, 0, &stream) == GS_OK && a.gs_set_current_stream(stream) == GS_OK);
    REQUIRE(a.gs_current_stream(0, &in_a) == GS_OK && b.gs_current_stream(0, &in_b) == GS_OK);
    REQUIRE(in_a == stream && in_b != NULL);
    /* A handle of the one is none in the other, and the message says why that may be. */
    gs_error_info_t error = {.struct_size = sizeof error};
    int32_t done = 0;
    REQUIRE(b.gs_stream_query(stream, &done) == GS_ERROR_INVALID_HANDLE && b.gs_last_error(&error) == GS_OK);
    REQUIRE(strstr(error.message, "several copies of libgpustream.so") != NULL);
    REQUIRE(a.gs_stream_query((gs_stream_t)~(uintptr_t)0xff, &done) == GS_ERROR_INVALID_HANDLE);
}

int main(int argc, char **argv) {
    REQUIRE(argc >= 3);
    if (strcmp(argv[1], "close") == 0)
        use_and_close(argv[2]);
    else if (strcmp(argv[1], "copies") == 0 && argc == 4)
        two_copies(argv[2], argv[3]);
    else
        return 91;
    puts("done");
    return 0;
}
