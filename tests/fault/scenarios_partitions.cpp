// SPDX-License-Identifier: Apache-2.0
// Partitions and streams in them, ended in both orders.
#include "fault/scenario.hpp"

namespace gs::test {
namespace {

void partitions(Run &run) {
    const uint32_t counts[] = {1, 9};
    gs_partition_t made[2];
    DO(gs_partition_create(0, counts, 2, 0, *run.out(&made)));
    {
        STREAM(first);
        if (run.step("gs_stream_create_in(made[0], 0, 0, first.out())", GS_OK,
                     [&] { return gs_stream_create_in(made[0], 0, 0, first.out()); })) {
            (void)first.keep(true);
            gs_partition_summary_t summary{};
            summary.struct_size = sizeof summary;
            (void)run.step("gs_partition_info(made[1], &summary)", GS_OK,
                           [&] { return gs_partition_info(made[1], &summary); });
            run.require(summary.sm_count == 16 && summary.unit_sm_count == 8, "two units");
        }
        CLEAN(gs_partition_destroy(made[0])); // before its stream
    }
    CLEAN(gs_partition_destroy(made[1]));
}

using MadePartition = Made<gs_partition_t, gs_partition_destroy>;

void partition_stream(Run &run) {
    const uint32_t count = 132; // all of the device
    MadePartition partition(run, "gs_partition_destroy(partition)");
    MAKE(partition, gs_partition_create(0, &count, 1, 0, partition.out()));
    STREAM(stream);
    EVENT(event);
    MAKE(stream, gs_stream_create_in(partition, -1, GS_STREAM_DEDICATED, stream.out()));
    MAKE(event, gs_event_create(0, event.out()));
    DO(gs_event_record(event, stream));
    DO(gs_stream_synchronize(stream));
}

// The second stream has the driver stream of the first.
void partition_streams_in_turn(Run &run) {
    const uint32_t count = 1;
    MadePartition partition(run, "gs_partition_destroy(partition)");
    MAKE(partition, gs_partition_create(0, &count, 1, 0, partition.out()));
    EVENT(event);
    MAKE(event, gs_event_create(0, event.out()));
    for (int turn = 0; turn < 2; ++turn) {
        STREAM(stream);
        MAKE(stream, gs_stream_create_in(partition, 0, 0, stream.out()));
        DO(gs_event_record(event, stream));
    }
}

} // namespace

std::vector<Scenario> partition_scenarios() {
    return {{"partitions", partitions},
            {"partition_stream", partition_stream},
            {"partition_streams_in_turn", partition_streams_in_turn},
            {"first_partition", partition_stream, true}};
}

} // namespace gs::test
