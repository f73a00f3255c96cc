// SPDX-License-Identifier: Apache-2.0
// Modules that are unloaded while other threads look for their kernels and launch them.
#include "stress.hpp"
#include "support/launches.hpp"

namespace gs::test {
namespace {

Module load() {
    gs_module_t module = nullptr;
    EXPECT_OK(gs_module_load(0, kernels_image(), 0, &module));
    return Module(module);
}

TEST(ModuleRaces, LaunchesWhileOthersUnload) {
    const int turns = rounds(150, 25);
    for (int turn = 0; turn < turns; ++turn) {
        gs_module_t module = load().release();
        gs_kernel_t kernel = nullptr;
        ASSERT_OK(gs_module_get_kernel(module, "nothing", &kernel));
        std::atomic<int> launching{0};
        run_threads(6, [&](int i) {
            const gs_launch_config_t config = launch_of(1, 1);
            Stream stream = make_stream(0);
            if (i == 0) {
                while (launching < 2) std::this_thread::yield();
                EXPECT_OK(gs_device_synchronize(0));
                return;
            }
            // Launched work must be done before its code is unloaded: all threads launch, then all work is waited for.
            for (int n = 0; n < 20; ++n) {
                gs_kernel_t again = nullptr;
                EXPECT_OK(gs_module_get_kernel(module, i % 2 ? "nothing" : "count", &again));
                EXPECT_OK(gs_kernel_launch(kernel, &config, nullptr, stream));
            }
            ++launching;
            EXPECT_OK(gs_stream_synchronize(stream));
        });
        // Now nothing is pending, and the handles race with the unloading itself.
        run_threads(4, [&](int i) {
            gs_kernel_t found = nullptr;
            if (i == 0) {
                EXPECT_OK(gs_module_destroy(module));
                return;
            }
            const gs_status_t status = gs_module_get_kernel(module, i % 2 ? "nothing" : "count", &found);
            EXPECT_ALIVE_OR_GONE(status);
            EXPECT_EQ(found != nullptr, status == GS_OK);
        });
        const gs_launch_config_t config = launch_of(1, 1);
        Stream stream = make_stream(0);
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_kernel_launch(kernel, &config, nullptr, stream));
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_module_destroy(module));
    }
    settle();
}

TEST(ModuleRaces, EveryBlockOfEveryLaunchRuns) {
    Module module = load();
    gs_kernel_t kernel = nullptr;
    ASSERT_OK(gs_module_get_kernel(module, "count", &kernel));
    // Memory that a GPU's kernels can access too.
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_host(sizeof(uint64_t), &memory));
    auto *const total = static_cast<uint64_t *>(memory);
    *total = 0;
    const int launches = rounds(300, 60);
    run_threads(6, [&](int i) {
        Random random(static_cast<uint32_t>(i));
        Stream stream = make_stream(0);
        for (int n = 0; n < launches; ++n) {
            uint64_t *target = total; // the value is copied at the launch
            void *arguments[] = {&target};
            const gs_launch_config_t config = launch_of(5, 7);
            EXPECT_OK(gs_kernel_launch(kernel, &config, arguments, stream));
            target = nullptr;
        }
        EXPECT_OK(gs_stream_synchronize(stream));
    });
    EXPECT_EQ(__atomic_load_n(total, __ATOMIC_SEQ_CST), 6u * static_cast<unsigned>(launches) * 35u);
    EXPECT_OK(gs_free_host(memory));
}

} // namespace
} // namespace gs::test
