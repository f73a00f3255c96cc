// SPDX-License-Identifier: Apache-2.0
// What a forked child reports about the parent's devices, and when it knows that it must not use them.
#include "inventory/inventory_support.hpp"

namespace gs::test {
namespace {

int32_t fork_status() {
    int32_t status = -1;
    EXPECT_OK(gs_fork_status(&status));
    return status;
}

} // namespace

// The driver read the variables when the parent started; their present values would name another GPU.
TEST(InventoryFork, AChildGoesByWhatTheDriverRead) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    EXPECT_EQ(forked([] {
                  set("CUDA_VISIBLE_DEVICES", "1");
                  if (count() != 2 || index_of(kCuda0) != 0 || index_of(kCuda1) != 1) return 1;
                  return entry(0).ordinal == 0 && entry(1).ordinal == 1 ? 0 : 2;
              }),
              0);
}

TEST(InventoryFork, AChildGoesByTheOrderThatTheDriverRead) {
    OWN_PROCESS(
        {{"FAKE_NVML_NAMES", "Slow,Fast"}, {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"CUDA_VISIBLE_DEVICES", "1,0"}});
    ASSERT_OK(gs_init());
    EXPECT_EQ(forked([] {
                  set("CUDA_DEVICE_ORDER", nullptr);
                  set("CUDA_VISIBLE_DEVICES", nullptr);
                  return index_of(kCuda0) == 1 && index_of(kCuda1) == 0 ? 0 : 1;
              }),
              0);
}

TEST(InventoryFork, AChildDoesNotGuessFromAVariableThatWasNotKeptWhole) {
    OWN_PROCESS();
    set("CUDA_VISIBLE_DEVICES", ("0,1,-1" + std::string(5000, ' ')).c_str());
    ASSERT_OK(gs_init());
    EXPECT_EQ(forked([] {
                  if (index_of(kCuda0) != -1 || last_error().status != GS_ERROR_NOT_SUPPORTED) return 1;
                  return entry(0).ordinal == -2 ? 0 : 2;
              }),
              0);
}

// The start comes too late to see what the driver read.
TEST(InventoryFork, AChildDoesNotGuessWhereAnotherLibraryWasFirst) {
    OWN_PROCESS();
    initialise_cuda_as_another_library();
    set("CUDA_VISIBLE_DEVICES", "1");
    ASSERT_OK(gs_init());
    EXPECT_EQ(count(), 2);
    EXPECT_EQ(index_of(kCuda1), 1);
    EXPECT_EQ(forked([] {
                  if (index_of(kCuda1) != 1) return 1; // known from the parent
                  if (index_of(kCuda0) != -1 || last_error().status != GS_ERROR_NOT_SUPPORTED) return 2;
                  return entry(0).ordinal == -2 && entry(1).ordinal == 1 ? 0 : 3;
              }),
              0);
}

TEST(ForkOfAnotherLibrarysCuda, IsKnownFromTheStartWhereItWasSeen) {
    OWN_PROCESS();
    initialise_cuda_as_another_library();
    set("CUDA_VISIBLE_DEVICES", "1");
    EXPECT_EQ(count(), 2);
    EXPECT_EQ(index_of(kCuda1), 1);
    EXPECT_EQ(fork_status(), GS_FORK_CLEAN) << "the parent still works";
    EXPECT_EQ(forked([] {
                  const uint64_t before = driver_calls(nullptr);
                  gs_stream_t stream = nullptr;
                  int32_t initialized = 1;
                  if (fork_status() != GS_FORK_CHILD_OF_INITIALIZED) return 1;
                  if (count() != 2 || index_of(kCuda1) != 1) return 2; // the parent's
                  if (index_of(kCuda0) != -1 || last_error().status != GS_ERROR_NOT_SUPPORTED) return 3;
                  if (entry(0).ordinal != -2 || entry(1).ordinal != 1) return 4;
                  if (gs_init() != GS_ERROR_BAD_FORK) return 5;
                  if (gs_stream_create(0, 0, 0, &stream) != GS_ERROR_BAD_FORK) return 6;
                  if (gs_is_initialized(&initialized) != GS_OK || initialized != 0) return 7;
                  return driver_calls(nullptr) == before ? 0 : 8;
              }),
              0);
    EXPECT_OK(gs_init());
    EXPECT_EQ(fork_status(), GS_FORK_CLEAN);
}

