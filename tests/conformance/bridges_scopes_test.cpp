// SPDX-License-Identifier: Apache-2.0
// Bridges: scopes that begin or end beside a registration, what is undone after a refusal, and the end of all of it.
#include <memory>
#include <thread>
#include <vector>

#include "base/rare_state.hpp"
#include "conformance/bridges.hpp"
#include "support/foreign_stream.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

// Hot calls look for bridges.
bool bridges_in_use() { return (g_rare_state.load() & kRareBridges) != 0; }

} // namespace

// Each end makes hot calls as fast as before.
TEST_P(ConformanceProcess, Bridges_RestWhenNothingIsLeftToRestore) {
    OWN_PROCESS();
    Stream a = make_stream(0);
    (void)current_stream(0);
    EXPECT_FALSE(bridges_in_use());
    {
        Library library(GetParam());
        ASSERT_OK(gs_bridge_lead(library.id, 1));
        EXPECT_TRUE(bridges_in_use());
        const uint64_t scope = push(a), inner = push(a);
        ASSERT_OK(gs_bridge_lead(library.id, 0));
        EXPECT_OK(gs_pop_current_stream(inner));
        EXPECT_TRUE(bridges_in_use()) << "a scope restores theirs";
        EXPECT_OK(gs_pop_current_stream(scope));
        EXPECT_FALSE(bridges_in_use()) << "led no longer, and no scope is open";
        ASSERT_OK(gs_bridge_lead(library.id, 1));
        push(a);
    }
    EXPECT_OK(gs_pop_current_stream(0));
    EXPECT_FALSE(bridges_in_use()) << "unregistered";
    {
        Library library(GetParam());
        ASSERT_OK(gs_bridge_lead(library.id, 1));
        std::thread([&] { push(a); }).join(); // its scope ends with it
        ASSERT_OK(gs_bridge_lead(library.id, 0));
        push(a);
        EXPECT_OK(gs_pop_current_stream(0));
        EXPECT_FALSE(bridges_in_use()) << "the thread with the open scope has ended";
    }
    {
        Library library(GetParam());
        ASSERT_OK(gs_bridge_lead(library.id, 1));
        std::atomic<bool> open{false}, leave{false};
        std::thread user([&] {
            push(a);
            open = true;
            while (!leave) std::this_thread::yield();
        });
        while (!open) std::this_thread::yield();
        ASSERT_OK(gs_bridge_lead(library.id, 0));
        EXPECT_TRUE(bridges_in_use()) << "a thread's scope restores theirs";
        leave = true;
        user.join();
        EXPECT_FALSE(bridges_in_use()) << "that thread has ended";
    }
    ForeignStream foreign(GetParam(), 0);
    Library library(GetParam());
    ASSERT_OK(gs_bridge_follow(library.id));
    library.change(0, foreign.native());
    const gs_stream_t wrapped = current_stream(0);
    ASSERT_OK(gs_set_current_stream(default_stream(0)));
    library.change(0, 0);
    ASSERT_OK(gs_bridge_follow(0));
    (void)current_stream(0);
    EXPECT_FALSE(bridges_in_use()) << "followed no longer";
    int32_t number = 0;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_query(wrapped, &number));
}

TEST_P(Bridges, AScopeFromBeforeTellsThemWhatItRestores) {
    Library library(GetParam()), other(GetParam() == GS_BACKEND_HOST ? GS_BACKEND_CUDA : GS_BACKEND_HOST, "other");
    Stream a = make_stream(0), b = make_stream(0);
    ASSERT_OK(gs_set_current_stream(a));
    push(b);
    ASSERT_OK(gs_bridge_lead(library.id, 1));
    ASSERT_OK(gs_bridge_lead(other.id, 1));
    EXPECT_OK(gs_pop_current_stream(0));
    EXPECT_EQ(library.stream(), native_of(a));
    EXPECT_EQ(other.sets, 0) << "of another backend";
}

// The second takes the first one's place in the table.
TEST_P(Bridges, AnEndedRegistrationsScopesAreNotTheNextOnes) {
    Stream a = make_stream(0), b = make_stream(0);
    auto first = std::make_unique<Library>(GetParam(), "a name of some length");
    first->change(0, native_of(b));
    ASSERT_OK(gs_bridge_lead(first->id, 1));
    push(a);
    first.reset();
    Library second(GetParam(), "short");
    int32_t id = 0;
    EXPECT_OK(gs_bridge_find("short", &id));
    EXPECT_EQ(id, second.id);
    ASSERT_OK(gs_bridge_lead(second.id, 1));
    EXPECT_OK(gs_pop_current_stream(0));
    EXPECT_EQ(second.sets, 0) << "the scope was opened for the first";
}

