// SPDX-License-Identifier: Apache-2.0
// Tokens within one process: points, leases, bad input. tests/process has those of several processes.
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "base/testing.hpp"
#include "conformance/captures.hpp"
#include "conformance/conformance.hpp"
#include "support/seeded_bug.hpp"
#include "support/stats_delta.hpp"

namespace gs::test {
namespace {

gs_token_t token_of(gs_stream_t stream) {
    gs_token_t token{};
    EXPECT_OK(gs_token_create(stream, &token));
    return token;
}

gs_status_t status_of(const gs_token_t &token) {
    gs_status_t seen = -1;
    EXPECT_OK(gs_token_status(&token, &seen));
    return seen;
}

struct ClockAhead {
    explicit ClockAhead(int64_t ns) { gs::testing::clock_ahead_ns = ns; }
    ~ClockAhead() { gs::testing::clock_ahead_ns = 0; }
    ClockAhead(const ClockAhead &) = delete;
    ClockAhead &operator=(const ClockAhead &) = delete;
};

// Of earlier cases in the process: a create looks at a few leases only.
void end_all_leases() {
    const ClockAhead two_minutes(120000000000);
    EXPECT_OK(gs_device_synchronize(0));
    EXPECT_OK(gs_trim());
}

} // namespace

TEST_P(Conformance, Token_AStreamWaitsForThePoint) {
    GS_NEEDS_DEVICES(2);
    Stream stream = make_stream(0), waits = make_stream(0), other = make_stream(1);
    Gate gate, later;
    ASSERT_OK(gate.hold(stream));
    const gs_token_t token = token_of(stream.get());
    ASSERT_OK(later.hold(stream)); // not part of the point
    EXPECT_EQ(status_of(token), GS_NOT_READY);
    EXPECT_OK(gs_token_wait(waits, &token));
    EXPECT_OK(gs_token_wait(other, &token));
    EXPECT_FALSE(done(waits.get()));
    EXPECT_FALSE(done(other.get()));
    gate.open();
    EXPECT_OK(gs_stream_synchronize(waits));
    EXPECT_OK(gs_stream_synchronize(other));
    EXPECT_EQ(status_of(token), GS_OK);
    later.open();
}

TEST_P(Conformance, Token_APointThatIsKnownCostsNoDriverCall) {
    Stream stream = make_stream(0), waits = make_stream(0);
    const gs_token_t token = token_of(stream.get());
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(status_of(token), GS_OK);
    StatsDelta delta;
    EXPECT_OK(gs_token_wait(waits, &token));
    EXPECT_EQ(status_of(token), GS_OK);
    EXPECT_EQ(delta.driver_calls(), 0u);
    EXPECT_EQ(delta.since(&gs_stats_t::elided_waits), 1u);
}

// Each create looks at the leases that may have ended, so one event serves them all.
TEST_P(Conformance, Token_ALeaseEndsWithAWait) {
    end_all_leases();
    Stream stream = make_stream(0);
    gs_token_t token = token_of(stream.get());
    for (int i = 0; i < 10; ++i) {
        ASSERT_OK(gs_token_wait(stream, &token));
        ASSERT_OK(gs_stream_synchronize(stream));
        StatsDelta delta;
        const gs_token_t newer = token_of(stream.get());
        if (i > 2) {
            // A look whether the old point is reached, which on CUDA is kept from breaking captures, and a record.
            EXPECT_LE(delta.driver_calls(), on_cuda() ? 4u : 2u);
        }
        EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_token_wait, "lease has ended", stream, &token);
        gs_status_t seen = -1;
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_token_status(&token, &seen));
        EXPECT_EQ(seen, GS_OK);
        token = newer;
    }
}

TEST_P(Conformance, Token_ALeaseEndsWithItsTime) {
    end_all_leases();
    Stream stream = make_stream(0), held = make_stream(0);
    Gate gate;
    ASSERT_OK(gate.hold(held));
    const gs_token_t pending = token_of(held.get()), reached = token_of(stream.get());
    ASSERT_OK(gs_stream_synchronize(stream));
    const ClockAhead two_minutes(120000000000);
    for (int i = 0; i < 4; ++i) (void)token_of(stream.get());
    gs_status_t seen = -1;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_token_status(&reached, &seen));
    EXPECT_EQ(status_of(pending), GS_NOT_READY) << "a pending point is kept, however long";
    gate.open();
    ASSERT_OK(gs_stream_synchronize(held));
    EXPECT_EQ(status_of(pending), GS_OK);
}

