// SPDX-License-Identifier: Apache-2.0
// Each call that tells a thread that work is done, and each that makes a stream wait: where it succeeds, what comes next is
// ordered; where it fails or runs out of time, nothing is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "checker/pattern.hpp"
#include "support/gate.hpp"

namespace gs::check::test {
namespace {

using gs::test::Gate;
using OwnedQueue = gs::test::Owner<gs_queue_t, gs_queue_destroy>;

// What is asked about.
struct AskedAbout {
    gs_stream_t stream = nullptr;
    gs_event_t start = nullptr, end = nullptr;
    gs_device_t device = 99;
    int64_t timeout_ns = 0;
};

// Answers of yes or no, as a status.
gs_status_t answered(gs_status_t status, int32_t done) { return status == GS_OK && done == 0 ? GS_NOT_READY : status; }

gs_status_t take_entry(gs_queue_t queue, int64_t timeout_ns) {
    gs_completion_t entry{};
    size_t count = 0;
    return gs_queue_wait(queue, &entry, 1, timeout_ns, &count);
}

gs_status_t add_and_wait(const AskedAbout &subject, bool event) {
    gs_queue_t made = nullptr;
    EXPECT_OK(gs_queue_create(4, 0, &made));
    const OwnedQueue queue(made);
    const gs_status_t status =
        event ? gs_queue_add_event(queue, subject.end, 7) : gs_queue_add_stream(queue, subject.stream, 7);
    return status == GS_OK ? take_entry(queue, subject.timeout_ns) : status;
}

struct ProvingCall {
    const char *name;
    gs_status_t pending; // while the work is not done
    gs_status_t (*call)(const AskedAbout &subject);
};

const ProvingCall kProvingCalls[] = {
    {"gs_stream_query", GS_NOT_READY,
     [](const AskedAbout &subject) {
         int32_t done = 0;
         const gs_status_t status = gs_stream_query(subject.stream, &done);
         return answered(status, done);
     }},
    {"gs_stream_synchronize_for", GS_ERROR_TIMEOUT,
     [](const AskedAbout &subject) { return gs_stream_synchronize_for(subject.stream, subject.timeout_ns); }},
    {"gs_event_query", GS_NOT_READY,
     [](const AskedAbout &subject) {
         int32_t done = 0;
         const gs_status_t status = gs_event_query(subject.end, &done);
         return answered(status, done);
     }},
    {"gs_event_synchronize_for", GS_ERROR_TIMEOUT,
     [](const AskedAbout &subject) { return gs_event_synchronize_for(subject.end, subject.timeout_ns); }},
    {"gs_event_synchronize_any", GS_ERROR_TIMEOUT,
     [](const AskedAbout &subject) {
         size_t index = 9;
         return gs_event_synchronize_any(&subject.end, 1, subject.timeout_ns, &index);
     }},
    {"gs_event_synchronize_all", GS_ERROR_TIMEOUT,
     [](const AskedAbout &subject) { return gs_event_synchronize_all(&subject.end, 1, subject.timeout_ns); }},
    {"gs_device_synchronize_for", GS_ERROR_TIMEOUT,
     [](const AskedAbout &subject) { return gs_device_synchronize_for(subject.device, subject.timeout_ns); }},
    {"gs_event_elapsed_ms", GS_NOT_READY,
     [](const AskedAbout &subject) {
         double ms = 0;
         return gs_event_elapsed_ms(subject.start, subject.end, &ms);
     }},
    {"gs_event_time_ns", GS_NOT_READY,
     [](const AskedAbout &subject) {
         int64_t ns = 0, error_ns = 0;
         return gs_event_time_ns(subject.end, &ns, &error_ns);
     }},
    {"gs_queue_add_stream", GS_ERROR_TIMEOUT, [](const AskedAbout &subject) { return add_and_wait(subject, false); }},
    {"gs_queue_add_event", GS_ERROR_TIMEOUT, [](const AskedAbout &subject) { return add_and_wait(subject, true); }},
};

class CheckCalls : public CheckPattern {
protected:
    void SetUp() override {
        int64_t error_ns = 0;
        ASSERT_OK(gs_device_calibrate(0, &error_ns));
    }
    // Memory of which nothing was heard before: each race on it is reported.
    static const void *fresh() { return reinterpret_cast<const void *>(next_ += 64); }
    static inline uintptr_t next_ = 0x100000;

