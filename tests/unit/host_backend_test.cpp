// SPDX-License-Identifier: Apache-2.0
// The host backend as the core sees it.
#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>

#include "backend/host/engine/result.hpp"
#include "backend/host/host_backend.hpp"
#include "base/log.hpp"
#include "base/status.hpp"
#include "support/host_hooks.hpp"

namespace gs::host {
namespace {

using ::testing::HasSubstr;

class HostBackendTest : public ::testing::Test {
protected:
    HostBackendTest() : backend_(host_backend()), thread_(*this_thread()) { EXPECT_TRUE(backend_.start().ok()); }

    StreamRef stream(int32_t ordinal = 0, bool blocking = false) {
        StreamNative made{};
        EXPECT_EQ(backend_.stream_create({ordinal, 0, blocking}, &made).code, GS_OK);
        return {ordinal, made.native};
    }
    uintptr_t event(uint32_t flags = 0) {
        uintptr_t made = 0;
        EXPECT_EQ(backend_.event_create(0, flags, &made).code, GS_OK);
        return made;
    }
    bool stream_done(StreamRef stream) {
        bool done = false;
        EXPECT_EQ(backend_.stream_query(thread_, stream, &done).code, GS_OK);
        return done;
    }
    bool event_done(uintptr_t event) {
        bool done = false;
        EXPECT_EQ(backend_.event_query(thread_, 0, event, &done).code, GS_OK);
        return done;
    }

