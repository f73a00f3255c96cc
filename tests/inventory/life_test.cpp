// SPDX-License-Identifier: Apache-2.0
// Forks, threads, and a variable that changes too late.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "inventory/inventory_support.hpp"

namespace gs::test {
namespace {

// A fork of a sanitized process copies the tables of its shadow memory, which takes many times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kForks = 50;
#else
constexpr int kForks = 500;
#endif

} // namespace

TEST(InventoryFork, TheInventoryMayBeAskedBeforeAFork) {
    OWN_PROCESS();
    EXPECT_EQ(count(), 2);
    EXPECT_EQ(entry(1).uuid, gpu_uuid(1));
    EXPECT_EQ(forked([] {
                  int32_t status = -1;
                  Telemetry read;
                  if (gs_fork_status(&status) != GS_OK || status != GS_FORK_CLEAN) return 1;
                  if (count() != 2 || index_of(kCuda1) != 1) return 2;
                  if (gs_device_get_telemetry(kCuda1, 0, &read) != GS_OK || read.utilization_percent != 11) return 3;
                  gs_stream_t stream = nullptr;
                  return gs_stream_create(1, 0, 0, &stream) == GS_OK ? 0
                                                                     : 4; // the driver was not touched before the fork
              }),
              0);
}

TEST(InventoryFork, AChildOfAnInitialisedProcessStillHasTheInventory) {
    OWN_PROCESS({{"FAKE_NVML_ORDER", "1,0"}, {"FAKE_NVML_NAMES", "Slow,Fast"}});
    ASSERT_OK(gs_init());
    EXPECT_EQ(index_of(kCuda1), 0);
    EXPECT_EQ(forked([] {
                  int32_t number = 0;
                  Telemetry read;
                  const uint64_t before = driver_calls(nullptr);
                  if (count() != 2 || entry(0).uuid != gpu_uuid(1)) return 1;
                  if (index_of(kCuda1) != 0) return 2; // known from the parent
                  if (index_of(kCuda0) != -1 || last_error().status != GS_ERROR_NOT_SUPPORTED)
                      return 3; // never queried there
                  if (gs_device_get_telemetry(kCuda1, 0, &read) != GS_ERROR_BAD_FORK) return 4;
                  if (read.known != 0) return 5;
                  if (gs_inventory_index(GS_DEVICE_CURRENT, &number) != GS_ERROR_BAD_FORK) return 6;
                  return driver_calls(nullptr) == before ? 0 : 7;
              }),
              0);
}

// A thread that does nothing. With it, a child must not load libraries.
class OtherThread {
public:
    OtherThread() : thread_([this] { end_.wait(false); }) {}
    ~OtherThread() {
        end_ = true;
        end_.notify_all();
        thread_.join();
    }
    OtherThread(const OtherThread &) = delete;
    OtherThread &operator=(const OtherThread &) = delete;

private:
    std::atomic<bool> end_{false};
    std::thread thread_;
};

gs_status_t inventory_of_a_child() {
    return forked([] {
        int32_t gpus = 0, entries = 0;
        const gs_status_t status = gs_inventory_count(&gpus, &entries);
        return status == GS_OK && gpus != 2 ? -1 : status;
    });
}

TEST(InventoryFork, AChildOfAnInitialisedProcessWithThreadsDoesNotLoadNvml) {
    OWN_PROCESS({{"GPUSTREAM_BACKEND", "host"}});
    ASSERT_OK(gs_init());
    EXPECT_EQ(inventory_of_a_child(), GS_OK) << "the parent has one thread";
    const OtherThread other;
    EXPECT_EQ(inventory_of_a_child(), GS_ERROR_BAD_FORK);
    EXPECT_EQ(forked([] { // its own child has one thread, but the loader's state is that of the first parent
                  return forked([] { return inventory_of_a_child() == GS_ERROR_BAD_FORK ? 0 : 1; });
              }),
              0);
    int32_t gpus = 0, entries = 0;
    ASSERT_OK(gs_inventory_count(&gpus, &entries));
    EXPECT_EQ(inventory_of_a_child(), GS_OK) << "NVML is loaded";
}

TEST(InventoryFork, AChildKnowsThatItsParentFoundNoNvml) {
    OWN_PROCESS({{"GPUSTREAM_BACKEND", "host"}, {"GPUSTREAM_LIBNVML", "/nonexistent/libnvidia-ml.so"}});
    ASSERT_OK(gs_init());
    int32_t gpus = 0, entries = 0;
    EXPECT_EQ(gs_inventory_count(&gpus, &entries), GS_ERROR_UNAVAILABLE);
    const OtherThread other;
    EXPECT_EQ(inventory_of_a_child(), GS_ERROR_UNAVAILABLE);
}

// NVML's own locks may be held in the child by a thread that does not exist there.
TEST(InventoryFork, AChildForkedWhileAnotherThreadIsInsideNvmlNeverEntersIt) {
    OWN_PROCESS();
    EXPECT_EQ(count(), 2);
    nvml_hold(true);
    std::thread inside([] {
        Telemetry read;
        EXPECT_OK(gs_device_get_telemetry(kCuda0, GS_TELEMETRY_UTILIZATION, &read));
        EXPECT_EQ(read.utilization_percent, 10);
    });
    while (nvml_waiting() == 0) std::this_thread::yield();
    EXPECT_EQ(forked([] {
                  int32_t gpus = 7, entries = 7;
                  if (gs_inventory_count(&gpus, &entries) != GS_ERROR_BAD_FORK || gpus != 0) return 1;
                  gs_inventory_entry_t unused{};
                  unused.struct_size = sizeof unused;
                  if (gs_inventory_get(0, &unused) != GS_ERROR_BAD_FORK) return 2;
                  if (gs_inventory_index(kCuda0, &gpus) != GS_ERROR_BAD_FORK) return 3;
                  return count() == 1 ? 0 : 4; // the guess without NVML
              }),
              0);
    nvml_hold(false);
    inside.join();
    EXPECT_EQ(count(), 2) << "the parent continues";
}

TEST(InventoryFork, AtAnyMoment) {
    OWN_PROCESS();
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i)
        threads.emplace_back([&] {
            while (!stop) {
                Telemetry read;
                EXPECT_OK(gs_device_get_telemetry(kCuda1, GS_TELEMETRY_UTILIZATION, &read));
                EXPECT_EQ(read.utilization_percent, 11);
            }
        });
    for (int i = 0; i < kForks; ++i) {
        const int code = forked([] {
            int32_t gpus = 0, entries = 0;
            const gs_status_t status = gs_inventory_count(&gpus, &entries);
            if (status == GS_OK) return gpus == 2 ? 0 : 1;
            return status == GS_ERROR_BAD_FORK ? 0 : 2;
        });
        ASSERT_EQ(code, 0) << "fork " << i;
    }
    stop = true;
    for (std::thread &thread : threads) thread.join();
}

TEST(InventoryThreads, TheFirstUseByManyInitialisesNvmlOnce) {
    OWN_PROCESS();
    std::atomic<int> waiting{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            ++waiting;
            while (waiting < 8) std::this_thread::yield();
            EXPECT_EQ(entry(1).uuid, gpu_uuid(1));
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(nvml_users(), 1);
}

TEST(VisibleDevicesLate, AChangeAfterTheFirstUseHasNoEffect) {
    OWN_PROCESS({{"CUDA_VISIBLE_DEVICES", "0,1"}});
    set("CUDA_VISIBLE_DEVICES", "1,0"); // in time
    ASSERT_OK(gs_init());
    EXPECT_EQ(count(), 2);
    for (const char *late : {"1", "0,1,2,3", static_cast<const char *>(nullptr)}) {
        set("CUDA_VISIBLE_DEVICES", late);
        EXPECT_EQ(count(), 2);
        EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_set_current_device(2));
    }
}

} // namespace gs::test