// With the seeded bug, the event of a pending point gets the next token.
TEST_P(Conformance, Token_APendingPointIsKept) {
    for (const bool broken : {false, true}) {
        end_all_leases();
        Stream stream = make_stream(0), held = make_stream(0);
        Gate gate;
        ASSERT_OK(gate.hold(held));
        const gs_token_t pending = token_of(held.get());
        ASSERT_OK(gs_token_wait(stream, &pending)); // ends the lease as soon as the point is reached
        gs::testing::seeded_bug = broken ? gs::testing::SeededBug::ReusePending : gs::testing::SeededBug::None;
        Stream third = make_stream(0);
        for (int i = 0; i < 4; ++i) (void)token_of(third.get());
        gs::testing::seeded_bug = gs::testing::SeededBug::None;
        gs_status_t seen = -1;
        EXPECT_EQ(gs_token_status(&pending, &seen), broken ? GS_ERROR_INVALID_HANDLE : GS_OK);
        gate.open();
        ASSERT_OK(gs_stream_synchronize(stream));
    }
}

TEST_P(Conformance, Token_BadInput) {
    Stream stream = make_stream(0);
    gs_token_t token = token_of(stream.get());
    const gs_token_t before = token;
    gs_status_t seen = -1;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_token_create, "out_token", stream, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_token_wait, "token", stream, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_token_status, "token", nullptr, &seen);
    EXPECT_EQ(seen, GS_OK) << "scalar outputs are zeroed";
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_token_status, "out_status", &token, nullptr);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_token_create(nullptr, &token));
    EXPECT_EQ(std::memcmp(&token, &before, sizeof token), 0) << "structs are untouched on failure";
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_token_wait(nullptr, &token));
    for (size_t i = 0; i < sizeof token.data; ++i) {
        gs_token_t changed = token;
        changed.data[i] ^= 0x10;
        EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_token_wait, "not a token", stream, &changed) << i;
        EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_token_status, "not a token", &changed, &seen) << i;
    }
    const gs_token_t zero{};
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_token_wait, "not a token", stream, &zero);
    EXPECT_OK(gs_token_wait(GS_STREAM_CURRENT, &token));
    EXPECT_OK(gs_token_create(GS_STREAM_CURRENT, &token));
}

TEST_P(Conformance, Token_ACaptureRefusesThem) {
    Stream stream = make_stream(0);
    const gs_token_t token = token_of(stream.get());
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_GLOBAL));
    gs_token_t none{};
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_token_create(stream, &none));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_token_wait(stream, &token));
    Stream other = make_stream(0);
    EXPECT_OK(gs_token_wait(other, &token)) << "another stream may";
    gs_graph_t graph = nullptr;
    EXPECT_OK(gs_stream_end_capture(stream, &graph)) << "the capture is intact";
    EXPECT_OK(gs_graph_destroy(graph));
}

TEST_P(Conformance, Token_TheBackendsDoNotMix) {
    Stream stream = make_stream(0), host = make_stream(GS_DEVICE(GS_BACKEND_HOST, 0));
    const gs_token_t token = token_of(stream.get()), theirs = token_of(host.get());
    const gs_status_t expected = on_host() ? GS_OK : GS_ERROR_NOT_SUPPORTED; // on host both streams are of one backend
    EXPECT_EQ(gs_token_wait(host, &token), expected);
    EXPECT_EQ(gs_token_wait(stream, &theirs), expected);
    EXPECT_OK(gs_token_wait(host, &theirs));
}

// Threads make tokens and wait for those of others, while cells are reused all the time.
TEST_P(Conformance, Token_FromManyThreads) {
    constexpr int kThreads = 4, kRounds = 200;
    struct alignas(64) Box {
        std::atomic<int> number{0};
        gs_token_t token{};
    };
    std::vector<Box> boxes(kThreads);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int mine = 0; mine < kThreads; ++mine)
        threads.emplace_back([&, mine] {
            Stream stream = make_stream(0);
            Box &from = boxes[static_cast<size_t>((mine + 1) % kThreads)], &to = boxes[static_cast<size_t>(mine)];
            for (int round = 1; round <= kRounds; ++round) {
                if (gs_token_create(stream, &to.token) != GS_OK) ++wrong;
                to.number.store(round, std::memory_order_release);
                while (from.number.load(std::memory_order_acquire) < round) std::this_thread::yield();
                if (gs_token_wait(stream, &from.token) != GS_OK) ++wrong;
                from.number.store(-round, std::memory_order_release); // its token was used
                while (to.number.load(std::memory_order_acquire) != -round) std::this_thread::yield();
            }
            if (gs_stream_synchronize(stream) != GS_OK) ++wrong;
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

} // namespace gs::test
