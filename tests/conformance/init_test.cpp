// SPDX-License-Identifier: Apache-2.0
// Initialisation happens once per process, so each test here has one of its own. The prefix Init_ keeps the fixture from
// initialising first.
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "conformance/conformance.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

bool initialized() {
    int32_t value = -1;
    EXPECT_OK(gs_is_initialized(&value));
    return value == 1;
}

struct CallbackCalls {
    std::vector<int> calls;
    bool was_initialized = false;
};
CallbackCalls g_trace;

template <int number, gs_status_t result = GS_OK>
gs_status_t called(void *arg) {
    EXPECT_EQ(arg, &g_trace);
    g_trace.calls.push_back(number);
    return result;
}

using Calls = std::vector<int>;

} // namespace

TEST_P(ConformanceProcess, Init_NotByHarmlessCalls) {
    ROWS("E1 E4 E5 B2 F-8");
    OWN_PROCESS();
    int32_t number = 0;
    gs_backend_t backend = 0;
    EXPECT_FALSE(initialized());
    EXPECT_OK(gs_is_available(&number));
    EXPECT_EQ(number, 1) << "host selected by name, or a driver with a device";
    EXPECT_OK(gs_device_count(GS_BACKEND_DEFAULT, &number));
    EXPECT_GE(number, 1);
    EXPECT_OK(gs_default_backend(&backend));
    EXPECT_EQ(backend, GetParam());
    Event event = make_event();
    EXPECT_TRUE(done(event.get()));
    EXPECT_OK(gs_event_synchronize(event));
    EXPECT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_MODE, GS_SYNC_DEBUG_DEFAULT));
    EXPECT_OK(gs_set_current_device(0));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_destroy(nullptr));
    EXPECT_FALSE(initialized());
    EXPECT_EQ(gs_instance_count(), 1);
}

TEST_P(ConformanceProcess, Init_ByTheCallsOfRowE3) {
    ROWS("E2 E3");
    struct Row {
        const char *name;
        gs_status_t (*call)();
    };
    static const Row rows[] = {
        {"gs_init", [] { return gs_init(); }},
        {"gs_current_device",
         [] {
             gs_device_t d;
             return gs_current_device(&d);
         }},
        {"gs_current_stream",
         [] {
             gs_stream_t s;
             return gs_current_stream(GS_DEVICE_CURRENT, &s);
         }},
        {"gs_default_stream",
         [] {
             gs_stream_t s;
             return gs_default_stream(0, &s);
         }},
        {"gs_per_thread_stream",
         [] {
             gs_stream_t s;
             return gs_per_thread_stream(0, &s);
         }},
        {"gs_device_synchronize", [] { return gs_device_synchronize(0); }},
        {"gs_device_get_info",
         [] {
             gs_device_info_t i{};
             i.struct_size = sizeof i;
             return gs_device_get_info(0, &i);
         }},
        {"gs_device_can_access_peer",
         [] {
             int32_t n;
             return gs_device_can_access_peer(0, 0, &n);
         }},
        {"gs_stream_create",
         [] {
             gs_stream_t s;
             return gs_stream_create(0, 0, 0, &s);
         }},
        {"gs_malloc_host",
         [] {
             void *p;
             return gs_malloc_host(1, &p);
         }},
    };
    const char *chosen = std::getenv("GS_TEST_ROW");
    if (!chosen) {
        for (size_t i = 0; i < std::size(rows); ++i) in_own_process({{"GS_TEST_ROW", std::to_string(i)}});
        return;
    }
    const Row &row = rows[std::strtoul(chosen, nullptr, 10)];
    EXPECT_FALSE(initialized());
    ASSERT_OK(gs_call_on_init(called<1>, &g_trace));
    EXPECT_OK(row.call()) << row.name;
    EXPECT_TRUE(initialized()) << row.name;
    EXPECT_EQ(g_trace.calls, Calls{1}) << row.name;
    EXPECT_OK(gs_init()) << "no effect once initialised";
}

