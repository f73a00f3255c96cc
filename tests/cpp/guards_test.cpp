// SPDX-License-Identifier: Apache-2.0
// Guards restore what was current, however their block ends.
#include <gtest/gtest.h>

#include <gpustream.hpp>
#include <optional>
#include <stdexcept>
#include <thread>

using namespace gpustream;

namespace {

TEST(Guards, NestAndRestore) {
    const stream_ref before = current_stream();
    const stream outer = stream::create(0);
    const stream inner = stream::create(1);
    {
        const stream_guard first(outer);
        EXPECT_TRUE(current_stream() == outer);
        {
            const stream_guard second(inner);
            EXPECT_EQ(current_device(), device(1));
            EXPECT_TRUE(current_stream() == inner);
        }
        EXPECT_EQ(current_device(), device(0));
        EXPECT_TRUE(current_stream() == outer);
    }
    EXPECT_TRUE(current_stream() == before);
}

TEST(Guards, RestoreWhenAnExceptionLeaves) {
    const stream_ref before = current_stream();
    const stream other = stream::create(1);
    try {
        const stream_guard guard(other);
        throw std::runtime_error("on the way out");
    } catch (const std::runtime_error &) {
        EXPECT_TRUE(current_stream() == before);
        EXPECT_EQ(current_device(), device(0));
    }
}

TEST(Guards, ThrowForADeadStreamAndChangeNothing) {
    const stream_ref before = current_stream();
    EXPECT_THROW(stream_guard{stream_ref()}, error);
    stream closed = stream::create();
    const stream_ref stale = closed;
    closed.reset();
    EXPECT_THROW(stream_guard{stale}, error);
    EXPECT_TRUE(current_stream() == before);
}

TEST(Guards, CloseRefusesWhatIsNotInnermost) {
    const stream_ref before = current_stream();
    const stream one = stream::create();
    const stream two = stream::create();
    stream_guard outer(one);
    {
        stream_guard inner(two);
        try {
            outer.close();
            ADD_FAILURE() << "closed out of order";
        } catch (const error &failure) {
            EXPECT_EQ(failure.status(), status::scope);
        }
        EXPECT_TRUE(current_stream() == two);
        inner.close();
        inner.close();
    }
    EXPECT_TRUE(current_stream() == one);
    outer.close();
    EXPECT_TRUE(current_stream() == before);
}

TEST(Guards, OuterOnesEndIsTheInnerOnesEnd) {
    const stream_ref before = current_stream();
    const stream one = stream::create();
    const stream two = stream::create();
    std::optional<stream_guard> outer(std::in_place, one);
    std::optional<stream_guard> inner(std::in_place, two);
    outer.reset();
    EXPECT_TRUE(current_stream() == before);
    inner.reset();
    EXPECT_TRUE(current_stream() == before);
}

TEST(Guards, BelongToTheirThread) {
    const stream other = stream::create();
    const stream_guard guard(other);
    std::thread([&] {
        EXPECT_FALSE(current_stream() == other);
        EXPECT_TRUE(current_stream() == default_stream(0));
    }).join();
}

TEST(Guards, DeviceGuardRestoresTheDevice) {
    set_current_device(0);
    {
        const device_guard guard(1);
        EXPECT_EQ(guard.previous(), device(0));
        EXPECT_EQ(current_device(), device(1));
    }
    EXPECT_EQ(current_device(), device(0));
    EXPECT_THROW(device_guard(99), error);
    EXPECT_EQ(current_device(), device(0));
}

TEST(Guards, OfDevicesAndStreamsEndInAnyOrder) {
    const stream work = stream::create(device(1));
    const stream_ref before = current_stream();
    std::optional<device_guard> outer(std::in_place, device(1));
    std::optional<stream_guard> inner(std::in_place, work);
    outer.reset();
    EXPECT_EQ(current_device(), device(0));
    inner.reset();
    EXPECT_EQ(current_device(), device(0));
    EXPECT_EQ(current_stream(), before);
    EXPECT_NE(current_stream(device(1)), work);
}

TEST(Guards, CurrentStreamInOtherSpellings) {
    const stream other = stream::create(1);
    const stream_guard guard(other);
    const event mark = event::create();
    stream_ref::current().record(mark);
    EXPECT_EQ(mark.device(), device(1));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(current_cuda_stream()), other.native());
    const stream next = stream::create(1);
    const stream before = exchange_current_stream(next);
    EXPECT_TRUE(before == other);
    EXPECT_TRUE(current_stream() == next);
}

} // namespace
