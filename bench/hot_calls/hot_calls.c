// SPDX-License-Identifier: Apache-2.0
/* One function per hot call, each repeating it GS_REPEAT times, for counting instructions: bench/instructions runs this
   under callgrind, which dumps its counts before every function named part_*. Each part runs twice and the last dump
   counts, so that pools are warm and every lazy step of the loader and the library is over. */
#include <gpustream.h>
#include <stdio.h>
#include <stdlib.h>

#define GS_REPEAT 1000

static gs_stream_t a, b, held;
static void *memory;
static gs_event_t event, on_default, done, on_a, on_b, pending, fresh, start, stop;
static gs_graph_exec_t exec;                      /* of an empty graph */
static gs_graph_exec_t captured_exec;             /* of captured_graph */
static gs_graph_t captured_graph;                 /* of a kernel, where a driver compiles it; else of a fill */
static gs_kernel_t kernel;                        /* NULL: on host */
static gs_timeline_t timeline, reached, expected; /* expected: its signal is submitted and does not happen */
static uint64_t signalled;
static gs_stream_t waits;
static gs_partition_t partition;
static gs_philox_t philox = {.struct_size = sizeof philox};
static int32_t flag;
static double ms;
static volatile int sink;

static void check(gs_status_t status, const char *what) {
    if (status == GS_OK) return;
    gs_error_info_t error = {.struct_size = sizeof error};
    gs_last_error(&error);
    fprintf(stderr, "hot_calls: %s: %s\n", what, error.message);
    exit(1);
}
#define CHECK(call) check(call, #call)

/* Checking for failures must cost nothing inside the loops: the statuses are or'ed and checked once at the end. */
#define PART(name, ...)                                                                                                \
    __attribute__((noinline)) static void part_##name(void) {                                                          \
        gs_status_t failed = GS_OK;                                                                                    \
        for (int i = 0; i < GS_REPEAT; ++i) {                                                                          \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
        sink = failed;                                                                                                 \
        check(failed, #name);                                                                                          \
    }

PART(empty_loop, __asm__ volatile("" : "+r"(failed)))
PART(event_record, failed |= gs_event_record(event, a))
PART(wait_complete, failed |= gs_stream_wait_event(b, done))
PART(wait_same_stream, failed |= gs_stream_wait_event(a, on_a))
PART(wait_again, failed |= gs_stream_wait_event(b, on_a))
PART(record_and_wait, failed |= gs_event_record(on_a, a); failed |= gs_stream_wait_event(b, on_a))
PART(query_complete, failed |= gs_event_query(done, &flag))
PART(query_never_recorded, failed |= gs_event_query(fresh, &flag))
PART(query_pending, failed |= gs_event_query(pending, &flag))
PART(synchronize_complete, failed |= gs_event_synchronize(done))
PART(elapsed, failed |= gs_event_elapsed_ms(start, stop, &ms))
PART(stream_query_idle, failed |= gs_stream_query(a, &flag))
PART(stream_synchronize_idle, failed |= gs_stream_synchronize(a))
PART(wait_stream_idle, failed |= gs_stream_wait_stream(b, a))
PART(record_and_stream_query, failed |= gs_event_record(event, a); failed |= gs_stream_query(a, &flag))
PART(record_and_synchronize, failed |= gs_event_record(event, a); failed |= gs_stream_synchronize(a))
PART(record_and_wait_stream, failed |= gs_event_record(event, a); failed |= gs_stream_wait_stream(b, a))
PART(stream_query_busy, failed |= gs_stream_query(held, &flag))
PART(malloc_free, void *x; failed |= gs_malloc_async(64, a, &x); failed |= gs_free_async(x, a))
PART(memset, failed |= gs_memset_async(memory, 1, 64, a))
PART(event_create_destroy, gs_event_t x; failed |= gs_event_create(0, &x); failed |= gs_event_destroy(x))
PART(event_life, gs_event_t x; failed |= gs_event_create(0, &x); failed |= gs_event_record(x, a);
     failed |= gs_event_destroy(x))
PART(stream_create_destroy, gs_stream_t x; failed |= gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &x);
     failed |= gs_stream_destroy(x))
PART(stream_life, gs_stream_t x; failed |= gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &x);
     failed |= gs_event_record(event, x); failed |= gs_stream_destroy(x))
PART(partition_stream_create_destroy, gs_stream_t x; failed |= gs_stream_create_in(partition, 0, 0, &x);
     failed |= gs_stream_destroy(x))
PART(partition_stream_life, gs_stream_t x; failed |= gs_stream_create_in(partition, 0, 0, &x);
     failed |= gs_event_record(event, x); failed |= gs_stream_destroy(x))
