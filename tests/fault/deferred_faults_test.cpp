// SPDX-License-Identifier: Apache-2.0
// Deferred functions of streams where a failing driver cannot mark the end of the work, or report that it is reached. Each
// function runs once, after the work is done.
#include <thread>

#include "fault/inject.hpp"
#include "support/foreign_stream.hpp"
#include "support/gate.hpp"
#include "support/own_process.hpp"

namespace gs::test {

// Each kind of stream whose batch does not go into limbo with it.
TEST(DeferredFaults, LastMarksThatFail) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    for (const uint32_t flags : {uint32_t{GS_STREAM_DEDICATED}, uint32_t{GS_STREAM_SHARED}, 0u}) {
        SCOPED_TRACE(flags);
        for (const char *function : {"cuEventRecord", "cuEventCreate"}) {
            SCOPED_TRACE(function);
            Count ran{0}, told{0};
            Stream beside = make_stream(0);
            ForeignStream foreign(GS_BACKEND_CUDA, 0);
            gs_stream_t stream = nullptr;
            if (flags != 0)
                ASSERT_OK(gs_stream_create(0, 0, flags, &stream));
            else
                ASSERT_OK(gs_stream_from_native(0, foreign.native(), &stream));
            Gate gate;
            ASSERT_OK(gate.hold(stream));
            ASSERT_OK(gs_stream_defer(stream, add_one, &ran));
            ASSERT_OK(gs_trim()); // no spare event of a driver is left; it marks the first function
            ASSERT_OK(gs_stream_defer(stream, add_one, &ran));
            inject(function, FAKE_CUDA_BEFORE, FAKE_CUDA_PERSISTENT);
            ASSERT_OK(gs_stream_destroy(stream));
            fake().clear_fault();
            ForeignStream::release(&foreign); // its owner may end it now
            ASSERT_OK(gs_trim());
            ASSERT_OK(gs_stream_notify(beside, [](void *count, gs_status_t) { add_one(count); }, &told));
            while (told == 0) std::this_thread::yield();
            EXPECT_EQ(ran, 0) << "the work is not done";
            gate.open();
            while (ran < 2) EXPECT_OK(gs_trim());
            EXPECT_EQ(ran, 2);
            EXPECT_EQ(fake().violation_text(), "");
        }
    }
}

// Work stays pending while the driver refuses to answer questions about it.
TEST(DeferredFaults, QuestionsThatGoOnFailingRunNoDeferredFunction) {
    OWN_PROCESS();
    Stream stream = make_stream(0), other = make_stream(0);
    Count ran{0}, told{0};
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_stream_defer(stream, add_one, &ran));
    inject("cuEventQuery", FAKE_CUDA_BEFORE, FAKE_CUDA_PERSISTENT);
    ASSERT_OK(gs_trim()); // marks it
    while (fake().injected(nullptr, 0) < 3) std::this_thread::yield();
    ASSERT_OK(gs_stream_notify(other, [](void *count, gs_status_t) { add_one(count); }, &told));
    while (told == 0) std::this_thread::yield();
    EXPECT_EQ(ran, 0) << "the work is not done";
    fake().clear_fault();
    gate.open();
    while (ran == 0) std::this_thread::yield();
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(fake().violation_text(), "");
}

} // namespace gs::test
