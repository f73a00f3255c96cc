// SPDX-License-Identifier: Apache-2.0
// The same layer with results, in a program whose other files throw: the two forms do not meet.
#define GPUSTREAM_NOEXCEPT 1
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <gpustream.hpp>
#include <stdexcept>

#include "forms.hpp"

using namespace gpustream;

gs_status_t throw_without_exceptions(gs_stream_t stream) {
    const auto function = [] { throw std::runtime_error("in the other form"); };
    return static_cast<gs_status_t>(stream_ref(stream).launch_host(function).status());
}

namespace {

std::atomic<int> failures{0};

static_assert(std::is_same_v<outcome<void>, result<void>> && sizeof(result<void>) == sizeof(gs_status_t));

TEST(WithoutExceptions, ValuesAndFailures) {
    result<stream> made = stream::create();
    ASSERT_TRUE(made);
    EXPECT_EQ(made.status(), status::ok);
    const stream work = *std::move(made);
    const result<bool> done = work.query();
    ASSERT_TRUE(done.has_value());
    EXPECT_TRUE(done.value());
    const result<int32_t> none = device(99).utilization_percent();
    EXPECT_FALSE(none);
    EXPECT_EQ(device(99).utilization_percent().value_or(-1), -1);
    EXPECT_TRUE(work.synchronize());
    work.synchronize().value();
}

TEST(WithoutExceptions, ErrorsHaveTheRecord) {
    const result<gs_device_info_t> failed = device(99).info();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.status(), status::invalid_device);
    const error why = failed.error();
    EXPECT_EQ(why.function(), "gs_device_get_info");
    EXPECT_NE(std::string(why.what()).find("99"), std::string::npos);
    const result<void> dead = stream_ref().synchronize();
    EXPECT_EQ(dead.status(), status::invalid_handle);
    EXPECT_EQ(dead.error().function(), "gs_stream_synchronize");
}

TEST(WithoutExceptions, FailuresOfTheLayerAreStatusesOfC) {
    EXPECT_EQ(device(99).info().status(), status::invalid_device);
    const result<stream_pool> none = stream_pool::create(0);
    EXPECT_EQ(none.status(), status::invalid_argument);
    EXPECT_EQ(none.error().status(), status::invalid_argument);
    EXPECT_EQ(none.error().message(), "size is 0: a pool of streams has at least one");
}

TEST(WithoutExceptions, AnotherAbiIsAStatusWhoseTextNamesTheLibrary) {
    EXPECT_TRUE(require_abi());
    EXPECT_EQ(device(99).info().status(), status::invalid_device); // leaves a record, which is another failure's
    const result<void> failed(static_cast<gs_status_t>(wrong_abi));
    EXPECT_EQ(failed.status(), wrong_abi);
    const std::string text = failed.error().what();
    EXPECT_EQ(text.find("GPUSTREAM_WRONG_ABI: /"), 0u) << text;
    EXPECT_NE(text.find("/libgpustream.so"), std::string::npos) << text;
    EXPECT_NE(text.find(": its ABI version is 1, wanted is 1"), std::string::npos) << text;
}

TEST(WithoutExceptions, GuardsSayWhetherTheyHold) {
    const stream work = std::move(stream::create().value());
    {
        const stream_guard guard(work);
        EXPECT_EQ(guard.status(), status::ok);
        EXPECT_TRUE(current_stream().value() == work);
        const stream_guard refused{stream_ref()};
        EXPECT_EQ(refused.status(), status::invalid_handle);
        EXPECT_TRUE(current_stream().value() == work);
    }
    EXPECT_FALSE(current_stream().value() == work);
    EXPECT_EQ(device_guard(99).status(), status::invalid_device);
    EXPECT_EQ(capture(stream_ref()).status(), status::invalid_handle);
}

// The same function as for a file without exceptions, which catches none.
TEST(WithoutExceptions, ExceptionsOfCallbacksAreContained) {
    const stream work = std::move(stream::create().value());
    std::atomic<int> called{0};
    EXPECT_EQ(launch_with_exceptions_off(work.get(), [&] { ++called; }), GS_OK);
    failures.store(0);
    const callback_failure_handler before =
        set_callback_failure_handler([](const char *, std::exception_ptr) { ++failures; });
    const std::function<void()> function = [] { throw std::runtime_error("in the stream"); };
    EXPECT_TRUE(work.launch_host(function));
    EXPECT_TRUE(work.synchronize());
    set_callback_failure_handler(before);
    EXPECT_EQ(called.load(), 1);
    EXPECT_EQ(failures.load(), 1);
}

TEST(WithoutExceptions, AValueThatIsNotThereEndsTheProcess) {
    EXPECT_DEATH(device(99).info().value(), "");
    EXPECT_DEATH(stream_ref().synchronize().value(), "");
}

TEST(WithoutExceptions, FailuresLeaveEmptyOwners) {
    result<stream> failed = stream::create(99);
    ASSERT_FALSE(failed);
    EXPECT_FALSE(*failed);
    result<buffer> nothing = buffer::create(0, *failed);
    EXPECT_EQ(nothing->data(), nullptr);
    const result<std::vector<partition>> parts = partition::split({});
    ASSERT_FALSE(parts);
    EXPECT_TRUE(parts->empty());
    const result<std::array<partition, 2>> pair = partition::split({1, 0});
    EXPECT_EQ(pair.status(), status::invalid_argument);
    EXPECT_FALSE((*pair)[0]);
    EXPECT_EQ((*pair)[0].info().status(), status::invalid_handle);
    const result<partition> part = partition::create(1);
    ASSERT_TRUE(part);
    const result<stream> work = part->create_stream();
    ASSERT_TRUE(work);
    EXPECT_TRUE(work->synchronize());
    EXPECT_EQ(part->info().value().streams, 1u);
}

} // namespace