    // The races of a write in the stream `compute` behind one in `copy`, with the call in between.
    size_t races_around(const std::function<void()> &call) {
        const void *memory = fresh();
        Checking checking;
        EXPECT_OK(gs_check_write(copy, memory, 8, nullptr));
        call();
        EXPECT_OK(gs_check_write(compute, memory, 8, nullptr));
        return checking.count();
    }
    void record_both() const {
        EXPECT_OK(gs_event_record(start, copy));
        EXPECT_OK(gs_event_record(end, copy));
    }
    AskedAbout subject(int64_t timeout_ns) const { return {copy, start, end, 0, timeout_ns}; }
    Event start = make_event(GS_EVENT_TIMING), end = make_event(GS_EVENT_TIMING);
};

TEST_F(CheckCalls, ProveWhatIsDone) {
    for (const ProvingCall &proof : kProvingCalls) {
        SCOPED_TRACE(proof.name);
        EXPECT_EQ(races_around([&] {
                      record_both();
                      gs_status_t status = GS_NOT_READY;
                      while (status == GS_NOT_READY) status = proof.call(subject(-1));
                      EXPECT_STATUS(GS_OK, status);
                  }),
                  0u);
    }
}

TEST_F(CheckCalls, ProveNothingWhileTheWorkIsPending) {
    for (const ProvingCall &proof : kProvingCalls) {
        SCOPED_TRACE(proof.name);
        Gate gate;
        EXPECT_EQ(races_around([&] {
                      EXPECT_OK(gate.hold(copy));
                      record_both();
                      EXPECT_EQ(proof.call(subject(0)), proof.pending);
                  }),
                  1u);
        gate.open();
        EXPECT_OK(gs_stream_synchronize(copy));
    }
}

TEST_F(CheckCalls, ProveNothingWhereTheyFail) {
    for (const ProvingCall &proof : kProvingCalls) {
        SCOPED_TRACE(proof.name);
        gs_status_t status = GS_OK;
        EXPECT_EQ(races_around([&] {
                      record_both();
                      status = proof.call({}); // neither handles nor devices exist
                  }),
                  1u);
        EXPECT_EQ(status, std::string_view(proof.name).find("device") == std::string_view::npos
                              ? GS_ERROR_INVALID_HANDLE
                              : GS_ERROR_INVALID_DEVICE);
    }
}

// Both events have to be done for a time between them.
TEST_F(CheckCalls, AnElapsedTimeProvesBothEvents) {
    EXPECT_EQ(races_around([&] {
                  EXPECT_OK(gs_event_record(start, copy));
                  EXPECT_OK(gs_event_record(end, side));
                  gs_status_t status = GS_NOT_READY;
                  double ms = 0;
                  while (status == GS_NOT_READY) status = gs_event_elapsed_ms(start, end, &ms);
                  EXPECT_STATUS(GS_OK, status);
              }),
              0u);
}

TEST_F(CheckCalls, OfNoEventsProveNothing) {
    size_t index = 9;
    const gs_event_t none = end;
    EXPECT_EQ(races_around([&] { EXPECT_OK(gs_event_synchronize_all(nullptr, 0, -1)); }), 1u);
    EXPECT_EQ(
        races_around([&] { EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_event_synchronize_any(&none, 0, -1, &index)); }),
        1u);
}

// A token whose add failed is not expected: a later entry with the same number proves only what it was added for.
TEST_F(CheckCalls, AnAddThatFailedIsNotExpected) {
    gs_queue_t made = nullptr;
    ASSERT_OK(gs_queue_create(4, 0, &made));
    const OwnedQueue queue(made);
    for (const bool of_event : {false, true}) {
        EXPECT_EQ(races_around([&] {
                      record_both();
                      if (of_event) {
                          EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_queue_add_event(nullptr, end, 7));
                          EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_queue_add_event(queue, nullptr, 7));
                      } else {
                          EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_queue_add_stream(nullptr, copy, 7));
                          EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_queue_add_stream(queue, nullptr, 7));
                      }
                      EXPECT_OK(gs_queue_add_stream(queue, side, 7));
                      EXPECT_STATUS(GS_OK, take_entry(queue, -1));
                  }),
                  1u);
    }
}