// The driver's cuInit returns 3 in such a child.
TEST(ForkOfAnotherLibrarysCuda, IsKnownFromTheFirstUseWhereItWasNot) {
    OWN_PROCESS({{"GPUSTREAM_BACKEND", "auto"}});
    initialise_cuda_as_another_library();
    EXPECT_EQ(forked([] {
                  gs_stream_t stream = nullptr;
                  if (fork_status() != GS_FORK_CLEAN) return 1;
                  if (gs_init() != GS_ERROR_BAD_FORK || last_error().native_code != 3) return 2;
                  if (fork_status() != GS_FORK_CHILD_OF_INITIALIZED) return 3;
                  const uint64_t before = driver_calls(nullptr);
                  // The host backend must not step in silently.
                  if (gs_stream_create(0, 0, 0, &stream) != GS_ERROR_BAD_FORK || stream) return 4;
                  if (count() != 2 || entry(1).uuid != gpu_uuid(1)) return 5; // the inventory still works
                  if (index_of(kCuda0) != -1 || last_error().status != GS_ERROR_NOT_SUPPORTED) return 6;
                  if (driver_calls(nullptr) != before) return 7;
                  return forked([] { return fork_status() == GS_FORK_CHILD_OF_INITIALIZED ? 0 : 1; }) == 0 ? 0 : 8;
              }),
              0);
}

TEST(ForkOfAnotherLibrarysCuda, ADeviceOfTheHostIsRefusedAsWell) {
    OWN_PROCESS();
    initialise_cuda_as_another_library();
    EXPECT_EQ(forked([] {
                  gs_stream_t stream = nullptr;
                  if (gs_stream_create(GS_DEVICE(GS_BACKEND_HOST, 0), 0, 0, &stream) != GS_ERROR_BAD_FORK) return 1;
                  return !stream && fork_status() == GS_FORK_CHILD_OF_INITIALIZED ? 0 : 2;
              }),
              0);
}

TEST(ForkOfAnotherLibrarysCuda, AHostBackendThatRunsInTheChildGoesOn) {
    OWN_PROCESS({{"GPUSTREAM_BACKEND", "host"}});
    initialise_cuda_as_another_library();
    EXPECT_EQ(forked([] {
                  gs_stream_t stream = nullptr, other = nullptr;
                  if (gs_stream_create(0, 0, 0, &stream) != GS_OK) return 1;
                  for (int i = 0; i < 2; ++i)
                      if (gs_stream_create(kCuda0, 0, 0, &other) != GS_ERROR_BAD_FORK) return 2;
                  if (fork_status() != GS_FORK_CLEAN) return 3;
                  return gs_stream_synchronize(stream) == GS_OK && gs_stream_destroy(stream) == GS_OK ? 0 : 4;
              }),
              0);
}

TEST(ForkOfAnotherLibrarysCuda, SaysSo) {
    OWN_PROCESS({{"FAKE_CUDA_INIT", "3"}, {"GPUSTREAM_BACKEND", "auto"}});
    EXPECT_FAILS(GS_ERROR_BAD_FORK, gs_init, "another library");
    EXPECT_EQ(last_error().native_code, 3);
    gs_stream_t stream = nullptr;
    EXPECT_FAILS(GS_ERROR_BAD_FORK, gs_stream_create, "spawn", 0, 0, 0, &stream);
    EXPECT_EQ(stream, nullptr) << "not on the host backend instead, without the caller's knowledge";
    EXPECT_EQ(count(), 2) << "the inventory still works";
    EXPECT_EQ(entry(1).uuid, gpu_uuid(1));
}

} // namespace gs::test
