// SPDX-License-Identifier: Apache-2.0
// Partitions: what they report, what they refuse, their ends, and that a stream in one is a stream like any other.
#include <sched.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/partitions.hpp"

namespace gs::test {
TEST_P(Conformance, Partitions_ReportTrueNumbers) {
    Partition partition = make_partition(1);
    gs_partition_summary_t summary = summary_of(partition);
    EXPECT_EQ(summary.requested_sm_count, 1u);
    ASSERT_GE(summary.unit_sm_count, 1u);
    EXPECT_EQ(summary.sm_count, summary.unit_sm_count) << "rounded up to one unit";
    EXPECT_GE(summary.device_sm_count, summary.sm_count);
    EXPECT_EQ(summary.streams, 0u);
    gs_device_t device = GS_DEVICE_NONE;
    ASSERT_OK(gs_current_device(&device));
    EXPECT_EQ(summary.device, device);
    EXPECT_EQ(summary.native == 0, on_host());
    {
        Stream one = stream_in(partition), two = stream_in(partition);
        EXPECT_EQ(summary_of(partition).streams, 2u);
    }
    EXPECT_EQ(summary_of(partition).streams, 0u);
    summary.struct_size = 8;
    summary.sm_count = 77;
    EXPECT_OK(gs_partition_info(partition, &summary));
    EXPECT_EQ(summary.sm_count, 77u) << "the caller's struct ends before it";
    summary.struct_size = 4;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_partition_info, "struct_size", partition, &summary);
}

TEST_P(Conformance, Partitions_AllOrNone) {
    const gs_partition_summary_t one = summary_of(make_partition(1));
    const uint32_t most = one.device_sm_count / one.unit_sm_count * one.unit_sm_count;
    gs_partition_t made[3] = {};
    const uint32_t too_many[] = {most, one.unit_sm_count};
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create, "do not fit", GS_DEVICE_CURRENT, too_many, 2, 0, made);
    EXPECT_EQ(made[0], nullptr);
    EXPECT_EQ(made[1], nullptr);
    const uint32_t huge[] = {UINT32_MAX, UINT32_MAX};
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create, "do not fit", GS_DEVICE_CURRENT, huge, 2, 0, made);
    ASSERT_OK(gs_partition_create(GS_DEVICE_CURRENT, &most, 1, 0, made));
    const uint32_t got = summary_of(made[0]).sm_count;
    EXPECT_TRUE(got == most || got == one.device_sm_count) << got; // a driver may add what no other partition can get
    ASSERT_OK(gs_partition_destroy(made[0]));
    ASSERT_OK(gs_partition_create(GS_DEVICE_CURRENT, &one.device_sm_count, 1, GS_PARTITION_EXACT, made));
    EXPECT_EQ(summary_of(made[0]).sm_count, one.device_sm_count) << "one partition may have all that there is";
    ASSERT_OK(gs_partition_destroy(made[0]));
    if (most < 3 * one.unit_sm_count) return;
    const uint32_t unequal[] = {one.unit_sm_count, 1, one.unit_sm_count};
    ASSERT_OK(gs_partition_create(GS_DEVICE_CURRENT, unequal, 3, 0, made));
    for (gs_partition_t partition : made) {
        EXPECT_EQ(summary_of(partition).sm_count, one.unit_sm_count);
        ASSERT_OK(gs_partition_destroy(partition));
    }
}

TEST_P(Conformance, Partitions_Refusals) {
    const uint32_t one = 1;
    const uint32_t with_none[] = {1, 0};
    gs_partition_t made[2] = {};
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create, "1 to 1024", 0, &one, 0, 0, made);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create, "1 to 1024", 0, &one, 1025, 0, made);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create, "counts[1] is 0", 0, with_none, 2, 0, made);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create, "0x10", 0, &one, 1, 16, made);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create, "0x80000000", 0, &one, 1, 1u << 31, made);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create, "apart or together", 0, &one, 1,
                 GS_PARTITION_FINE | 4 * GS_PARTITION_COSCHEDULED, made);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create, "counts", 0, nullptr, 1, 0, made);
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_partition_create(device_count(), &one, 1, 0, made));
    Partition partition = make_partition(1);
    gs_stream_t stream = nullptr;
    for (uint32_t flags : {uint32_t{GS_STREAM_BLOCKING}, uint32_t{GS_STREAM_SHARED}, 64u})
        EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_create_in, "neither blocking", partition, 0, flags, &stream);
    if (summary_of(partition).unit_sm_count > 1)
        EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create, "units of", GS_DEVICE_CURRENT, &one, 1,
                     GS_PARTITION_EXACT, made);
    else
        EXPECT_EQ(summary_of(make_partition(1, GS_PARTITION_EXACT)).sm_count, 1u);
    EXPECT_LE(summary_of(make_partition(1, GS_PARTITION_FINE)).sm_count, summary_of(partition).sm_count);
}