    Backend &backend_;
    ThreadBlock &thread_;
};

TEST_F(HostBackendTest, DescribesTheMachine) {
    ASSERT_GE(backend_.device_count(), 1);
    EXPECT_EQ(backend_.probe_device_count(), backend_.device_count());
    gs_device_info_t first{}, again{}, second{};
    ASSERT_TRUE(backend_.device_info(0, &first).ok());
    ASSERT_TRUE(backend_.device_info(0, &again).ok());
    ASSERT_TRUE(backend_.device_info(1, &second).ok());
    EXPECT_EQ(first.backend, GS_BACKEND_HOST);
    EXPECT_EQ(second.ordinal, 1);
    EXPECT_GT(std::strlen(first.name), 0u);
    EXPECT_GT(first.total_memory_bytes, uint64_t{1} << 20);
    EXPECT_GE(first.multiprocessor_count, 1);
    EXPECT_EQ(first.warp_size, 1);
    EXPECT_EQ(first.capability_major, 0);
    EXPECT_EQ(first.has_uuid, 1);
    EXPECT_EQ(std::memcmp(first.uuid, again.uuid, 16), 0);
    EXPECT_NE(std::memcmp(first.uuid, second.uuid, 16), 0);
    int32_t least = -1, greatest = -1;
    ASSERT_TRUE(backend_.priority_range(0, &least, &greatest).ok());
    EXPECT_EQ(least, 0);
    EXPECT_EQ(greatest, -5);
    EXPECT_EQ(first.priority_greatest, -5);
}

TEST_F(HostBackendTest, HasNoDriverContexts) {
    uintptr_t previous = 1;
    bool changed = true;
    EXPECT_EQ(backend_.current_ordinal(thread_), -1);
    EXPECT_TRUE(backend_.has_context(0));
    ASSERT_TRUE(backend_.make_current(thread_, 1, &previous, &changed).ok());
    EXPECT_FALSE(changed);
    EXPECT_TRUE(backend_.restore_current(thread_, previous).ok());
    EXPECT_EQ(backend_.current_ordinal(thread_), -1);
}

TEST_F(HostBackendTest, NativesAreWellFormedAndKnown) {
    const StreamRef s = stream(1, true);
    const uintptr_t e = event();
    EXPECT_GE(s.native, 4096u);
    EXPECT_EQ(s.native % 16, 0u);
    EXPECT_EQ(e % 16, 0u);
    AdoptedStream adopted{};
    ASSERT_TRUE(backend_.stream_adopt(s.native, &adopted).ok());
    EXPECT_EQ(adopted.ordinal, 1);
    EXPECT_TRUE(adopted.blocking);
    ASSERT_TRUE(backend_.event_adopt(0, e).ok());
    EXPECT_EQ(backend_.event_adopt(1, e).code, GS_ERROR_DEVICE_MISMATCH);
    EXPECT_EQ(backend_.event_adopt(0, s.native).code, GS_ERROR_INVALID_HANDLE);
    EXPECT_EQ(backend_.stream_adopt(e, &adopted).code, GS_ERROR_INVALID_HANDLE);
    ASSERT_TRUE(backend_.stream_destroy(s).ok());
    EXPECT_EQ(backend_.stream_adopt(s.native, &adopted).code, GS_ERROR_INVALID_HANDLE);
    EXPECT_THAT(pending_text(), HasSubstr("not a stream"));
}

TEST_F(HostBackendTest, ArbitraryNumbersAreRefused) {
    const StreamRef s = stream();
    const uintptr_t e = event();
    std::mt19937_64 random(42);
    AdoptedStream adopted{};
    for (int i = 0; i < 200000; ++i) {
        const uintptr_t wild = random();
        const uintptr_t near = s.native + static_cast<uintptr_t>(i - 100000);
        if (near != s.native) {
            // Neighbouring slots may be streams: the default streams are.
            const bool slot = (near - s.native) % 64 == 0;
            if (!slot) {
                ASSERT_EQ(backend_.stream_adopt(near, &adopted).code, GS_ERROR_INVALID_HANDLE) << near;
            }
        }
        ASSERT_EQ(backend_.stream_adopt(wild, &adopted).code, GS_ERROR_INVALID_HANDLE) << wild;
        ASSERT_EQ(backend_.event_adopt(0, wild).code, GS_ERROR_INVALID_HANDLE) << wild;
    }
    EXPECT_TRUE(backend_.stream_destroy(s).ok());
    EXPECT_TRUE(backend_.event_destroy(0, e).ok());
}

TEST_F(HostBackendTest, CountsOneDriverCallPerOperation) {
    const StreamRef s = stream();
    const uintptr_t e = event();
    const uint64_t before = thread_.counters.driver_calls.get();
    ASSERT_TRUE(backend_.event_record(thread_, e, s, false).ok());
    ASSERT_TRUE(backend_.stream_wait_event(thread_, s, e, false).ok());
    EXPECT_TRUE(event_done(e));
    EXPECT_TRUE(stream_done(s));
    EXPECT_EQ(thread_.counters.driver_calls.get(), before + 4);
}

TEST_F(HostBackendTest, ElapsedIsInMilliseconds) {
    const StreamRef s = stream();
    const uintptr_t start = event(GS_EVENT_TIMING), end = event(GS_EVENT_TIMING), plain = event();
    ASSERT_TRUE(backend_.event_record(thread_, start, s, false).ok());
    ASSERT_TRUE(backend_.sleep(thread_, s, 3000000).ok());
    ASSERT_TRUE(backend_.event_record(thread_, end, s, false).ok());
    ASSERT_TRUE(backend_.event_record(thread_, plain, s, false).ok());
    double ms = 0;
    ASSERT_TRUE(backend_.event_synchronize(thread_, 0, end).ok());
    ASSERT_TRUE(backend_.event_elapsed_ms(thread_, 0, start, end, &ms).ok());
    EXPECT_GE(ms, 3.0);
    EXPECT_EQ(backend_.event_elapsed_ms(thread_, 0, start, plain, &ms).code, GS_ERROR_TIMING_DISABLED);
}

TEST_F(HostBackendTest, FailuresNameValueAndCause) {
    const StreamRef s = stream();
    void *memory = nullptr;
    EXPECT_EQ(backend_.malloc_async(thread_, s, 0, size_t{1} << 62, &memory).code, GS_ERROR_OUT_OF_MEMORY);
    EXPECT_THAT(pending_text(), HasSubstr("4611686018427387904"));
    EXPECT_EQ(backend_.free_host(&memory).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(pending_text(), HasSubstr("gs_malloc_host"));
    ASSERT_TRUE(testing::begin_capture(0, s.native));
    bool done = false;
    EXPECT_EQ(backend_.stream_query(thread_, s, &done).code, GS_ERROR_CAPTURING);
    bool capturing = false;
    ASSERT_TRUE(backend_.stream_is_capturing(thread_, s, &capturing).ok());
    EXPECT_TRUE(capturing) << "the query has not broken it";
    EXPECT_TRUE(testing::end_capture(0, s.native));
    EXPECT_TRUE(stream_done(s));
    for (int32_t native = 0; native <= static_cast<int32_t>(Result::PeerLost); ++native)
        EXPECT_NE(backend_.native_text(native), nullptr) << native;
    EXPECT_EQ(backend_.native_text(static_cast<int32_t>(Result::PeerLost) + 1), nullptr);
    EXPECT_EQ(backend_.native_text(-1), nullptr);
}

TEST_F(HostBackendTest, AFaultTellsItsFirstOrigin) {
    const StreamRef s = stream(1);
    testing::Gate gate(1);
    ASSERT_TRUE(gate.hold(1, s.native));
    testing::inject_fault(1, 700, "kernel 'broken'");
    EXPECT_NE(backend_.health_flag(1)->load(), 0u);
    EXPECT_EQ(backend_.health_flag(0)->load(), 0u);
    EXPECT_EQ(backend_.stream_synchronize(thread_, s).code, GS_ERROR_STICKY);
    EXPECT_EQ(thread_.pending.sticky, 1);
    EXPECT_STREQ(thread_.pending.origin, "kernel 'broken'");
    EXPECT_EQ(backend_.device_check(1).code, GS_ERROR_STICKY);
    EXPECT_TRUE(backend_.stream_destroy(s).ok());
    EXPECT_TRUE(backend_.device_check(0).ok());
    gate.open();
    while (!testing::device_idle(1)) std::this_thread::yield();
    testing::heal(1);
    EXPECT_TRUE(backend_.device_check(1).ok());
    testing::lose_context(1, "cudaDeviceReset");
    EXPECT_EQ(backend_.device_check(1).code, GS_ERROR_CONTEXT_LOST);
    testing::heal(1);
}

TEST_F(HostBackendTest, SpecialWordsMeanTheDefaultStreams) {
    const StreamRef legacy{0, kNativeDefaultStream}, own{0, kNativePerThreadStream}, other{1, kNativeDefaultStream};
    testing::Gate gate(0);
    ASSERT_TRUE(gate.hold(0, kNativePerThreadStream));
    EXPECT_FALSE(stream_done(own));
    EXPECT_FALSE(stream_done(legacy)) << "it covers the thread's stream";
    EXPECT_TRUE(stream_done(other));
    std::thread([&] {
        bool done = false;
        EXPECT_TRUE(backend_.stream_query(*this_thread(), own, &done).ok());
        EXPECT_TRUE(done) << "this thread's is another stream";
    }).join();
    gate.open();
    EXPECT_TRUE(backend_.stream_synchronize(thread_, legacy).ok());
    EXPECT_TRUE(stream_done(own));
}

// The count follows the environment until the start.
int32_t devices_with(const char *text) {
    setenv("GPUSTREAM_HOST_DEVICES", text, 1);
    HostBackend backend;
    EXPECT_EQ(backend.device_count(), 0) << "not started";
    const int32_t probed = backend.probe_device_count();
    EXPECT_TRUE(backend.start().ok());
    EXPECT_EQ(backend.device_count(), probed);
    setenv("GPUSTREAM_HOST_DEVICES", "33", 1);
    EXPECT_EQ(backend.device_count(), probed);
    EXPECT_EQ(backend.probe_device_count(), 33);
    unsetenv("GPUSTREAM_HOST_DEVICES");
    return probed;
}

TEST(HostBackendEnvironment, SaysHowManyDevices) {
    set_log_function([](void *, int32_t, const char *) {}, nullptr);
    EXPECT_EQ(devices_with("1"), 1);
    EXPECT_EQ(devices_with("64"), 64);
    for (const char *wrong : {"0", "65", "-1", "two", "3x", ""}) EXPECT_EQ(devices_with(wrong), 2) << wrong;
    set_log_function(nullptr, nullptr);
}

TEST(HostBackendEnvironment, ATooLongDirectoryIsRefused) {
    setenv("GPUSTREAM_SHM_DIR", std::string(300, 'd').c_str(), 1);
    HostBackend backend;
    EXPECT_EQ(backend.start().code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(pending_text(), HasSubstr("GPUSTREAM_SHM_DIR"));
    unsetenv("GPUSTREAM_SHM_DIR");
}

// The core looks at the latch before it calls the backend, but another thread may latch the device in between.
TEST_F(HostBackendTest, ALatchedDeviceRefusesEachCall) {
    const StreamRef own = stream(1);
    uintptr_t recorded = 0, made = 0;
    ASSERT_TRUE(backend_.event_create(1, GS_EVENT_INTERPROCESS, &recorded).ok());
    testing::inject_fault(1, 700, "a kernel");
    char bytes[8] = {};
    void *pointer = nullptr;
    StreamNative created{};
    gs_ipc_handle_t ipc{};
    const auto nothing = [](void *) {};
    const auto refused = [](Status status) { EXPECT_EQ(status.code, GS_ERROR_STICKY); };
    for (const StreamRef &ref : {own, StreamRef{1, kNativeDefaultStream}, StreamRef{1, kNativePerThreadStream}}) {
        SCOPED_TRACE(ref.native);
        refused(backend_.event_record(thread_, recorded, ref, false));
        refused(backend_.launch_host(thread_, ref, nothing, nullptr));
        refused(backend_.sleep(thread_, ref, 1));
        refused(backend_.malloc_async(thread_, ref, 0, 8, &pointer));
        refused(backend_.memcpy_async(thread_, ref, bytes, bytes + 4, 4));
        refused(backend_.memset_async(thread_, ref, bytes, 0, 8));
        refused(backend_.stream_synchronize(thread_, ref));
    }
    refused(backend_.stream_create({1, 0, false}, &created));
    refused(backend_.event_create(1, 0, &made));
    refused(backend_.event_ipc_export(1, recorded, &ipc));
    refused(backend_.event_ipc_open(1, ipc, &made));
    refused(backend_.module_load(1, "/nowhere", 0, &made));
    refused(backend_.device_synchronize(1));
    EXPECT_EQ(backend_.malloc_async(thread_, stream(0), 0, 8, &pointer).code, GS_OK) << "the other device is healthy";
    bool freed = false;
    EXPECT_TRUE(backend_.free_async(thread_, {0, kNativeDefaultStream}, pointer, &freed).ok());
    EXPECT_TRUE(freed);
    testing::heal(1);
    EXPECT_TRUE(backend_.stream_synchronize(thread_, own).ok());
    EXPECT_TRUE(backend_.event_destroy(1, recorded).ok());
    EXPECT_TRUE(backend_.stream_destroy(own).ok());
}

} // namespace
} // namespace gs::host
