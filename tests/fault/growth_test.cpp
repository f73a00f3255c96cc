// SPDX-License-Identifier: Apache-2.0
// A program that runs for long does not grow: the numbers of driver objects and of bytes stay constant, however objects
// are used before they end.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "fault/fake_driver.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

constexpr int kWarm = 300, kRounds = 1000;
constexpr size_t kMoreObjects = 150;    // destroyed objects are reclaimed 64 at a time
constexpr size_t kMoreBytes = 32 << 10; // one small block lost per round would be more

#if defined(__GLIBC__)
size_t bytes_in_use() { return mallinfo2().uordblks; } // 0 under a sanitizer's allocator
#else
size_t bytes_in_use() { return 0; } // musl does not count them: the numbers of driver objects alone are compared
#endif

void expect_no_growth(const char *what, const std::function<void(int)> &round) {
    SCOPED_TRACE(what);
    for (int i = 0; i < kWarm; ++i) round(i);
    const size_t events = fake().live(FAKE_CUDA_EVENT), streams = fake().live(FAKE_CUDA_STREAM);
    const size_t bytes = bytes_in_use();
    for (int i = 0; i < kRounds; ++i) round(i);
    EXPECT_LE(fake().live(FAKE_CUDA_EVENT), events + kMoreObjects);
    EXPECT_LE(fake().live(FAKE_CUDA_STREAM), streams + kMoreObjects);
    EXPECT_LE(bytes_in_use(), bytes + kMoreBytes);
    EXPECT_EQ(fake().violation_text(), "");
}

// Runs calls on a second thread, so that objects get a second user without a new thread for each.
class Helper {
public:
    Helper() : thread_([this] { run(); }) {}
    ~Helper() {
        call(nullptr);
        thread_.join();
    }
    Helper(const Helper &) = delete;
    Helper &operator=(const Helper &) = delete;
    void call(const std::function<void()> &function) {
        function_ = function ? &function : nullptr;
        turn_.store(1);
        turn_.notify_one();
        turn_.wait(1);
    }

private:
    void run() {
        for (;;) {
            turn_.wait(0);
            const auto *function = function_;
            if (function) (*function)();
            turn_.store(0);
            turn_.notify_one();
            if (!function) return;
        }
    }
    const std::function<void()> *function_ = nullptr;
    std::atomic<int> turn_{0};
    std::thread thread_;
};

TEST(Growth, Events) {
    OWN_PROCESS();
    Stream here = make_stream(0), there = make_stream(1);
    Helper helper;
    expect_no_growth("one owner", [&](int) {
        Event event = make_event();
        EXPECT_OK(gs_event_record(event, here));
    });
    expect_no_growth("queried by another thread", [&](int) {
        Event event = make_event();
        EXPECT_OK(gs_event_record(event, here));
        helper.call([&] { EXPECT_OK(gs_event_synchronize(event)); });
    });
    expect_no_growth("created here, destroyed there", [&](int) {
        Event event = make_event();
        EXPECT_OK(gs_event_record(event, here));
        helper.call([&] { event.reset(); });
    });
    expect_no_growth("on one device after the other", [&](int i) {
        Event event = make_event();
        EXPECT_OK(gs_event_record(event, i % 2 ? here : there));
    });
    expect_no_growth("raw handle exported", [&](int) {
        Event event = make_event();
        EXPECT_OK(gs_event_record(event, here));
        uintptr_t native = 0;
        EXPECT_OK(gs_event_native(event, &native));
    });
    expect_no_growth("never recorded", [&](int) { make_event(GS_EVENT_TIMING).reset(); });
}

TEST(Growth, Streams) {
    OWN_PROCESS();
    Event event = make_event();
    Helper helper;
    expect_no_growth("never used", [&](int) { make_stream(0).reset(); });
    expect_no_growth("used", [&](int) {
        Stream stream = make_stream(0);
        EXPECT_OK(gs_event_record(event, stream));
        EXPECT_OK(gs_stream_synchronize(stream));
    });
    expect_no_growth("used by two threads", [&](int) {
        Stream stream = make_stream(0);
        helper.call([&] { EXPECT_OK(gs_stream_synchronize(stream)); });
    });
    expect_no_growth("created here, destroyed there", [&](int) {
        Stream stream = make_stream(0);
        helper.call([&] { stream.reset(); });
    });
    expect_no_growth("current", [&](int) {
        uint64_t scope = 0;
        Stream stream = make_stream(0);
        EXPECT_OK(gs_push_current_stream(stream, &scope));
        EXPECT_OK(gs_pop_current_stream(scope));
    });
    expect_no_growth("raw handle exported and wrapped", [&](int) {
        gs_stream_t wrapped = nullptr;
        Stream stream = make_stream(0);
        EXPECT_OK(gs_stream_from_native(0, native_of(stream), &wrapped));
        EXPECT_OK(gs_stream_destroy(wrapped));
    });
    expect_no_growth("shared", [&](int) { make_stream(0, GS_STREAM_SHARED).reset(); });
    expect_no_growth("dedicated", [&](int) { make_stream(0, GS_STREAM_DEDICATED).reset(); });
    expect_no_growth("waits for another", [&](int) {
        Stream stream = make_stream(0), other = make_stream(0);
        EXPECT_OK(gs_stream_wait_stream(stream, other));
        EXPECT_OK(gs_stream_synchronize(stream));
    });
}

TEST(Growth, Work) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    expect_no_growth("host functions", [&](int) {
        EXPECT_OK(gs_stream_launch_host(stream, [](void *) {}, nullptr));
        EXPECT_OK(gs_stream_synchronize(stream));
    });
    expect_no_growth("notifications", [&](int) {
        std::atomic<bool> told{false};
        EXPECT_OK(gs_stream_notify(
            stream,
            [](void *arg, gs_status_t) {
                auto *flag = static_cast<std::atomic<bool> *>(arg);
                flag->store(true);
                flag->notify_one();
            },
            &told));
        told.wait(false);
    });
    expect_no_growth("memory", [&](int) {
        void *device = nullptr, *pinned = nullptr;
        EXPECT_OK(gs_malloc_async(256, stream, &device));
        EXPECT_OK(gs_free_async(device, stream));
        EXPECT_OK(gs_malloc_host(256, &pinned));
        EXPECT_OK(gs_free_host(pinned));
        EXPECT_OK(gs_stream_synchronize(stream));
    });
    expect_no_growth("modules", [&](int) {
        const char ptx[] =
            ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry scratch(.param .u64 p) { ret; }\n";
        gs_module_t module = nullptr;
        gs_kernel_t kernel = nullptr;
        EXPECT_OK(gs_module_load(0, ptx, sizeof ptx, &module));
        EXPECT_OK(gs_module_get_kernel(module, "scratch", &kernel));
        EXPECT_OK(gs_module_destroy(module));
    });
    expect_no_growth("threads", [&](int i) {
        if (i % 10 != 0) return;
        std::thread([&] {
            Stream own = make_stream(0);
            Event event = make_event();
            EXPECT_OK(gs_set_current_stream(own));
            EXPECT_OK(gs_event_record(event, own));
            EXPECT_OK(gs_event_synchronize(event));
        }).join();
    });
    expect_no_growth("failures", [&](int) {
        gs_stream_t none = nullptr;
        EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_stream_create(77, 0, 0, &none));
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_destroy(nullptr));
    });
}

} // namespace
} // namespace gs::test
