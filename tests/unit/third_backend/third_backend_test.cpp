// SPDX-License-Identifier: Apache-2.0
// The three steps of docs/design/backends.md are all that a new backend takes: a class, a row of the table, and the
// calls below, which go through the public functions alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "gpustream.h"
#include "support/own_process.hpp"
#include "support/status_matchers.hpp"
#include "toy_backend.hpp"

namespace gs::test {
namespace {

constexpr gs_backend_t kToy = GS_BACKEND_HIP;
constexpr gs_device_t kToy1 = GS_DEVICE(kToy, 1);

int32_t count(gs_backend_t backend) {
    int32_t devices = -1;
    EXPECT_OK(gs_device_count(backend, &devices));
    return devices;
}

gs_error_info_t last_error() {
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    gs_last_error(&info);
    return info;
}
std::string last_message() { return last_error().message; }

TEST(ThirdBackend, IsCountedAndDescribed) {
    OWN_PROCESS();
    EXPECT_EQ(count(kToy), 2) << "before its start";
    EXPECT_EQ(count(GS_BACKEND_CUDA), 0) << "a row without an instance";
    gs_device_info_t info{};
    info.struct_size = sizeof info;
    ASSERT_OK(gs_device_get_info(kToy1, &info));
    EXPECT_STREQ(info.name, "Toy 1");
    EXPECT_EQ(info.backend, kToy);
    EXPECT_EQ(count(kToy), 2) << "after its start";
    EXPECT_STREQ(gs_native_error_text(kToy, 7), "toy error 7");
    EXPECT_STREQ(gs_native_error_text(GS_BACKEND_CUDA, 1), "unknown native error")
        << "what bindings take for: not in this build";
}

TEST(ThirdBackend, ServesStreamsAndEventsBesideTheHostBackend) {
    OWN_PROCESS();
    gs_stream_t stream = nullptr, host_stream = nullptr;
    gs_event_t event = nullptr;
    ASSERT_OK(gs_stream_create(kToy1, 0, 0, &stream));
    ASSERT_OK(gs_stream_create(GS_DEVICE(GS_BACKEND_HOST, 0), 0, 0, &host_stream));
    ASSERT_OK(gs_event_create(0, &event));
    ASSERT_OK(gs_event_record(event, stream));
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_event_record(event, host_stream));
    EXPECT_THAT(last_message(), ::testing::HasSubstr("an event of the toy backend"));
    int32_t done = 0;
    ASSERT_OK(gs_event_query(event, &done));
    EXPECT_EQ(done, 1);
    int ran = 0;
    ASSERT_OK(gs_stream_launch_host(stream, [](void *arg) { ++*static_cast<int *>(arg); }, &ran));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(ran, 1);
    void *pointer = nullptr;
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_malloc_async(16, stream, &pointer));
    EXPECT_THAT(last_message(), ::testing::HasSubstr("the toy backend has no memory"));
    EXPECT_OK(gs_event_destroy(event));
    EXPECT_OK(gs_stream_destroy(host_stream));
    EXPECT_OK(gs_stream_destroy(stream));
}

void add_one(void *count) { ++*static_cast<int *>(count); }

// A driver may take a host function and report a failure nevertheless. GS_OK: it ran. An error: it never does.
TEST(ThirdBackend, AFailedLaunchTookEffectOrNeverDoes) {
    OWN_PROCESS();
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_stream_create(kToy1, 0, 0, &stream));
    for (int round = 0; round < 3; ++round) {
        int early = 0, late = 0, other = 0;
        toy_launch_failure = LaunchFailure::Now;
        EXPECT_OK(gs_stream_launch_host(stream, add_one, &early));
        EXPECT_EQ(early, 1);
        toy_launch_failure = LaunchFailure::Later;
        EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_launch_host(stream, add_one, &late));
        const LateLaunch stale = toy_late_launch;
        stale.fn(stale.arg);
        toy_launch_failure = LaunchFailure::Later; // may use the same record again
        EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_launch_host(stream, add_one, &late));
        stale.fn(stale.arg);
        EXPECT_OK(gs_stream_launch_host(stream, add_one, &other));
        stale.fn(stale.arg);
        toy_late_launch.fn(toy_late_launch.arg);
        EXPECT_EQ(late, 0);
        EXPECT_EQ(early, 1);
        EXPECT_EQ(other, 1);
    }
    EXPECT_OK(gs_stream_destroy(stream));
}

uintptr_t create_shared() {
    gs_stream_t stream = nullptr;
    uintptr_t native = 0;
    EXPECT_OK(gs_stream_create(kToy1, 0, GS_STREAM_SHARED, &stream));
    EXPECT_OK(gs_stream_native(stream, &native));
    EXPECT_OK(gs_stream_destroy(stream));
    return native;
}

// Of 33 creates at once two make a stream for the same place. One of them is destroyed, which is not its caller's concern.
TEST(ThirdBackend, ASharedStreamTooManyIsDestroyed) {
    OWN_PROCESS();
    static uintptr_t first = 0;
    toy_during_create = [] {
        std::thread([] {
            for (int other = 1; other < 32; ++other) create_shared();
            first = create_shared();
            toy_destroy_fails = true;
        }).join();
    };
    EXPECT_EQ(create_shared(), first);
    EXPECT_FALSE(toy_destroy_fails) << "the other one was destroyed";
}

