// SPDX-License-Identifier: Apache-2.0
// P3 and P4: which calls are illegal, and which of them break a capture, by capture mode, thread and the thread's mode.
// A cell "a/b" means: the call returned a, ending the capture afterwards returned b (901: the capture was broken).
#include <string>
#include <thread>

#include "probe_driver.hpp"

namespace probes {
namespace {

struct Scene {
    CUcontext context;
    CUstream captured;              // being captured
    CUstream other;                 // idle, non-blocking
    CUevent inside;                 // recorded in the capture
    CUevent timed_start, timed_end; // recorded before it, complete
    CUstream victim_stream;
    CUevent victim_event;
};

struct Call {
    const char *name;
    CUresult (*make)(Scene &);
};

const Call kCalls[] = {
    {"IsCapturing(captured)",
     [](Scene &s) {
         CUstreamCaptureStatus v;
         return d.stream_is_capturing(s.captured, &v);
     }},
    {"IsCapturing(legacy)",
     [](Scene &) {
         CUstreamCaptureStatus v;
         return d.stream_is_capturing(CU_STREAM_LEGACY, &v);
     }},
    {"StreamGetId(captured)",
     [](Scene &s) {
         unsigned long long v;
         return d.stream_get_id(s.captured, &v);
     }},
    {"StreamGetPriority(captured)",
     [](Scene &s) {
         int v;
         return d.stream_get_priority(s.captured, &v);
     }},
    {"StreamGetFlags(captured)",
     [](Scene &s) {
         unsigned v;
         return d.stream_get_flags(s.captured, &v);
     }},
    {"StreamGetCtx(captured)",
     [](Scene &s) {
         CUcontext v;
         return d.stream_get_ctx(s.captured, &v);
     }},
    {"StreamGetId(other)",
     [](Scene &s) {
         unsigned long long v;
         return d.stream_get_id(s.other, &v);
     }},
    {"StreamGetPriority(other)",
     [](Scene &s) {
         int v;
         return d.stream_get_priority(s.other, &v);
     }},
    {"StreamGetCtx(other)",
     [](Scene &s) {
         CUcontext v;
         return d.stream_get_ctx(s.other, &v);
     }},
    {"StreamQuery(captured)", [](Scene &s) { return d.stream_query(s.captured); }},
    {"StreamQuery(other)", [](Scene &s) { return d.stream_query(s.other); }},
    {"StreamQuery(legacy)", [](Scene &) { return d.stream_query(nullptr); }},
    {"StreamSynchronize(other)", [](Scene &s) { return d.stream_synchronize(s.other); }},
    {"EventQuery(inside)", [](Scene &s) { return d.event_query(s.inside); }},
    {"EventQuery(before)", [](Scene &s) { return d.event_query(s.timed_start); }},
    {"EventSynchronize(before)", [](Scene &s) { return d.event_synchronize(s.timed_start); }},
    {"EventElapsedTime(before)",
     [](Scene &s) {
         float v;
         return d.event_elapsed_time(&v, s.timed_start, s.timed_end);
     }},
    {"EventRecord(on other)", [](Scene &s) { return d.event_record(s.victim_event, s.other); }},
    {"EventCreate",
     [](Scene &) {
         CUevent v;
         return d.event_create(&v, CU_EVENT_DISABLE_TIMING);
     }},
    {"EventDestroy(unused)", [](Scene &s) { return d.event_destroy(s.victim_event); }},
    {"StreamCreate",
     [](Scene &) {
         CUstream v;
         return d.stream_create(&v, CU_STREAM_NON_BLOCKING, 0);
     }},
    {"StreamDestroy(idle)", [](Scene &s) { return d.stream_destroy(s.victim_stream); }},
    {"CtxSynchronize", [](Scene &) { return d.ctx_synchronize(); }},
    {"CtxGetDevice",
     [](Scene &) {
         CUdevice v;
         return d.ctx_get_device(&v);
     }},
    {"CtxGetId",
     [](Scene &s) {
         unsigned long long v;
         return d.ctx_get_id(s.context, &v);
     }},
    {"CtxGetStreamPriorityRange",
     [](Scene &) {
         int a, b;
         return d.ctx_get_stream_priority_range(&a, &b);
     }},
    {"MemAlloc",
     [](Scene &) {
         CUdeviceptr v;
         return d.mem_alloc(&v, 4096);
     }},
    {"MemHostAlloc",
     [](Scene &) {
         void *v;
         return d.mem_host_alloc(&v, 4096, 0);
     }},
    {"MemAllocAsync(other)",
     [](Scene &s) {
         CUdeviceptr v;
         return d.mem_alloc_async(&v, 4096, s.other);
     }},
    {"MemGetInfo",
     [](Scene &) {
         size_t a, b;
         return d.mem_get_info(&a, &b);
     }},
};

Scene make_scene(CUcontext context) {
    Scene scene{};
    scene.context = context;
    scene.captured = new_stream();
    scene.other = new_stream();
    scene.inside = new_event();
    scene.timed_start = new_event(CU_EVENT_DEFAULT);
    scene.timed_end = new_event(CU_EVENT_DEFAULT);
    scene.victim_stream = new_stream();
    scene.victim_event = new_event();
    GS_MUST(d.event_record(scene.timed_start, scene.other));
    GS_MUST(d.event_record(scene.timed_end, scene.other));
    GS_MUST(d.ctx_synchronize());
    return scene;
}

CUresult call_in_mode(const Call &call, Scene &scene, bool relaxed) {
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (relaxed) GS_MUST(d.thread_exchange_capture_mode(&mode));
    const CUresult result = call.make(scene);
    if (relaxed) GS_MUST(d.thread_exchange_capture_mode(&mode));
    return result;
}

std::string cell(const Call &call, CUcontext context, CUstreamCaptureMode capture_mode, bool other_thread,
                 bool relaxed) {
    Scene scene = make_scene(context);
    GS_MUST(d.stream_begin_capture(scene.captured, capture_mode));
    GS_MUST(d.event_record(scene.inside, scene.captured));
    CUresult result = CUDA_SUCCESS;
    if (other_thread)
        std::thread([&] {
            GS_MUST(d.ctx_set_current(context));
            result = call_in_mode(call, scene, relaxed);
        }).join();
    else
        result = call_in_mode(call, scene, relaxed);
    CUgraph graph = nullptr;
    const CUresult ended = d.stream_end_capture(scene.captured, &graph);
    if (graph) (void)d.graph_destroy(graph);
    return std::to_string(static_cast<int>(result)) + "/" + std::to_string(static_cast<int>(ended));
}

void capture_matrix(CUstreamCaptureMode mode, const char *name) {
    const CUcontext context = start();
    GS_FINDING("%s capture; columns: same thread, same thread relaxed, other thread, other thread relaxed", name);
    for (const Call &call : kCalls) {
        std::string row;
        for (const bool other_thread : {false, true})
            for (const bool relaxed : {false, true}) {
                const std::string text = cell(call, context, mode, other_thread, relaxed);
                row += text + std::string(text.size() < 10 ? 10 - text.size() : 1, ' ');
            }
        GS_FINDING("  %-28s %s", call.name, row.c_str());
    }
}

} // namespace

const Probe kCaptureProbes[] = {
    {"P3.global", [] { capture_matrix(CU_STREAM_CAPTURE_MODE_GLOBAL, "global"); }},
    {"P3.thread_local", [] { capture_matrix(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, "thread-local"); }},
    {"P3.relaxed", [] { capture_matrix(CU_STREAM_CAPTURE_MODE_RELAXED, "relaxed"); }},
};
const int kCaptureProbeCount = static_cast<int>(sizeof kCaptureProbes / sizeof kCaptureProbes[0]);

} // namespace probes