TEST_P(Conformance, Partitions_APlanTellsTheNumbersAndHasNoStreams) {
    const gs_partition_summary_t unit = summary_of(make_partition(1));
    const uint32_t counts[] = {1, unit.unit_sm_count + 1};
    const bool two = 3 * unit.unit_sm_count <= unit.device_sm_count;
    gs_partition_t planned[2] = {}, made[2] = {};
    ASSERT_OK(gs_partition_create(GS_DEVICE_CURRENT, counts, two ? 2 : 1, GS_PARTITION_PLAN, planned));
    ASSERT_OK(gs_partition_create(GS_DEVICE_CURRENT, counts, two ? 2 : 1, 0, made));
    for (int i = 0; i < (two ? 2 : 1); ++i) {
        const gs_partition_summary_t plan = summary_of(planned[i]), real = summary_of(made[i]);
        EXPECT_EQ(plan.sm_count, real.sm_count);
        EXPECT_EQ(plan.requested_sm_count, counts[i]);
        EXPECT_EQ(plan.device_sm_count, real.device_sm_count);
        EXPECT_EQ(plan.unit_sm_count, real.unit_sm_count);
        EXPECT_EQ(plan.native, 0u);
        gs_stream_t stream = nullptr;
        EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_create_in, "is a plan", planned[i], 0, 0, &stream);
        EXPECT_EQ(summary_of(planned[i]).streams, 0u);
        EXPECT_OK(gs_partition_destroy(planned[i]));
        EXPECT_OK(gs_partition_destroy(made[i]));
    }
    const uint32_t too_many[] = {unit.device_sm_count, unit.device_sm_count};
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create, "do not fit", GS_DEVICE_CURRENT, too_many, 2,
                 GS_PARTITION_PLAN, planned);
}

// What needs a newer driver is refused with that reason by older ones.
TEST_P(Conformance, Partitions_QueuesAndWhatRunsTogether) {
    constexpr uint32_t kQueues = GS_PARTITION_QUEUES | 4 * GS_PARTITION_CONCURRENCY;
    constexpr uint32_t kTogether = 2 * GS_PARTITION_COSCHEDULED;
    for (const uint32_t flags : {kQueues, kTogether, kQueues | kTogether}) {
        const uint32_t one = 1, odd = 3;
        gs_partition_t made = nullptr;
        const gs_status_t status = gs_partition_create(GS_DEVICE_CURRENT, &one, 1, flags, &made);
        if (!on_host() && status == GS_ERROR_NOT_SUPPORTED) {
            EXPECT_NE(std::string(last_error().message).find("13.1"), std::string::npos) << last_error().message;
            continue;
        }
        if (on_host() && status == GS_ERROR_INVALID_ARGUMENT) continue; // one worker
        ASSERT_EQ(status, GS_OK) << last_error().message;
        Partition partition(made);
        Stream stream = stream_in(partition);
        Bytes bytes(1);
        bytes.set(stream, 0, 4);
        ASSERT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(bytes[0], 4);
        if ((flags & kTogether) == 0) continue;
        EXPECT_EQ(summary_of(partition).sm_count, 2u);
        EXPECT_EQ(summary_of(partition).unit_sm_count, 2u);
        EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_partition_create, "units of 2", GS_DEVICE_CURRENT, &odd, 1,
                     flags | GS_PARTITION_EXACT, &made);
    }
}

TEST_P(Conformance, Partitions_StreamsAreStreams) {
    Partition partition = make_partition(1);
    Stream stream = stream_in(partition, -1000), other = make_stream();
    int32_t priority = 0, least = 0, greatest = 0, is_default = 1;
    ASSERT_OK(gs_device_priority_range(GS_DEVICE_CURRENT, &least, &greatest));
    priority = facts_of(stream).priority;
    EXPECT_EQ(priority, greatest) << "clamped";
    is_default = facts_of(stream).id == 0 ? 1 : 0;
    EXPECT_EQ(is_default, 0);
    uint32_t flags = 0;
    flags = facts_of(stream).flags;
    EXPECT_EQ(flags & GS_STREAM_BLOCKING, 0u);
    gs_device_t device = GS_DEVICE_NONE;
    ASSERT_OK(gs_stream_device(stream, &device));
    EXPECT_EQ(device, summary_of(partition).device);

    Bytes bytes(4);
    Event event = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(other));
    ASSERT_OK(gs_event_record(event, other));
    ASSERT_OK(gs_stream_wait_event(stream, event));
    bytes.set(stream, 0, 1);
    EXPECT_FALSE(done(stream)) << "it waits for a stream that is in no partition";
    gate.open();
    ASSERT_OK(gs_stream_wait_stream(other, stream));
    bytes.set(other, 1, 2);
    ASSERT_OK(gs_stream_synchronize(other));
    EXPECT_EQ(bytes[0], 1);
    EXPECT_EQ(bytes[1], 2);

    uint64_t scope = 0;
    ASSERT_OK(gs_push_current_stream(stream, &scope));
    ASSERT_OK(gs_event_record(event, GS_STREAM_CURRENT));
    ASSERT_OK(gs_pop_current_stream(scope));
    ASSERT_OK(gs_event_synchronize(event));

    uintptr_t native = 0;
    ASSERT_OK(gs_stream_native(stream, &native));
    gs_stream_t wrapped = nullptr;
    ASSERT_OK(gs_stream_from_native(GS_DEVICE_CURRENT, native, &wrapped));
    EXPECT_EQ(wrapped, stream.get()) << "its raw handle is known";
    ASSERT_OK(gs_stream_destroy(wrapped));
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_stream_into_native, "of a partition", stream, &native);
    EXPECT_EQ(native, 0u);
    EXPECT_TRUE(done(stream)) << "it is still the caller's";
}

