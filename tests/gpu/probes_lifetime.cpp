// SPDX-License-Identifier: Apache-2.0
// P8 (reset under live objects), P9 (events between processes), P12 (calls at exit), P16 (a failed cuInit), P17
// (creation while a stream is held).
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "probe_driver.hpp"

namespace probes {
namespace {

// P8. The primary context after a reset, and after it has been created again. Only the context of this process is reset,
// but the owner of the machine has to decide about that, so these run only when named.
struct AfterReset {
    CUcontext context = nullptr;
    CUstream stream = nullptr;
    CUevent event = nullptr;
};

AfterReset reset_under_objects() {
    AfterReset objects;
    objects.context = start();
    objects.stream = new_stream();
    objects.event = new_event();
    GS_MUST(d.event_record(objects.event, objects.stream));
    GS_MUST(d.stream_synchronize(objects.stream));
    GS_MUST(d.primary_ctx_reset(0));
    return objects;
}

void reset_and_identity() {
    load_driver();
    unsigned long long before = 0;
    AfterReset objects;
    objects.context = start();
    GS_MUST(d.ctx_get_id(objects.context, &before));
    GS_MUST(d.primary_ctx_reset(0));
    unsigned flags = 0;
    int active = 0;
    GS_MUST(d.primary_ctx_get_state(0, &flags, &active));
    unsigned long long dead = 0;
    const CUresult asked = d.ctx_get_id(objects.context, &dead);
    CUcontext current = nullptr;
    GS_MUST(d.ctx_get_current(&current));
    CUcontext again = nullptr;
    const CUresult retained = d.primary_ctx_retain(&again, 0);
    unsigned long long after = 0;
    const CUresult asked_again = d.ctx_get_id(again, &after);
    GS_FINDING(
        "after a reset: active %d, cuCtxGetId(old) -> %d, current is %s; retained again -> %d at %s address, id %llu "
        "was %llu (-> %d)",
        active, asked,
        current == objects.context ? "the dead context"
        : current                  ? "another"
                                   : "none",
        retained, again == objects.context ? "the same" : "another", after, before, asked_again);
}

template <typename Call>
void on_dead_object(const char *name, bool recreated, Call &&call) {
    const AfterReset objects = reset_under_objects();
    CUcontext again = nullptr;
    if (recreated) GS_MUST(d.primary_ctx_retain(&again, 0));
    GS_FINDING("%s of an object of the old context, %s: calling", name,
               recreated ? "context created again" : "no context");
    const CUresult result = call(objects);
    GS_FINDING("    -> %d", result);
}

template <bool kRecreated>
void dead_event_query() {
    on_dead_object("cuEventQuery", kRecreated, [](const AfterReset &o) { return d.event_query(o.event); });
}
template <bool kRecreated>
void dead_event_destroy() {
    on_dead_object("cuEventDestroy", kRecreated, [](const AfterReset &o) { return d.event_destroy(o.event); });
}
template <bool kRecreated>
void dead_stream_query() {
    on_dead_object("cuStreamQuery", kRecreated, [](const AfterReset &o) { return d.stream_query(o.stream); });
}
template <bool kRecreated>
void dead_stream_destroy() {
    on_dead_object("cuStreamDestroy", kRecreated, [](const AfterReset &o) { return d.stream_destroy(o.stream); });
}

// P9. The exporter is a process of its own, forked before the driver is loaded.
struct Exporter {
    pid_t process = 0;
    int from = -1; // the handle comes here
    int to = -1;   // closing it ends the exporter
};

Exporter start_exporter() {
    int out[2];
    int in[2];
    if (pipe(out) != 0 || pipe(in) != 0) GS_MUST(CUDA_ERROR_OPERATING_SYSTEM);
    const pid_t process = fork();
    if (process == 0) {
        close(in[1]);
        start();
        const CUevent event = new_event(CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS);
        GS_MUST(d.event_record(event, new_stream()));
        CUipcEventHandle handle{};
        GS_MUST(d.ipc_get_event_handle(&handle, event));
        char byte = 0;
        if (write(out[1], &handle, sizeof handle) == sizeof handle) (void)!read(in[0], &byte, 1);
        std::_Exit(0);
    }
    close(out[1]);
    close(in[0]);
    return {process, out[0], in[1]};
}

void end_exporter(const Exporter &exporter) {
    close(exporter.to);
    waitpid(exporter.process, nullptr, 0);
}

CUipcEventHandle receive(const Exporter &exporter) {
    CUipcEventHandle handle{};
    if (read(exporter.from, &handle, sizeof handle) != sizeof handle) GS_MUST(CUDA_ERROR_OPERATING_SYSTEM);
    return handle;
}

void exporter_ends() {
    const Exporter exporter = start_exporter();
    const CUipcEventHandle handle = receive(exporter);
    start();
    CUevent event = nullptr;
    const CUresult opened = d.ipc_open_event_handle(&event, handle);
    end_exporter(exporter);
    GS_FINDING("opened while the exporter lives -> %d; after it ended:", opened);
    if (opened == CUDA_SUCCESS) {
        GS_FINDING("    cuEventQuery -> %d", d.event_query(event));
        GS_FINDING("    cuStreamWaitEvent -> %d", d.stream_wait_event(new_stream(), event, 0));
        GS_FINDING("    cuEventSynchronize -> %d", d.event_synchronize(event));
        GS_FINDING("    cuEventDestroy -> %d", d.event_destroy(event));
    }
    CUevent late = nullptr;
    GS_FINDING("    opened after the exporter ended -> %d", d.ipc_open_event_handle(&late, handle));
}

void open_garbage() {
    start();
    CUevent event = nullptr;
    CUipcEventHandle handle{};
    GS_FINDING("cuIpcOpenEventHandle of zeros -> %d", d.ipc_open_event_handle(&event, handle));
    std::memset(handle.reserved, 0x5A, sizeof handle.reserved);
    GS_FINDING("    of 0x5A bytes -> %d", d.ipc_open_event_handle(&event, handle));
    const CUevent own = new_event(CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS);
    GS_MUST(d.ipc_get_event_handle(&handle, own));
    GS_FINDING("    in the exporting process -> %d", d.ipc_open_event_handle(&event, handle));
}

// P12. An object made before the driver was loaded is destroyed last; a handler registered after cuInit runs first.
CUevent g_event_at_exit = nullptr;
CUstream g_stream_at_exit = nullptr;

void report_at_exit(const char *where) {
    CUevent event = nullptr;
    GS_FINDING("    %s: cuEventQuery -> %d, cuStreamQuery -> %d, cuEventCreate -> %d", where,
               d.event_query(g_event_at_exit), d.stream_query(g_stream_at_exit),
               d.event_create(&event, CU_EVENT_DISABLE_TIMING));
}

struct EarlyObject {
    bool armed = false;
    ~EarlyObject() {
        if (armed) report_at_exit("destructor of a static object made before cuInit");
    }
};
EarlyObject g_early_object;

void calls_at_exit() {
    start();
    g_early_object.armed = true;
    g_event_at_exit = new_event();
    g_stream_at_exit = new_stream();
    GS_FINDING("leaving main");
    std::atexit([] { report_at_exit("atexit handler registered after cuInit"); });
    std::exit(0);
}

// P16
void failed_init_again() {
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    load_driver();
    const CUresult first = d.init(0);
    unsetenv("CUDA_VISIBLE_DEVICES");
    const CUresult second = d.init(0);
    int count = -1;
    const CUresult counted = d.device_get_count(&count);
    GS_FINDING("cuInit with no visible device -> %d, again with all visible -> %d, count %d (-> %d)", first, second,
               count, counted);
}

// P17. Whether driver streams can be created while a stream is held, by a wait on a word of memory or by a host function.
std::atomic<bool> g_held_function{false};
std::atomic<bool> g_release{false};

void hold_in_host_function(void *) {
    g_held_function = true;
    while (!g_release) std::this_thread::yield();
}

template <bool kHostFunction>
void create_while_held() {
    start();
    CUstream held = new_stream();
    Gate gate;
    if (kHostFunction) {
        GS_MUST(d.launch_host_func(held, hold_in_host_function, nullptr));
        while (!g_held_function) std::this_thread::yield();
    } else {
        gate.close(held);
    }
    static std::atomic<int> made{0};
    std::thread creator([] {
        CUcontext context = nullptr;
        GS_MUST(d.primary_ctx_retain(&context, 0));
        GS_MUST(d.ctx_set_current(context));
        for (int i = 0; i < 200; ++i, ++made) new_stream();
    });
    for (int waited = 0; made < 200 && waited < 100; ++waited)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const int before = made;
    gate.open();
    g_release = true;
    creator.join();
    GS_FINDING("%d of 200 streams were created within 5 s while a stream was held; %d after it continued", before,
               made.load());
}

} // namespace

const Probe kLifetimeProbes[] = {
    {"P8.identity", reset_and_identity, true},
    {"P8.event_query.dead", dead_event_query<false>, true},
    {"P8.event_query.again", dead_event_query<true>, true},
    {"P8.event_destroy.dead", dead_event_destroy<false>, true},
    {"P8.event_destroy.again", dead_event_destroy<true>, true},
    {"P8.stream_query.dead", dead_stream_query<false>, true},
    {"P8.stream_query.again", dead_stream_query<true>, true},
    {"P8.stream_destroy.dead", dead_stream_destroy<false>, true},
    {"P8.stream_destroy.again", dead_stream_destroy<true>, true},
    {"P9.exporter_ends", exporter_ends},
    {"P9.garbage", open_garbage},
    {"P12", calls_at_exit},
    {"P16", failed_init_again},
    {"P17.word", create_while_held<false>},
    {"P17.host_function", create_while_held<true>},
};
const int kLifetimeProbeCount = static_cast<int>(sizeof kLifetimeProbes / sizeof kLifetimeProbes[0]);

} // namespace probes