TEST(ThirdBackend, IsTheDefaultByNameAndAutomatically) {
    OWN_PROCESS({{"GPUSTREAM_BACKEND", "auto"}});
    gs_backend_t chosen = GS_BACKEND_DEFAULT;
    ASSERT_OK(gs_default_backend(&chosen));
    EXPECT_EQ(chosen, kToy) << "an accelerator with devices goes before the fallback";
    int32_t available = 0;
    ASSERT_OK(gs_is_available(&available));
    EXPECT_EQ(available, 1);
    setenv("GPUSTREAM_BACKEND", "toy", 1);
    ASSERT_OK(gs_default_backend(&chosen));
    EXPECT_EQ(chosen, kToy);
    setenv("GPUSTREAM_BACKEND", "toys", 1);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_default_backend(&chosen));
    EXPECT_THAT(last_message(), ::testing::HasSubstr("GPUSTREAM_BACKEND='toys' is none of host, cuda, toy, auto"));
    setenv("GPUSTREAM_BACKEND", "cuda", 1);
    EXPECT_STATUS(GS_ERROR_UNAVAILABLE, gs_init());
    EXPECT_THAT(last_message(), ::testing::HasSubstr("no cuda backend"));
    EXPECT_EQ(last_error().reason, GS_REASON_NOT_BUILT);
    setenv("GPUSTREAM_BACKEND", "toy", 1);
    ASSERT_OK(gs_init());
    gs_device_t current = GS_DEVICE_NONE;
    ASSERT_OK(gs_current_device(&current));
    EXPECT_EQ(current, 0) << "the plain number of the default backend's device 0";
}

// What the library logs when auto takes the host: its level and text, one per line.
std::string logged_by_auto() {
    static std::string lines;
    gs_set_log_callback(
        [](void *, int32_t level, const char *text) { lines += std::to_string(level) + " " + text + "\n"; }, nullptr);
    EXPECT_OK(gs_init());
    EXPECT_OK(gs_init());
    gs_backend_t chosen = GS_BACKEND_DEFAULT;
    EXPECT_OK(gs_default_backend(&chosen));
    EXPECT_EQ(chosen, GS_BACKEND_HOST);
    return lines;
}

// The row of CUDA has a driver on every machine, and no instance.
constexpr char kNotBuilt[] =
    "2 the default backend is host: this build has no cuda backend; GPUSTREAM_BACKEND=host silences this\n";

TEST(ThirdBackend, AutoWarnsWhereItFindsADriverAndNoDevice) {
    OWN_PROCESS({{"GPUSTREAM_BACKEND", "auto"}});
    toy_devices_found = 0;
    EXPECT_EQ(logged_by_auto(),
              std::string(kNotBuilt) +
                  "2 the default backend is host: there is no toy; GPUSTREAM_BACKEND=host silences this\n");
}

TEST(ThirdBackend, AutoWarnsWithTheReasonOfAFailedStart) {
    OWN_PROCESS({{"GPUSTREAM_BACKEND", ""}});
    toy_start_fails = true;
    EXPECT_EQ(logged_by_auto(),
              std::string(kNotBuilt) +
                  "2 the default backend is host: the toy is broken; GPUSTREAM_BACKEND=host silences this\n");
}

TEST(ThirdBackend, AutoIsQuietAboutDevicesThatTheUserHides) {
    OWN_PROCESS({{"GPUSTREAM_BACKEND", "auto"}});
    toy_devices_found = 0;
    toy_devices_hidden = true;
    EXPECT_EQ(logged_by_auto(), kNotBuilt);
}

TEST(ThirdBackend, TheHostByNameIsNoFallback) {
    OWN_PROCESS({{"GPUSTREAM_BACKEND", "host"}});
    EXPECT_EQ(logged_by_auto(), "");
}

// The first vendor's library cannot be used here: the inventory is the second one's.
TEST(ThirdBackend, HasAVendorOfItsOwnInTheInventory) {
    OWN_PROCESS({{"GPUSTREAM_LIBNVML", "/nowhere/libnvidia-ml.so.1"}});
    int32_t gpus = 0, entries = 0;
    ASSERT_OK(gs_inventory_count(&gpus, &entries));
    EXPECT_EQ(gpus, 2);
    EXPECT_EQ(entries, 2);
    gs_inventory_entry_t entry{};
    entry.struct_size = sizeof entry;
    ASSERT_OK(gs_inventory_get(0, &entry));
    EXPECT_STREQ(entry.name, "Toy 1");
    EXPECT_EQ(entry.ordinal, 1) << "the backend says which device an entry is";
    int32_t index = -1;
    ASSERT_OK(gs_inventory_index(GS_DEVICE(kToy, 0), &index));
    EXPECT_EQ(index, 1);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_inventory_get(2, &entry));
}

} // namespace
} // namespace gs::test
