// SPDX-License-Identifier: Apache-2.0
// What a thread has current, carried to other threads.
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "conformance/conformance.hpp"

namespace gs::test {
namespace {

gs_snapshot_t snapshot_now() {
    gs_snapshot_t snapshot{};
    snapshot.struct_size = sizeof snapshot;
    EXPECT_OK(gs_current_snapshot(&snapshot));
    return snapshot;
}

gs_stream_t current_on(gs_device_t device) {
    gs_stream_t stream = nullptr;
    EXPECT_OK(gs_current_stream(device, &stream));
    return stream;
}

gs_device_t device_now() {
    gs_device_t device = GS_DEVICE_NONE;
    EXPECT_OK(gs_current_device(&device));
    return device;
}

gs_stream_t default_of(gs_device_t device) {
    gs_stream_t stream = nullptr;
    EXPECT_OK(gs_default_stream(device, &stream));
    return stream;
}

void on_another_thread(const std::function<void()> &body) { std::thread(body).join(); }

} // namespace

TEST_P(Conformance, Snapshots_AreCarriedToAnotherThread) {
    GS_NEEDS_DEVICES(2);
    Stream here = make_stream(0), there = make_stream(1);
    uint64_t outer = 0, inner = 0;
    ASSERT_OK(gs_push_current_stream(here, &outer));
    ASSERT_OK(gs_push_current_stream(there, &inner));
    const gs_snapshot_t snapshot = snapshot_now();
    EXPECT_EQ(snapshot.device, 1);
    EXPECT_EQ(snapshot.stream, there.get());
    EXPECT_EQ(snapshot.others, 1u);
    on_another_thread([&] {
        Stream before = make_stream(0);
        uint64_t own = 0, adopted = 0, again = 0;
        ASSERT_OK(gs_push_current_stream(before, &own));
        ASSERT_OK(gs_current_adopt(&snapshot, &adopted));
        EXPECT_EQ(device_now(), 1);
        EXPECT_EQ(current_on(0), here.get());
        EXPECT_EQ(current_on(1), there.get());
        ASSERT_OK(gs_current_adopt(&snapshot, &again)) << "any number of times";
        ASSERT_OK(gs_unwind_current_stream(again));
        EXPECT_EQ(current_on(0), here.get());
        ASSERT_OK(gs_unwind_current_stream(adopted));
        EXPECT_EQ(device_now(), 0);
        EXPECT_EQ(current_on(0), before.get());
        EXPECT_EQ(current_on(1), default_of(1));
        ASSERT_OK(gs_pop_current_stream(own));
    });
    ASSERT_OK(gs_pop_current_stream(inner));
    ASSERT_OK(gs_pop_current_stream(outer));
}

TEST_P(Conformance, Snapshots_OfOneStreamAreOneScope) {
    Stream stream = make_stream(0);
    uint64_t scope = 0, adopted = 0;
    ASSERT_OK(gs_push_current_stream(stream, &scope));
    const gs_snapshot_t snapshot = snapshot_now();
    EXPECT_EQ(snapshot.others, 0u);
    ASSERT_OK(gs_pop_current_stream(scope));
    ASSERT_OK(gs_current_adopt(&snapshot, &adopted));
    EXPECT_EQ(current_on(0), stream.get());
    ASSERT_OK(gs_pop_current_stream(adopted));
    EXPECT_EQ(current_on(0), default_of(0));
    // Of a thread that has set nothing: its device's default stream.
    on_another_thread([&] {
        const gs_snapshot_t usual = snapshot_now();
        EXPECT_EQ(usual.stream, default_of(usual.device));
        uint64_t inner = 0;
        ASSERT_OK(gs_push_current_stream(stream, &inner));
        ASSERT_OK(gs_current_adopt(&usual, &adopted));
        EXPECT_EQ(current_on(usual.device), usual.stream);
        ASSERT_OK(gs_unwind_current_stream(adopted));
        ASSERT_OK(gs_pop_current_stream(inner));
    });
}

TEST_P(Conformance, Snapshots_HoldNoReference) {
    GS_NEEDS_DEVICES(2);
    Stream kept = make_stream(0), gone = make_stream(1);
    uint64_t outer = 0, inner = 0, scope = 7;
    ASSERT_OK(gs_push_current_stream(kept, &outer));
    ASSERT_OK(gs_push_current_stream(gone, &inner));
    const gs_snapshot_t snapshot = snapshot_now();
    ASSERT_OK(gs_pop_current_stream(inner));
    ASSERT_OK(gs_pop_current_stream(outer));
    gone.reset();
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_current_adopt, "stream", &snapshot, &scope);
    EXPECT_EQ(scope, 0u);
    EXPECT_EQ(current_on(0), default_of(0)) << "what was pushed before the failure is popped";
    EXPECT_STATUS(GS_ERROR_SCOPE, gs_pop_current_stream(0));
}

TEST_P(Conformance, Snapshots_BadInput) {
    uint64_t scope = 0;
    gs_snapshot_t snapshot = snapshot_now();
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_current_adopt, "snapshot", nullptr, &scope);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_current_adopt, "out_scope", &snapshot, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_current_snapshot, "out_snapshot", nullptr);
    gs_snapshot_t wrong = snapshot;
    wrong.others = 17;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_current_adopt, "17 other devices", &wrong, &scope);
    wrong.others = 1;
    std::memset(wrong.streams, 0x5A, sizeof wrong.streams);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_current_adopt(&wrong, &scope));
    wrong = {};
    wrong.struct_size = sizeof wrong;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_current_adopt(&wrong, &scope));
    snapshot.struct_size = 4;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_current_snapshot, "struct_size", &snapshot);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_current_adopt, "struct_size", &snapshot, &scope);
}

TEST_P(Conformance, Snapshots_OfManyThreads) {
    Stream stream = make_stream(0);
    uint64_t scope = 0;
    ASSERT_OK(gs_push_current_stream(stream, &scope));
    const gs_snapshot_t snapshot = snapshot_now();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < 200; ++k) {
                uint64_t adopted = 0;
                ASSERT_OK(gs_current_adopt(&snapshot, &adopted));
                EXPECT_EQ(current_on(0), stream.get());
                ASSERT_OK(gs_unwind_current_stream(adopted));
            }
        });
    for (std::thread &thread : threads) thread.join();
    ASSERT_OK(gs_pop_current_stream(scope));
}

} // namespace gs::test