TEST_P(Bridges, DeadStreamsAreRefused) {
    Library library(GetParam());
    Stream stream = make_stream(0);
    const gs_stream_t dead = stream.get();
    stream.reset();
    ASSERT_OK(gs_bridge_lead(library.id, 1));
    uint64_t scope = 1;
    gs_stream_t previous = dead;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_push_current_stream(dead, &scope));
    EXPECT_EQ(scope, 0u);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_set_current_stream(dead));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_exchange_current_stream(dead, &previous));
    EXPECT_EQ(previous, nullptr);
    EXPECT_STATUS(GS_ERROR_SCOPE, gs_pop_current_stream(0));
    EXPECT_EQ(library.sets, 0);
}

// As without bridges.
TEST_P(Bridges, OutputsAndDevicesAreChecked) {
    Library library(GetParam());
    Stream stream = make_stream(0);
    ASSERT_OK(gs_bridge_lead(library.id, 1));
    ASSERT_OK(gs_bridge_follow(library.id));
    gs_stream_t previous = stream;
    gs_device_t device = 0;
    uintptr_t native = 1;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_current_stream(0, nullptr));
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_current_stream(999, &previous));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_current_native(0, nullptr));
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_current_native(999, &native));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_exchange_current_stream(stream, nullptr));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_push_current_stream(stream, nullptr));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_current_device(nullptr));
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_set_current_device(999));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_exchange_device(0, nullptr));
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_exchange_device(999, &device));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_bridge_find(nullptr, &device));
    library.fail_get = 3;
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_exchange_current_stream(stream, &previous));
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_current_native(0, &native));
    EXPECT_EQ(native, 0u);
    library.fail_get = 0;
    EXPECT_EQ(library.sets, 0);
    // In host functions the last known stream is the answer, and the library is not asked.
    library.change(0, native_of(stream));
    EXPECT_EQ(current_stream(0), stream.get());
    const int asked = library.gets;
    std::thread([&] { EXPECT_EQ(current_stream(0), default_stream(0)) << "each thread has its own"; }).join();
    EXPECT_EQ(library.gets, asked + 1);
}

// A thread that ends lets go of the wraps that it followed to.
TEST_P(Bridges, AnEndedThreadsWrapsEnd) {
    ForeignStream foreign(GetParam(), 0);
    Library library(GetParam());
    ASSERT_OK(gs_bridge_follow(library.id));
    gs_stream_t wrapped = nullptr;
    std::thread([&] {
        library.change(0, foreign.native());
        wrapped = current_stream(0);
    }).join();
    int32_t number = 0;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_query(wrapped, &number));
}

TEST_P(Bridges, UnwindingReportsTheFirstRefusal) {
    Library library(GetParam());
    Stream a = make_stream(0), b = make_stream(0);
    ASSERT_OK(gs_bridge_lead(library.id, 1));
    const uint64_t outer = push(a);
    push(b);
    library.fail_set = 42;
    library.inside = [&] { // the second scope's end succeeds
        if (library.sets == 4) library.fail_set = 0;
    };
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_unwind_current_stream, "'made up': its function set returned 42", outer);
    EXPECT_EQ(last_error().native_code, 42);
    EXPECT_EQ(library.stream(), 0u);
    EXPECT_STATUS(GS_ERROR_SCOPE, gs_pop_current_stream(0));
    library.inside = nullptr;
}

TEST_P(Bridges, ADeviceIsTakenBackEverywhere) {
    GS_NEEDS_DEVICES(2);
    Library unused(GetParam(), "unused"), willing(GetParam(), "willing"), refuses(GetParam(), "refuses");
    ASSERT_OK(gs_set_current_device(0));
    ASSERT_OK(gs_bridge_lead(willing.id, 1));
    ASSERT_OK(gs_bridge_lead(refuses.id, 1));
    refuses.fail_set_device = 5;
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_set_current_device, "'refuses'", 1);
    EXPECT_EQ(willing.device(), 0) << "set first, and set back";
    EXPECT_EQ(current_device(), 0);
    refuses.fail_set_device = 0;
}

// Setting a stream on another device replaces that device's current one.
TEST_P(Bridges, AReplacedStreamOnAnotherDeviceEnds) {
    GS_NEEDS_DEVICES(2);
    Library library(GetParam());
    Stream here = make_stream(0), replaced = make_stream(1), there = make_stream(1);
    const gs_stream_t name = replaced.get();
    ASSERT_OK(gs_set_current_stream(replaced));
    ASSERT_OK(gs_set_current_stream(here));
    replaced.reset();
    int32_t number = 0;
    EXPECT_OK(gs_stream_query(name, &number)) << "current on its device";
    ASSERT_OK(gs_bridge_lead(library.id, 1));
    ASSERT_OK(gs_set_current_stream(there));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_query(name, &number));
    ASSERT_OK(gs_set_current_stream(default_stream(1)));
    ASSERT_OK(gs_set_current_device(0));
}

} // namespace gs::test