TEST_P(Conformance, Partitions_ACaptureOfTheirStreams) {
    Partition partition = make_partition(1);
    Stream stream = stream_in(partition), plain = make_stream();
    Bytes bytes(1);
    gs_graph_t graph = nullptr;
    gs_graph_exec_t exec = nullptr;
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL));
    bytes.set(stream, 0, 9);
    ASSERT_OK(gs_stream_end_capture(stream, &graph));
    ASSERT_OK(gs_graph_instantiate(graph, 0, &exec));
    for (gs_stream_t where : {stream.get(), plain.get()}) {
        bytes.set(where, 0, 0);
        ASSERT_OK(gs_graph_exec_launch(exec, where));
        ASSERT_OK(gs_stream_synchronize(where));
        EXPECT_EQ(bytes[0], 9);
    }
    // Making partitions and streams leaves a capture of this thread as it is.
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_GLOBAL));
    { Stream another = stream_in(make_partition(1)); }
    gs_graph_t second = nullptr;
    EXPECT_OK(gs_stream_end_capture(stream, &second));
    ASSERT_OK(gs_graph_destroy(second));
    ASSERT_OK(gs_graph_exec_destroy(exec));
    ASSERT_OK(gs_graph_destroy(graph));
}

TEST_P(Conformance, Partitions_EndBeforeTheirStreams) {
    Partition partition = make_partition(1);
    const gs_partition_t handle = partition.get();
    Stream stream = stream_in(partition);
    partition.reset();
    Bytes bytes(1);
    bytes.set(stream, 0, 5);
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(bytes[0], 5) << "its streams work on";
    gs_partition_summary_t summary{};
    summary.struct_size = sizeof summary;
    gs_stream_t none = nullptr;
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_partition_info, "was destroyed", handle, &summary);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_create_in(handle, 0, 0, &none));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_partition_destroy(handle));
    stream.reset();
    EXPECT_NE(make_partition(1).get(), handle) << "a number is not used again";
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_partition_destroy(handle));
}

// As streams of the device do, but no partition gets one of another.
TEST_P(Conformance, Partitions_ReuseTheirStreams) {
    Partition partition = make_partition(1), other = make_partition(1);
    const auto use = [](Stream stream) {
        Event event = make_event();
        EXPECT_OK(gs_event_record(event, stream));
        EXPECT_OK(gs_stream_synchronize(stream));
        uint64_t id = 0;
        EXPECT_OK(gs_stream_driver_id(stream, &id));
        return id;
    };
    const uint64_t first = use(stream_in(partition));
    const StatsDelta stats;
    EXPECT_NE(use(stream_in(other)), first);
    EXPECT_EQ(stats.since(&gs_stats_t::stream_pool_misses), 1u);
    EXPECT_EQ(use(stream_in(partition)), first);
    EXPECT_EQ(stats.since(&gs_stats_t::stream_pool_hits), 1u);
    EXPECT_EQ(summary_of(partition).streams, 0u) << "it is not the caller's";
    Stream again = stream_in(partition);
    partition.reset();
    EXPECT_EQ(use(std::move(again)), first) << "it works on";
}

// Threads make streams in a partition while another ends it: a call finds it or does not.
TEST_P(Conformance, Partitions_EndWhileThreadsUseThem) {
    for (int round = 0; round < 20; ++round) {
        const uint32_t one = 1;
        gs_partition_t partition = nullptr;
        ASSERT_OK(gs_partition_create(GS_DEVICE_CURRENT, &one, 1, 0, &partition));
        std::atomic<int> begun{0}, refused{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; ++i)
            threads.emplace_back([&] {
                begun.fetch_add(1);
                for (int k = 0; k < 10; ++k) {
                    gs_stream_t stream = nullptr;
                    const gs_status_t status = gs_stream_create_in(partition, 0, 0, &stream);
                    if (status == GS_ERROR_INVALID_HANDLE) {
                        refused.fetch_add(1);
                        continue;
                    }
                    ASSERT_EQ(status, GS_OK);
                    EXPECT_OK(gs_stream_synchronize(stream));
                    EXPECT_OK(gs_stream_destroy(stream));
                }
            });
        while (begun.load() == 0) sched_yield();
        EXPECT_OK(gs_partition_destroy(partition));
        for (std::thread &thread : threads) thread.join();
        gs_stream_t late = nullptr;
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_create_in(partition, 0, 0, &late));
    }
}

} // namespace gs::test
