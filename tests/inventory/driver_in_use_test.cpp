// SPDX-License-Identifier: Apache-2.0
// If another library has initialised CUDA in this process, the driver counts the devices; otherwise it is not called.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "inventory/inventory_support.hpp"

namespace gs::test {
namespace {

constexpr const char *kNone = "/no/such/library";

bool available() {
    int32_t value = -1;
    EXPECT_OK(gs_is_available(&value));
    return value == 1;
}

int32_t utilization(gs_device_t device) {
    Telemetry read;
    EXPECT_OK(gs_device_get_telemetry(device, GS_TELEMETRY_UTILIZATION, &read));
    return read.utilization_percent;
}

} // namespace

TEST(DriverInUse, CountsWhereNvmlCannot) {
    OWN_PROCESS({{"GPUSTREAM_LIBNVML", kNone}, {"FAKE_CUDA_DEVICES", "3"}});
    EXPECT_EQ(count(), 1) << "the guess: the driver library exists";
    EXPECT_TRUE(available());
    expect_no_driver();
    initialise_cuda_as_another_library();
    EXPECT_EQ(count(), 3);
    EXPECT_EQ(count(GS_BACKEND_DEFAULT), 3);
    EXPECT_TRUE(available());
    EXPECT_EQ(driver_calls("cuInit"), 1u) << "gpustream would be the second";
    int32_t value = -1;
    EXPECT_OK(gs_is_initialized(&value));
    EXPECT_EQ(value, 0) << "gpustream has not started a backend";
    const pid_t child = fork();
    if (child == 0) {
        alarm(30);
        int32_t status = -1, devices = -1;
        const uint64_t before = driver_calls(nullptr);
        const bool known = gs_fork_status(&status) == GS_OK && status == GS_FORK_CHILD_OF_INITIALIZED;
        const bool counted = gs_device_count(GS_BACKEND_CUDA, &devices) == GS_OK && devices == 3;
        const bool refused = gs_init() == GS_ERROR_BAD_FORK;
        _exit(known && counted && refused && driver_calls(nullptr) == before ? 0 : 1);
    }
    int outcome = 0;
    EXPECT_EQ(waitpid(child, &outcome, 0), child);
    EXPECT_TRUE(WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0) << outcome;
    EXPECT_OK(gs_init());
    EXPECT_EQ(count(), 3);
}

TEST(DriverInUse, CountsForNamesThatNvmlDoesNotTell) {
    OWN_PROCESS({{"FAKE_NVML_MIG", "2"},
                 {"FAKE_NVML_FAIL", "nvmlDeviceGetGpuInstanceId=13"},
                 {"FAKE_CUDA_DEVICES", "3"},
                 {"CUDA_VISIBLE_DEVICES", "MIG-GPU-67707573-7472-6561-6d2d-66616b652d00/7/0"}});
    EXPECT_EQ(count(), 1);
    expect_no_driver();
    initialise_cuda_as_another_library();
    EXPECT_EQ(count(), 3) << "whatever the driver's result is";
}

// It read the variable when it was initialised.
TEST(DriverInUse, TheEnvironmentOfTodayDoesNotMatter) {
    OWN_PROCESS({{"FAKE_NVML_ORDER", "1,0"}});
    set("CUDA_VISIBLE_DEVICES", "1");
    EXPECT_EQ(count(), 1);
    EXPECT_EQ(utilization(kCuda0), 11);
    initialise_cuda_as_another_library();
    EXPECT_EQ(count(), 2);
    EXPECT_EQ(utilization(kCuda0), 10) << "GPU 1 would be wrong";
    EXPECT_EQ(utilization(kCuda1), 11);
    EXPECT_EQ(index_of(kCuda0), 1);
    EXPECT_EQ(entry(0).ordinal, 1);
    Telemetry read;
    EXPECT_FAILS(GS_ERROR_INVALID_DEVICE, gs_device_get_telemetry, "2 device", GS_DEVICE(GS_BACKEND_CUDA, 2), 0, &read);
    EXPECT_EQ(read.known, 0u);
}

TEST(DriverInUse, KnowsTheFastest) {
    OWN_PROCESS({{"FAKE_NVML_NAMES", "Slow,Fast"}});
    EXPECT_EQ(index_of(kCuda0), -1) << "only the driver knows";
    expect_no_driver();
    initialise_cuda_as_another_library();
    EXPECT_EQ(index_of(kCuda0), 0);
    EXPECT_EQ(utilization(kCuda1), 11);
}

TEST(DriverInUse, ADriverThatIsTooOldNamesNoWrongDevice) {
    OWN_PROCESS({{"FAKE_CUDA_DRIVER_VERSION", "11080"}});
    EXPECT_EQ(count(), 2);
    initialise_cuda_as_another_library();
    EXPECT_EQ(count(), 2);
    Telemetry read;
    EXPECT_STATUS(GS_ERROR_UNAVAILABLE, gs_device_get_telemetry(kCuda0, 0, &read));
    EXPECT_EQ(last_error().reason, GS_REASON_TOO_OLD) << last_text();
    EXPECT_EQ(read.known, 0u);
}

TEST(DriverInUse, AStubNeverCounts) {
    OWN_PROCESS({{"FAKE_CUDA_STUB", "1"}});
    EXPECT_EQ(count(), 2) << "NVML's";
    EXPECT_EQ(count(), 2) << "the stub is loaded now, and queried";
    EXPECT_FAILS(GS_ERROR_UNAVAILABLE, gs_init, "stub");
    EXPECT_EQ(count(), 0) << "it will never start";
}

// Before the start the number is a guess without NVML; after a failed start, which is final, it is exact.
TEST(CountAfterAFailedStart, IsNone) {
    OWN_PROCESS({{"GPUSTREAM_LIBNVML", kNone}, {"FAKE_CUDA_DEVICES", "0"}});
    EXPECT_EQ(count(), 1);
    EXPECT_STATUS(GS_ERROR_UNAVAILABLE, gs_init());
    EXPECT_EQ(last_error().reason, GS_REASON_NO_DEVICE);
    EXPECT_EQ(count(), 0);
    EXPECT_EQ(count(GS_BACKEND_DEFAULT), 0);
    EXPECT_FALSE(available());
}

TEST(CountAfterAFailedStart, TheHostTakesOver) {
    OWN_PROCESS({{"GPUSTREAM_LIBNVML", kNone}, {"FAKE_CUDA_DEVICES", "0"}, {"GPUSTREAM_BACKEND", "auto"}});
    EXPECT_TRUE(available());
    EXPECT_OK(gs_init());
    EXPECT_FALSE(available());
    EXPECT_EQ(count(), 0);
    gs_backend_t backend = 0;
    EXPECT_OK(gs_default_backend(&backend));
    EXPECT_EQ(backend, GS_BACKEND_HOST);
}

TEST(CountAfterAFailedStart, AutoChoosesTheHostOnceItIsKnown) {
    OWN_PROCESS({{"GPUSTREAM_LIBNVML", kNone}, {"FAKE_CUDA_DEVICES", "0"}, {"GPUSTREAM_BACKEND", "auto"}});
    EXPECT_STATUS(GS_ERROR_UNAVAILABLE, gs_set_current_device(kCuda0));
    gs_backend_t backend = 0;
    EXPECT_OK(gs_default_backend(&backend));
    EXPECT_EQ(backend, GS_BACKEND_HOST) << "before any gs_init";
}

TEST(DriverInUse, AskedByManyWhileOneStartsTheBackend) {
    OWN_PROCESS();
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i)
        threads.emplace_back([&, i] {
            ++ready;
            while (ready < 6) std::this_thread::yield();
            if (i == 0) EXPECT_OK(gs_init());
            for (int round = 0; round < 50; ++round) {
                EXPECT_EQ(count(), 2);
                EXPECT_EQ(utilization(kCuda1), 11);
                EXPECT_EQ(index_of(kCuda0), 0);
            }
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(driver_calls("cuInit"), 1u);
}

} // namespace gs::test