TEST_F(CheckCalls, EntriesOfOneTokenProveAllThatWasAddedWithIt) {
    gs_queue_t made = nullptr;
    ASSERT_OK(gs_queue_create(4, 0, &made));
    const OwnedQueue queue(made);
    EXPECT_EQ(races_around([&] {
                  EXPECT_OK(gs_queue_add_stream(queue, copy, 7));
                  EXPECT_OK(gs_queue_add_stream(queue, side, 7));
                  for (int taken = 0; taken < 2;) { // the entries are alike
                      gs_completion_t entries[2] = {};
                      size_t count = 0;
                      EXPECT_OK(gs_queue_poll(queue, entries, 2, &count));
                      taken += static_cast<int>(count);
                  }
              }),
              0u);
}

// What the checker did not see added, since it was off.
TEST_F(CheckCalls, AnEntryFromBeforeTheStartProvesNothing) {
    gs_queue_t made = nullptr;
    ASSERT_OK(gs_queue_create(4, 0, &made));
    const OwnedQueue queue(made);
    EXPECT_OK(gs_queue_add_stream(queue, side, 7));
    EXPECT_EQ(races_around([&] { EXPECT_STATUS(GS_OK, take_entry(queue, -1)); }), 1u);
}

struct WaitingCall {
    const char *name;
    gs_status_t broken; // of the second call, which is made with something wrong
    gs_status_t (*call)(gs_stream_t waiting, gs_stream_t other, gs_event_t recorded, bool wrong);
};

const WaitingCall kWaitingCalls[] = {
    {"gs_stream_wait_stream", GS_ERROR_INVALID_HANDLE,
     [](gs_stream_t waiting, gs_stream_t other, gs_event_t, bool wrong) {
         return gs_stream_wait_stream(waiting, wrong ? nullptr : other);
     }},
    {"gs_stream_record_event", GS_ERROR_INVALID_HANDLE,
     [](gs_stream_t waiting, gs_stream_t other, gs_event_t recorded, bool wrong) {
         const gs_status_t status = gs_stream_record_event(wrong ? nullptr : other, recorded);
         EXPECT_OK(gs_stream_wait_event(waiting, recorded));
         return status;
     }},
    {"gs_stream_wait_event", GS_ERROR_INVALID_HANDLE,
     [](gs_stream_t waiting, gs_stream_t other, gs_event_t recorded, bool wrong) {
         EXPECT_OK(gs_event_record(recorded, other));
         return gs_stream_wait_event(waiting, wrong ? nullptr : recorded);
     }},
};

TEST_F(CheckCalls, ThatMakeAStreamWaitOrderItUnlessTheyFail) {
    for (const WaitingCall &order : kWaitingCalls)
        for (const bool wrong : {false, true}) {
            SCOPED_TRACE(std::string(order.name) + (wrong ? ", wrong" : ""));
            const Event recorded = make_event();
            gs_status_t status = GS_OK;
            EXPECT_EQ(races_around([&] { status = order.call(compute, copy, recorded, wrong); }), wrong ? 1u : 0u);
            EXPECT_EQ(status, wrong ? order.broken : GS_OK);
        }
}

} // namespace
} // namespace gs::check::test
