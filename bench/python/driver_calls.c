/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's own time for the calls, from C: the lower bound for every library. Compiled and loaded by run.
   Everything is found by name, so neither the toolkit nor its headers are needed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <time.h>

typedef int (*two_pointers)(void *, void *);
typedef int (*wait_function)(void *, void *, unsigned);
typedef int (*one_pointer)(void *);
typedef int (*elapsed_function)(float *, void *, void *);
typedef int (*update_function)(void *, void *, void *);
typedef int (*create_function)(void **, unsigned);

static void *library;

static void *find(const char *name, const char *fallback) {
    void *function = dlsym(library, name);
    return function ? function : dlsym(library, fallback);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ns per call; below 0: that many calls failed. `which`: 0 record, 1 wait, 2 event query, 3 stream query, 4 elapsed,
   5 event create and destroy, 6 stream create and destroy, 7 launch of a graph, 8 its update: `event` is the executable,
   `other_event` the graph. */
double driver_ns(const char *path, int which, void *event, void *stream, void *other_event, long calls) {
    if (!library) library = dlopen(path, RTLD_NOW);
    if (!library) return -1;
    const two_pointers record = (two_pointers)find("cuEventRecord", "cuEventRecord");
    const wait_function wait = (wait_function)find("cuStreamWaitEvent", "cuStreamWaitEvent");
    const one_pointer query = (one_pointer)find("cuEventQuery", "cuEventQuery");
    const one_pointer stream_query = (one_pointer)find("cuStreamQuery", "cuStreamQuery");
    const elapsed_function elapsed = (elapsed_function)find("cuEventElapsedTime_v2", "cuEventElapsedTime");
    const create_function create = (create_function)find("cuEventCreate", "cuEventCreate");
    const one_pointer destroy = (one_pointer)find("cuEventDestroy_v2", "cuEventDestroy");
    const create_function stream_create = (create_function)find("cuStreamCreate", "cuStreamCreate");
    const one_pointer stream_destroy = (one_pointer)find("cuStreamDestroy_v2", "cuStreamDestroy");
    const two_pointers launch = (two_pointers)find("cuGraphLaunch", "cuGraphLaunch");
    const update_function update = (update_function)find("cuGraphExecUpdate_v2", "cuGraphExecUpdate_v2");
    void *update_result[4]; /* CUgraphExecUpdateResultInfo */
    long failed = 0;
    float milliseconds = 0;
    void *made = NULL;
    const double began = seconds();
    for (long i = 0; i < calls; ++i) {
        switch (which) {
        case 0: failed += record(event, stream) != 0; break;
        case 1: failed += wait(stream, event, 0) != 0; break;
        case 2: failed += query(event) != 0; break;
        case 3: failed += stream_query(stream) != 0; break;
        case 4: failed += elapsed(&milliseconds, event, other_event) != 0; break;
        case 5: failed += create(&made, 2) != 0 || destroy(made) != 0; break;
        case 7: failed += launch(event, stream) != 0; break;
        case 8: failed += update(event, other_event, update_result) != 0; break;
        default: failed += stream_create(&made, 1) != 0 || stream_destroy(made) != 0; break;
        }
    }
    const double took = seconds() - began;
    return failed ? -(double)failed : took * 1e9 / (double)calls;
}
