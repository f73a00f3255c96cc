// SPDX-License-Identifier: Apache-2.0
// The calls of the generated table that leave no trace, or one that their undo ends: a new function of these kinds is in
// the fault loop by itself.
#include "calls/calls.hpp"
#include "fault/scenario.hpp"

namespace gs::test {
namespace {

void repeatable(Run &run) {
    static const std::vector<Call> calls = repeatable_calls();
    static uint64_t words[8]; // which the calls of this kind only name
    Objects o;
    o.host_memory = words;
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    STREAM(recorder);
    MAKE(recorder, gs_stream_create(0, 0, 0, recorder.out()));
    EVENT(event);
    MAKE(event, gs_event_create(0, event.out()));
    EVENT(timed);
    MAKE(timed, gs_event_create(GS_EVENT_TIMING, timed.out()));
    EVENT(shared);
    MAKE(shared, gs_event_create(GS_EVENT_INTERPROCESS, shared.out()));
    EVENT(fresh);
    MAKE(fresh, gs_event_create(0, fresh.out()));
    Made<gs_queue_t, gs_queue_destroy> queue(run, "gs_queue_destroy(queue)");
    MAKE(queue, gs_queue_create(1u << 20, 0, queue.out()));
    Made<gs_timeline_t, gs_timeline_destroy> timeline(run, "gs_timeline_destroy(timeline)");
    MAKE(timeline, gs_timeline_create(0, 0, 0, timeline.out()));
    Made<gs_pool_t, gs_pool_destroy> pool(run, "gs_pool_destroy(pool)");
    MAKE(pool, gs_pool_create(0, nullptr, pool.out()));
    const uint32_t count = 1;
    Made<gs_partition_t, gs_partition_destroy> partition(run, "gs_partition_destroy(partition)");
    MAKE(partition, gs_partition_create(0, &count, 1, 0, partition.out()));
    DO(gs_stream_pack(stream, run.out(&o.triple)));
    DO(gs_event_record(event, recorder));
    DO(gs_event_record(timed, recorder));
    DO(gs_stream_synchronize(recorder));
    o.stream = stream;
    o.recorder = recorder;
    o.event = event;
    o.timed = timed;
    o.shared = shared;
    o.fresh = fresh;
    o.queue = queue;
    o.timeline = timeline;
    o.pool = pool;
    o.partition = partition;
    for (const Call &call : calls) {
        if (!run.step(call.name, GS_OK, [&] { return call.call(o); })) return;
        if (call.undo) run.clean(call.undo_name, [&] { return call.undo(o); });
    }
}

} // namespace

std::vector<Scenario> table_scenarios() { return {{"table_repeatable", repeatable}}; }

} // namespace gs::test