TEST_P(ConformanceProcess, Init_QueuedCallsRunInOrderOnce) {
    ROWS("E12");
    OWN_PROCESS();
    ASSERT_OK(gs_call_on_init(called<1>, &g_trace));
    ASSERT_OK(gs_call_on_init(called<2>, &g_trace));
    ASSERT_OK(gs_call_on_init(called<3>, &g_trace));
    EXPECT_TRUE(g_trace.calls.empty());
    Stream stream = make_stream();
    EXPECT_EQ(g_trace.calls, (Calls{1, 2, 3})) << "before the initialising call continued";
    EXPECT_OK(gs_init());
    EXPECT_EQ(g_trace.calls, (Calls{1, 2, 3}));
    EXPECT_OK(gs_call_on_init(called<4>, &g_trace)) << "immediately from now on";
    EXPECT_EQ(g_trace.calls, (Calls{1, 2, 3, 4}));
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_call_on_init, "NOT_SUPPORTED", (called<5, GS_ERROR_NOT_SUPPORTED>),
                 &g_trace);
    const auto wait = [](void *) { return gs_device_synchronize(0); };
    EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_call_on_init, "NOT_PERMITTED", wait, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_call_on_init, "fn", nullptr, nullptr);
}

TEST_P(ConformanceProcess, Init_AFailingCallReportsItsOrigin) {
    ROWS("E13 E14");
    OWN_PROCESS();
    ASSERT_OK(gs_call_on_init(called<1>, &g_trace));
    ASSERT_OK(gs_call_on_init(called<2, GS_ERROR_NOT_SUPPORTED>, &g_trace));
    ASSERT_OK(gs_call_on_init(called<3>, &g_trace));
    gs_stream_t stream = nullptr;
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_stream_create, "number 2", 0, 0, 0, &stream);
    EXPECT_EQ(stream, nullptr);
    EXPECT_FALSE(initialized()) << "never half initialised";
    EXPECT_EQ(g_trace.calls, (Calls{1, 2}));
    EXPECT_OK(gs_init()) << "the failing function is dropped, the next attempt continues with the rest";
    EXPECT_TRUE(initialized());
    EXPECT_EQ(g_trace.calls, (Calls{1, 2, 3}));
}

// Callers take GS_NOT_READY for a result, and expect only numbers that are statuses.
TEST_P(ConformanceProcess, Init_AnAnswerThatIsNoFailureIsReportedAsOne) {
    OWN_PROCESS();
    ASSERT_OK(gs_call_on_init(called<1, GS_NOT_READY>, &g_trace));
    ASSERT_OK(gs_call_on_init(called<2, 12345>, &g_trace));
    gs_stream_t stream = nullptr;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_create,
                 "number 1 failed at initialisation with 1 (a failure was expected)", 0, 0, 0, &stream);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_create, "12345", 0, 0, 0, &stream);
    EXPECT_EQ(stream, nullptr);
    ASSERT_OK(gs_init());
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_call_on_init, "with -3 (a failure", (called<3, -3>), &g_trace);
    EXPECT_EQ(g_trace.calls, (Calls{1, 2, 3}));
}

TEST_P(ConformanceProcess, Init_ReEntrancy) {
    ROWS("E7");
    OWN_PROCESS();
    const auto nested = [](void *arg) -> gs_status_t {
        static_cast<CallbackCalls *>(arg)->calls.push_back(1);
        EXPECT_OK(gs_init()); // in progress further down this stack
        EXPECT_FALSE(initialized());
        Stream stream = make_stream();
        EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_stream_synchronize, "the first calls of other threads wait", stream);
        EXPECT_OK(gs_call_on_init(called<9>, arg)); // queued after the rest
        return GS_OK;
    };
    ASSERT_OK(gs_call_on_init(nested, &g_trace));
    ASSERT_OK(gs_call_on_init(called<2>, &g_trace));
    EXPECT_OK(gs_init());
    EXPECT_TRUE(initialized());
    EXPECT_EQ(g_trace.calls, (Calls{1, 2, 9}));
}

