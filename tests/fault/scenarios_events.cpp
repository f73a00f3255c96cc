// SPDX-License-Identifier: Apache-2.0
#include "fault/scenario.hpp"

namespace gs::test {
namespace {

void event_life(Run &run) {
    int32_t done = 0;
    uint64_t id = 0;
    uintptr_t native = 0;
    gs_device_t device = 0;
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    STREAM(other);
    MAKE(other, gs_stream_create(0, 0, 0, other.out()));
    EVENT(event);
    MAKE(event, gs_event_create(0, event.out()));
    DO(gs_event_query(event, run.out(&done)));
    DO(gs_stream_sleep(stream, 100000));
    DO(gs_event_record(event, stream));
    DO(gs_event_wait(event, other));
    DO(gs_event_query(event, run.out(&done)));
    DO(gs_event_synchronize(event));
    DO(gs_event_id(event, run.out(&id)));
    DO(gs_event_device(event, run.out(&device)));
    gs_event_info_t info{};
    info.struct_size = sizeof info;
    DO(gs_event_get_info(event, &info));
    DO(gs_event_native(event, run.out(&native)));
    DO(gs_event_retain(event));
    CLEAN(gs_event_destroy(event));
}

void timed(Run &run) {
    double ms = 0;
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    EVENT(start);
    MAKE(start, gs_event_create(GS_EVENT_TIMING, start.out()));
    EVENT(end);
    MAKE(end, gs_event_create(GS_EVENT_TIMING | GS_EVENT_BLOCKING, end.out()));
    DO(gs_event_record(start, stream));
    DO(gs_stream_sleep(stream, 1000));
    DO(gs_event_record(end, stream));
    DO(gs_event_synchronize(end));
    DO(gs_event_elapsed_ms(start, end, run.out(&ms)));
    int64_t ns = 0, error = 0;
    DO(gs_device_calibrate(0, run.out(&error)));
    DO(gs_event_time_ns(end, &ns, &error));
}

void interprocess(Run &run) {
    gs_ipc_handle_t handle{};
    EVENT(event);
    MAKE(event, gs_event_create(GS_EVENT_INTERPROCESS, event.out()));
    DO(gs_event_ipc_export(event, run.out(&handle)));
    gs_event_t opened = nullptr;
    DO_FAILING(GS_ERROR_NOT_SUPPORTED, gs_event_ipc_open(0, &handle, run.out(&opened)));
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    DO(gs_event_record(event, stream));
    DO(gs_event_synchronize(event));
}

// Events pass through the pool, and back to the driver.
void event_pool(Run &run) {
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    for (int round = 0; round < 2; ++round) {
        EVENT(first);
        MAKE(first, gs_event_create(0, first.out()));
        EVENT(second);
        MAKE(second, gs_event_create(0, second.out()));
        DO(gs_event_record(first, stream));
        DO(gs_event_record(second, stream));
    }
    DO(gs_stream_synchronize(stream));
    DO(gs_trim());
}

void external(Run &run) {
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    EVENT(event);
    MAKE(event, gs_event_create(GS_EVENT_EXTERNAL, event.out()));
    DO(gs_event_record(event, stream));
    DO(gs_event_wait(event, stream));
    DO(gs_event_synchronize(event));
}

} // namespace

std::vector<Scenario> event_scenarios() {
    return {{"event_life", event_life},
            {"event_timed", timed},
            {"event_ipc", interprocess},
            {"event_pool", event_pool},
            {"event_external", external}};
}

} // namespace gs::test