PART(stream_retain_destroy, failed |= gs_stream_retain(a); failed |= gs_stream_destroy(a))
PART(current_stream, gs_stream_t x; failed |= gs_current_stream(GS_DEVICE_CURRENT, &x))
PART(current_stream_of_device, gs_stream_t x; failed |= gs_current_stream(0, &x))
PART(set_current_stream, failed |= gs_set_current_stream(a); failed |= gs_set_current_stream(b))
PART(push_pop, uint64_t scope; failed |= gs_push_current_stream(a, &scope); failed |= gs_pop_current_stream(scope))
PART(record_on_current, failed |= gs_event_record(on_default, GS_STREAM_CURRENT))
PART(record_on_pushed, failed |= gs_event_record(event, GS_STREAM_CURRENT))
PART(graph_launch, failed |= gs_graph_exec_launch(exec, a))
PART(rng_reserve, failed |= gs_rng_reserve(a, 4, &philox))
/* What is captured. */
static gs_status_t put_work(void) {
    void *arguments[] = {&memory};
    const gs_launch_config_t config = {
        .struct_size = sizeof config, .grid_x = 1, .grid_y = 1, .grid_z = 1, .block_x = 1, .block_y = 1, .block_z = 1};
    return kernel ? gs_kernel_launch(kernel, &config, arguments, a) : gs_memset_async(memory, 1, 64, a);
}
PART(capture_one, gs_graph_t x; failed |= gs_stream_begin_capture(a, GS_CAPTURE_RELAXED); failed |= put_work();
     failed |= gs_stream_end_capture(a, &x); failed |= gs_graph_destroy(x))
PART(capture_ten, gs_graph_t x; failed |= gs_stream_begin_capture(a, GS_CAPTURE_RELAXED);
     for (int k = 0; k < 10; ++k) failed |= put_work(); failed |= gs_stream_end_capture(a, &x);
     failed |= gs_graph_destroy(x))
PART(graph_update, gs_graph_update_t x = {.struct_size = sizeof x};
     failed |= gs_graph_exec_update(captured_exec, captured_graph, &x))
PART(timeline_signal, failed |= gs_stream_signal_timeline(a, timeline, ++signalled))
PART(timeline_wait_reached, failed |= gs_stream_wait_timeline(b, reached, 1))
PART(timeline_wait_submitted, failed |= gs_stream_wait_timeline(waits, expected, 1))
PART(timeline_create_destroy, gs_timeline_t x; failed |= gs_timeline_create(0, 0, 0, &x);
     failed |= gs_timeline_destroy(x))
PART(token_create_and_wait, gs_token_t x; failed |= gs_token_create(a, &x); failed |= gs_token_wait(b, &x))
PART(current_device, gs_device_t x; failed |= gs_current_device(&x))
PART(set_current_device, failed |= gs_set_current_device(0))

#include "busy_parts.h"

/* The usual thread sets no device. */
PART(current_stream_none_set, gs_stream_t x; failed |= gs_current_stream(GS_DEVICE_CURRENT, &x))
PART(push_pop_none_set, uint64_t scope; failed |= gs_push_current_stream(a, &scope);
     failed |= gs_pop_current_stream(scope))
PART(record_on_current_none_set, failed |= gs_event_record(on_default, GS_STREAM_CURRENT))
PART(record_on_pushed_none_set, failed |= gs_event_record(event, GS_STREAM_CURRENT))
PART(current_device_none_set, gs_device_t x; failed |= gs_current_device(&x))

/* Another library's current stream, which gpustream leads and follows: a word. */
static uintptr_t theirs;
static int32_t get_theirs(void *arg, int32_t ordinal, uintptr_t *out_native) {
    (void)arg, (void)ordinal;
    *out_native = theirs;
    return 0;
}
static int32_t set_theirs(void *arg, int32_t ordinal, uintptr_t native) {
    (void)arg, (void)ordinal;
    theirs = native;
    return 0;
}
static uintptr_t native_a, native_b;

PART(wrap_known, gs_stream_t x; failed |= gs_stream_from_native(GS_DEVICE_NONE, native_a, &x);
     failed |= gs_stream_destroy(x))
PART(current_native, uintptr_t x; failed |= gs_current_native(GS_DEVICE_CURRENT, &x))
PART(push_pop_leading, uint64_t scope; failed |= gs_push_current_stream(a, &scope);
     failed |= gs_pop_current_stream(scope))
PART(set_current_leading, failed |= gs_set_current_stream(a); failed |= gs_set_current_stream(b))
PART(record_leading, failed |= gs_event_record(event, a))
PART(current_following, gs_stream_t x; failed |= gs_current_stream(GS_DEVICE_CURRENT, &x))
PART(current_native_following, uintptr_t x; failed |= gs_current_native(GS_DEVICE_CURRENT, &x))
PART(current_following_changes, gs_stream_t x; theirs = native_a; failed |= gs_current_stream(GS_DEVICE_CURRENT, &x);
     theirs = native_b; failed |= gs_current_stream(GS_DEVICE_CURRENT, &x))
PART(push_pop_following, uint64_t scope; failed |= gs_push_current_stream(a, &scope);
     failed |= gs_pop_current_stream(scope))

