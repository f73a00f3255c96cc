// SPDX-License-Identifier: Apache-2.0
// The way from a C function into the library: who may call, and what becomes of exceptions and failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "api/boundary.hpp"
#include "gpustream.h"

namespace gs::api {
namespace {

using ::testing::HasSubstr;

gs_error_info_t last() {
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    EXPECT_EQ(gs_last_error(&info), GS_OK);
    return info;
}

template <typename Thrown>
gs_status_t call_that_throws(const Thrown &thrown) {
    return boundary<Rule::Any>("gs_made_up", [&](ThreadBlock &) -> Status { throw thrown; });
}

template <Rule rule>
gs_status_t call() {
    return boundary<rule>("gs_made_up", [](ThreadBlock &) { return kOk; });
}

TEST(Boundary, ExceptionsStopAndAreNamed) {
    EXPECT_EQ(call_that_throws(std::bad_alloc()), GS_ERROR_OUT_OF_MEMORY);
    EXPECT_THAT(last().message, HasSubstr("an allocation inside gpustream failed"));
    EXPECT_EQ(call_that_throws(std::runtime_error("the reason")), GS_ERROR_INTERNAL);
    EXPECT_THAT(last().message, HasSubstr("unexpected: the reason"));
    EXPECT_EQ(call_that_throws(7), GS_ERROR_INTERNAL);
    EXPECT_THAT(last().message, HasSubstr("unexpected exception"));
    EXPECT_STREQ(last().function, "gs_made_up");
}

TEST(Boundary, HostFunctionsMayOnlyRead) {
    ThreadBlock &thread = *this_thread();
    ++thread.callback_depth;
    EXPECT_EQ(call<Rule::Any>(), GS_OK);
    EXPECT_EQ(call<Rule::Getter>(), GS_OK);
    EXPECT_EQ(call<Rule::Device>(), GS_ERROR_NOT_PERMITTED);
    EXPECT_THAT(last().message, HasSubstr("gs_stream_launch_host"));
    EXPECT_EQ(call<Rule::Blocking>(), GS_ERROR_NOT_PERMITTED);
    --thread.callback_depth;
    EXPECT_EQ(call<Rule::Device>(), GS_OK);
}

TEST(Boundary, NotificationsMayNotBlock) {
    ThreadBlock &thread = *this_thread();
    thread.may_not_block = kDispatching;
    EXPECT_EQ(call<Rule::Device>(), GS_OK);
    EXPECT_EQ(call<Rule::Blocking>(), GS_ERROR_NOT_PERMITTED);
    EXPECT_THAT(last().message, HasSubstr("a notification may not block"));
    EXPECT_EQ(call<Rule::Slow>(), GS_ERROR_NOT_PERMITTED);
    EXPECT_EQ(call<Rule::Lengthy>(), GS_OK);
    thread.may_not_block = kHolding;
    EXPECT_EQ(call<Rule::Lengthy>(), GS_ERROR_NOT_PERMITTED);
    EXPECT_THAT(last().message, HasSubstr("a host function may not block"));
    thread.may_not_block = kSyncForbidden;
    EXPECT_EQ(call<Rule::Slow>(), GS_OK) << "it is no wait";
    EXPECT_EQ(call<Rule::Blocking>(), GS_ERROR_SYNC_FORBIDDEN);
    thread.may_not_block = kSyncForbidden | kDispatching;
    EXPECT_EQ(call<Rule::Blocking>(), GS_ERROR_NOT_PERMITTED);
    thread.may_not_block = 0;
    EXPECT_EQ(call<Rule::Blocking>(), GS_OK);
}

TEST(Boundary, NotReadyIsNotTheFailureBefore) {
    EXPECT_EQ(call_that_throws(std::bad_alloc()), GS_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(boundary<Rule::Any>("gs_other", [](ThreadBlock &) { return Status{GS_NOT_READY}; }), GS_NOT_READY);
    EXPECT_STREQ(last().function, "gs_other") << "not that of the failure before it";
    EXPECT_EQ(last().status, GS_NOT_READY);
}

} // namespace
} // namespace gs::api
