// SPDX-License-Identifier: Apache-2.0
// Partitions: what they have, what is refused, their ends, and that a stream in one is a stream like any other.
#include <gtest/gtest.h>

#include <algorithm>
#include <gpustream.hpp>

#include "cpp/failure_of.hpp"

using namespace gpustream;
using gpustream::test::failure_of;

static_assert(!std::is_copy_constructible_v<partition> && std::is_nothrow_move_constructible_v<partition>);
static_assert(std::is_convertible_v<partition, partition_ref> && !std::is_convertible_v<gs_partition_t, partition_ref>);

namespace {

// How many partitions the current device can be divided into, and what one has.
struct division {
    gs_partition_summary_t smallest = partition::create(1).info();
    uint32_t unit = smallest.unit_sm_count;
    uint32_t units = smallest.device_sm_count / unit;
};

TEST(Partitions, ReportWhatTheyHave) {
    const partition part = partition::create(1);
    gs_partition_summary_t has = part.info();
    EXPECT_EQ(has.requested_sm_count, 1u);
    EXPECT_EQ(has.sm_count, has.unit_sm_count) << "rounded up to one unit";
    EXPECT_GE(has.device_sm_count, has.sm_count);
    EXPECT_EQ(device(has.device), current_device());
    EXPECT_EQ(has.native == 0, default_backend() == backend::host);
    EXPECT_EQ(has.streams, 0u);
    {
        const stream one = part.create_stream(), two = part.create_stream();
        EXPECT_EQ(part.info().streams, 2u);
    }
    EXPECT_EQ(part.info().streams, 0u);
}

TEST(Partitions, SeveralAtOnce) {
    const division has;
    const std::vector<uint32_t> counts(std::min(has.units, 3u), 1);
    const std::vector<partition> parts = partition::split(counts);
    ASSERT_EQ(parts.size(), counts.size());
    for (const partition &part : parts) {
        EXPECT_EQ(part.info().sm_count, has.unit);
        EXPECT_EQ(std::count(parts.begin(), parts.end(), part), 1) << "none is given twice";
    }
    const std::vector<uint32_t> too_many(has.units + 1, has.unit);
    EXPECT_EQ(failure_of([&] { static_cast<void>(partition::split(too_many)); }), status::invalid_argument);
    if (has.units < 2) return;
    const auto [urgent, batch] = partition::split({1, has.unit}, device::current(), partition_flags::none);
    EXPECT_NE(urgent, batch);
    EXPECT_EQ(urgent.info().requested_sm_count, 1u);
    EXPECT_EQ(batch.info().requested_sm_count, has.unit);
    const stream quick = urgent.create_stream(priority_level::high), slow = batch.create_stream();
    const event done = event::create();
    slow.record(done);
    quick.wait(done);
    quick.synchronize();
    EXPECT_TRUE(done.query());
}

TEST(Partitions, Flags) {
    const division has;
    EXPECT_EQ(partition::create(has.unit, device::current(), partition_flags::exact).info().sm_count, has.unit);
    const auto inexact = [&] {
        static_cast<void>(partition::create(has.unit + 1, device::current(), partition_flags::exact));
    };
    // No number is inexact where the unit is 1, and then one more may be too many.
    if (has.unit > 1)
        EXPECT_EQ(failure_of(inexact), status::invalid_argument);
    else
        EXPECT_EQ(failure_of(inexact), has.units > 1 ? status::ok : status::invalid_argument);
    EXPECT_LE(partition::create(1, device::current(), partition_flags::fine).info().unit_sm_count, has.unit);
    EXPECT_EQ(partition::create(1, device::current(), partition_flags::plan).info().sm_count, has.unit);
    static_assert(static_cast<uint32_t>(coscheduled(16) | concurrency(4)) ==
                  16 * GS_PARTITION_COSCHEDULED + 4 * GS_PARTITION_CONCURRENCY);
}

TEST(Partitions, Refusals) {
    const division has;
    EXPECT_EQ(failure_of([] { static_cast<void>(partition::create(0)); }), status::invalid_argument);
    EXPECT_EQ(failure_of([] { static_cast<void>(partition::split({1, 0})); }), status::invalid_argument);
    EXPECT_EQ(failure_of([] { static_cast<void>(partition::split({})); }), status::invalid_argument);
    EXPECT_EQ(failure_of([&] { static_cast<void>(partition::create(has.smallest.device_sm_count + 1)); }),
              status::invalid_argument);
    EXPECT_EQ(failure_of([] { static_cast<void>(partition::create(1, device::current(), partition_flags{64})); }),
              status::invalid_argument);
    EXPECT_EQ(failure_of([] { static_cast<void>(partition::create(1, 99)); }), status::invalid_device);
    const partition part = partition::create(1);
    for (const stream_flags flags : {stream_flags::blocking, stream_flags::shared})
        EXPECT_EQ(failure_of([&] { static_cast<void>(part.create_stream(0, flags)); }), status::invalid_argument);
    EXPECT_EQ(part.info().streams, 0u);
}

TEST(Partitions, TheirStreamsAreStreams) {
    const partition part = partition::create(1);
    const stream work = part.create_stream(priority_level::high, stream_flags::dedicated);
    EXPECT_EQ(work.priority(), device::current().priority_range().greatest);
    EXPECT_TRUE(work.flags() & stream_flags::dedicated);
    EXPECT_EQ(work.device(), device(part.info().device));
    const stream other = stream::create();
    const event ready = event::create(), done = event::create();
    host_buffer bytes = host_buffer::create(8);
    other.record(ready);
    work.wait(ready);
    fill(bytes.data(), 7, 8, work);
    work.record(done);
    done.synchronize();
    EXPECT_EQ(static_cast<const unsigned char *>(bytes.data())[7], 7);
    work.synchronize();
}

TEST(Partitions, EndBeforeTheirStreams) {
    partition part = partition::create(1);
    const partition_ref kept(part.get());
    const stream work = part.create_stream();
    part.close();
    const event done = event::create();
    work.record(done);
    work.synchronize();
    EXPECT_TRUE(done.query()) << "its streams work on";
    EXPECT_EQ(failure_of([&] { static_cast<void>(kept.info()); }), status::invalid_handle);
    EXPECT_EQ(failure_of([&] { static_cast<void>(kept.create_stream()); }), status::invalid_handle);
    EXPECT_EQ(failure_of([&] { static_cast<void>(part.create_stream()); }), status::invalid_handle);
    EXPECT_EQ(failure_of([&] { part.close(); }), status::invalid_handle);
}

TEST(Partitions, EndWithTheirOwner) {
    partition_ref kept;
    {
        partition part = partition::create(1);
        const partition moved = std::move(part);
        EXPECT_FALSE(part); // NOLINT(bugprone-use-after-move): what is left is specified
        kept = moved;
        EXPECT_EQ(kept.info().streams, 0u);
    }
    EXPECT_EQ(failure_of([&] { static_cast<void>(kept.info()); }), status::invalid_handle);
}

} // namespace