static void parts_of_bridges(void) {
    int32_t bridge;
    const gs_bridge_t mine = {.struct_size = sizeof mine, .name = "mine", .get = get_theirs, .set = set_theirs};
    CHECK(gs_stream_native(a, &native_a));
    CHECK(gs_stream_native(b, &native_b));
    part_wrap_known();
    part_current_native();
    CHECK(gs_bridge_register(&mine, &bridge));
    CHECK(gs_bridge_lead(bridge, 1));
    part_push_pop_leading();
    part_set_current_leading();
    part_record_leading();
    CHECK(gs_bridge_lead(bridge, 0));
    CHECK(gs_bridge_follow(bridge));
    part_current_following();
    part_current_native_following();
    part_current_following_changes();
    part_push_pop_following();
    CHECK(gs_bridge_follow(0));
    CHECK(gs_bridge_unregister(bridge));
}

static void parts_without_a_device(void) {
    uint64_t scope;
    part_current_stream_none_set();
    part_push_pop_none_set();
    part_record_on_current_none_set();
    CHECK(gs_push_current_stream(a, &scope));
    part_record_on_pushed_none_set();
    CHECK(gs_pop_current_stream(scope));
    part_current_device_none_set();
}

static void all_parts(void) {
    uint64_t scope;
    part_empty_loop();
    part_event_record();
    part_wait_complete();
    part_wait_same_stream();
    part_query_complete();
    part_query_never_recorded();
    part_synchronize_complete();
    part_elapsed();
    part_stream_query_idle();
    part_stream_synchronize_idle();
    part_wait_stream_idle();
    part_record_and_stream_query();
    part_record_and_synchronize();
    part_record_and_wait_stream();
    part_malloc_free();
    part_memset();
    CHECK(gs_stream_synchronize(a));
    part_event_create_destroy();
    part_event_life();
    part_stream_create_destroy();
    part_stream_life();
    part_partition_stream_create_destroy();
    part_partition_stream_life();
    part_stream_retain_destroy();
    part_current_stream();
    part_current_stream_of_device();
    part_set_current_stream();
    part_push_pop();
    part_record_on_current();
    CHECK(gs_push_current_stream(a, &scope));
    part_record_on_pushed();
    CHECK(gs_pop_current_stream(scope));
    part_graph_launch();
    CHECK(gs_stream_synchronize(a));
    part_rng_reserve();
    part_timeline_signal();
    part_timeline_wait_reached();
    part_timeline_create_destroy();
    part_token_create_and_wait();
    CHECK(gs_stream_synchronize(a));
    CHECK(gs_stream_synchronize(b));
    part_current_device();
    part_set_current_device();
}

static void parts_of_captures(void) {
    part_capture_one();
    part_capture_ten();
    part_graph_update();
}

/* A kernel that does nothing; the host backend has none. */
static void load_kernel(void) {
    static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                              ".visible .entry add_one(.param .u64 word)\n{\n    ret;\n}\n";
    gs_backend_t backend;
    gs_module_t module;
    CHECK(gs_default_backend(&backend));
    if (backend != GS_BACKEND_CUDA) return;
    CHECK(gs_module_load(0, ptx, sizeof ptx, &module));
    CHECK(gs_module_get_kernel(module, "add_one", &kernel));
}

__attribute__((noinline)) static void part_end(void) { __asm__ volatile(""); }

int main(void) {
    CHECK(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &a));
    CHECK(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &b));
    gs_event_t *plain[] = {&event, &on_default, &done, &on_a, &on_b, &fresh};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; ++i) CHECK(gs_event_create(0, plain[i]));
    CHECK(gs_event_create(GS_EVENT_TIMING, &start));
    CHECK(gs_event_create(GS_EVENT_TIMING, &stop));
    gs_event_t recorded[] = {event, done, on_a, start, stop};
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; ++i) CHECK(gs_event_record(recorded[i], a));
    CHECK(gs_event_synchronize(done));
    CHECK(gs_malloc_async(64, a, &memory));
    CHECK(gs_stream_synchronize(a));
    gs_graph_t graph;
    CHECK(gs_graph_create(0, 0, &graph));
    CHECK(gs_graph_instantiate(graph, 0, &exec));
    load_kernel();
    CHECK(gs_stream_begin_capture(a, GS_CAPTURE_RELAXED));
    CHECK(put_work());
    CHECK(gs_stream_end_capture(a, &captured_graph));
    CHECK(gs_graph_instantiate(captured_graph, 0, &captured_exec));
    CHECK(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &waits));
    CHECK(gs_timeline_create(0, 0, 0, &timeline));
    CHECK(gs_timeline_create(0, 1, 0, &reached));
    CHECK(gs_timeline_create(0, 0, 0, &expected));
    make_completion_objects();
    CHECK(gs_partition_create(GS_DEVICE_CURRENT, (const uint32_t[]){1}, 1, 0, &partition));
    parts_without_a_device();
    parts_without_a_device();
    CHECK(gs_set_current_device(0));
    all_parts();
    all_parts();
    parts_of_captures();
    parts_of_captures();
    parts_of_completion();
    parts_of_completion();
    CHECK(gs_event_record(on_a, a)); /* from here on the library does not know whether it is complete */
    part_wait_again();
    part_wait_again();
    part_record_and_wait();
    part_record_and_wait();
    parts_on_a_busy_stream();
    parts_of_bridges();
    parts_of_bridges();
    part_end();
    return 0;
}