TEST_P(ConformanceProcess, Init_OtherThreadsWait) {
    ROWS("E6");
    OWN_PROCESS();
    static std::atomic<bool> inside{false}, leave{false};
    static std::atomic<int> finished{0};
    const auto slow = [](void *) -> gs_status_t {
        inside = true;
        while (!leave) std::this_thread::yield();
        return GS_OK;
    };
    ASSERT_OK(gs_call_on_init(slow, nullptr));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([] {
            EXPECT_OK(gs_init());
            EXPECT_TRUE(leave) << "a thread continued before an initialisation had finished";
            EXPECT_TRUE(initialized());
            ++finished;
        });
    while (!inside) std::this_thread::yield();
    EXPECT_EQ(finished, 0);
    EXPECT_FALSE(initialized());
    leave = true;
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(finished, 4);
}

TEST_P(ConformanceProcess, Init_UnknownBackendName) {
    OWN_PROCESS();
    setenv("GPUSTREAM_BACKEND", "abacus", 1);
    gs_backend_t backend = 1;
    int32_t number = 1;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_default_backend, "abacus", &backend);
    EXPECT_EQ(backend, 0);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_init, "abacus");
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_device_count(GS_BACKEND_DEFAULT, &number));
    EXPECT_EQ(number, 0);
    EXPECT_FALSE(initialized());
}

TEST_P(ConformanceProcess, Init_HostDevicesFromTheEnvironment) {
    OWN_PROCESS({{"GPUSTREAM_HOST_DEVICES", "5"}});
    int32_t count = 0;
    EXPECT_OK(gs_device_count(GS_BACKEND_HOST, &count));
    EXPECT_EQ(count, 5);
    EXPECT_EQ(gs_device_backend(GS_DEVICE(GS_BACKEND_HOST, 4)), GS_BACKEND_HOST);
    Stream stream = make_stream(GS_DEVICE(GS_BACKEND_HOST, 4));
    gs_device_t device = GS_DEVICE_NONE;
    EXPECT_OK(gs_stream_device(stream, &device));
    EXPECT_EQ(device, on_host() ? 4 : GS_DEVICE(GS_BACKEND_HOST, 4))
        << "plain for the default backend, qualified otherwise";
    gs_stream_t none = nullptr;
    EXPECT_FAILS(GS_ERROR_INVALID_DEVICE, gs_stream_create, "5", GS_DEVICE(GS_BACKEND_HOST, 5), 0, 0, &none);
    EXPECT_OK(gs_stream_synchronize(stream));
}

TEST_P(HostConformanceProcess, Init_AutoWithoutADriverIsHost) {
    OWN_PROCESS({{"GPUSTREAM_LIBCUDA", "/no/such/libcuda.so"}});
    setenv("GPUSTREAM_BACKEND", "auto", 1);
    gs_backend_t backend = 0;
    int32_t number = 1;
    EXPECT_OK(gs_default_backend(&backend));
    EXPECT_EQ(backend, GS_BACKEND_HOST);
    EXPECT_OK(gs_is_available(&number));
    EXPECT_EQ(number, 0) << "no accelerator, and host was not selected by name";
    EXPECT_OK(gs_device_count(GS_BACKEND_CUDA, &number));
    EXPECT_EQ(number, 0);
    Stream stream = make_stream();
    EXPECT_OK(gs_stream_synchronize(stream));
}

TEST_P(HostConformanceProcess, Init_ABackendThatCannotStart) {
    ROWS("E9 E10 E16");
    OWN_PROCESS({{"GPUSTREAM_LIBCUDA", "/no/such/libcuda.so"}});
    setenv("GPUSTREAM_BACKEND", "cuda", 1);
    int32_t number = 1;
    EXPECT_OK(gs_is_available(&number));
    EXPECT_EQ(number, 0);
    for (int i = 0; i < 2; ++i) { // a failed start is final and keeps its reason
        gs_stream_t none = nullptr;
        EXPECT_STATUS(GS_ERROR_UNAVAILABLE, gs_stream_create(0, 0, 0, &none));
        EXPECT_EQ(last_error().reason, GS_REASON_NO_LIBRARY);
        EXPECT_STREQ(last_error().function, "gs_stream_create");
        EXPECT_STATUS(GS_ERROR_UNAVAILABLE, gs_init());
        EXPECT_EQ(last_error().reason, GS_REASON_NO_LIBRARY);
    }
    EXPECT_FALSE(initialized());
    EXPECT_OK(gs_fork_status(&number));
    EXPECT_EQ(number, GS_FORK_CLEAN);
}

} // namespace gs::test
