// SPDX-License-Identifier: Apache-2.0
// Another library is led and followed while the driver fails.
#include "fault/scenario.hpp"

namespace gs::test {
namespace {

thread_local uintptr_t t_theirs[2] = {};

int32_t get(void *, int32_t ordinal, uintptr_t *out_native) {
    *out_native = t_theirs[ordinal];
    return 0;
}
int32_t set(void *, int32_t ordinal, uintptr_t native) {
    t_theirs[ordinal] = native;
    return 0;
}

void inside(Run &run, gs_stream_t other) {
    uint64_t inner = 0;
    gs_stream_t now = nullptr;
    uintptr_t native = 0;
    if (!run.step("gs_push_current_stream(other)", GS_OK,
                  [&] { return gs_push_current_stream(other, run.out(&inner)); }))
        return;
    EVENT(event);
    if (event.keep(run.step("gs_event_create(0)", GS_OK, [&] { return gs_event_create(0, event.out()); })))
        (void)run.step("gs_event_record(event)", GS_OK, [&] { return gs_event_record(event, GS_STREAM_CURRENT); });
    if (run.status == GS_OK)
        (void)run.step("gs_current_stream(1)", GS_OK, [&] { return gs_current_stream(1, run.out(&now)); });
    if (run.status == GS_OK)
        (void)run.step("gs_current_native(1)", GS_OK, [&] { return gs_current_native(1, run.out(&native)); });
    CLEAN(gs_pop_current_stream(inner));
}

void led_and_followed(Run &run, int32_t id, gs_stream_t stream, gs_stream_t other) {
    uint64_t outer = 0;
    int32_t found = 0;
    void *work = nullptr;
    DO(gs_bridge_find("fault loop", run.out(&found)));
    DO(gs_bridge_lead(id, 1));
    DO(gs_bridge_follow(id));
    if (run.step("gs_push_current_stream(stream)", GS_OK,
                 [&] { return gs_push_current_stream(stream, run.out(&outer)); })) {
        inside(run, other);
        CLEAN(gs_unwind_current_stream(outer));
    }
    run.called("gs_dlpack_current_work_stream(2, 0)");
    (void)gs_dlpack_current_work_stream(2, 0, &work);
    run.require(t_theirs[0] == 0 && t_theirs[1] == 0, "the scopes have restored what the library had");
}

void bridges(Run &run) {
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    STREAM(other);
    MAKE(other, gs_stream_create(1, 0, 0, other.out()));
    gs_bridge_t bridge{};
    bridge.struct_size = sizeof bridge;
    bridge.name = "fault loop";
    bridge.get = get;
    bridge.set = set;
    int32_t id = 0;
    DO(gs_bridge_register(&bridge, run.out(&id)));
    led_and_followed(run, id, stream, other);
    CLEAN(gs_bridge_unregister(id));
}

} // namespace

std::vector<Scenario> bridge_scenarios() { return {{"bridges", bridges}}; }

} // namespace gs::test
