// SPDX-License-Identifier: Apache-2.0
// Launches that relax the order of their stream.
#include "checker/pattern.hpp"
#include "conformance/kernels.hpp"
#include "support/launches.hpp"

#if defined(GS_TEST_HOST_KERNELS) // the conformance family builds them

namespace gs::check::test {
namespace {

class CheckPatternOfLaunches : public CheckPattern {
protected:
    CheckPatternOfLaunches() {
        if (on_host())
            EXPECT_OK(gs_module_load(0, GS_TEST_HOST_KERNELS, 0, &module_));
        else
            EXPECT_OK(gs_module_load(0, gs::test::kPtx, sizeof gs::test::kPtx, &module_));
        EXPECT_OK(gs_module_get_kernel(module_, "add_one", &kernel_));
    }
    ~CheckPatternOfLaunches() override {
        EXPECT_OK(gs_device_synchronize(0));
        EXPECT_OK(gs_module_destroy(module_));
    }
    static bool on_host() {
        gs_backend_t backend = GS_BACKEND_HOST;
        EXPECT_OK(gs_default_backend(&backend));
        return backend == GS_BACKEND_HOST;
    }
    gs_status_t launch(gs_stream_t stream, uint32_t flags, gs_event_t early) {
        gs_launch_config_t config = gs::test::launch_of(1, 1);
        config.flags = flags;
        config.programmatic_event = early;
        return gs_kernel_launch(kernel_, &config, arguments_, stream);
    }

private:
    gs::test::Bytes word_{4};
    unsigned char *at_ = word_.at(0);
    void *arguments_[1] = {&at_};
    gs_module_t module_ = nullptr;
    gs_kernel_t kernel_ = nullptr;
};

// Another stream's kernel can wait for the kernel itself. The host, and what it submits, cannot.
TEST_F(CheckPatternOfLaunches, AProgrammaticEventTellsTheHostNothingAboutItsKernel) {
    Checking checking;
    ASSERT_OK(write(copy, "before"));
    ASSERT_OK(launch(copy, 0, event));
    ASSERT_OK(write(copy, "kernel"));
    ASSERT_OK(gs_event_synchronize(event));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(read(side, "after the event"));
    const auto reports = checking.reports();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_NE(reports[0].text.find("\"kernel\""), std::string::npos) << reports[0].text;
    ASSERT_OK(gs_event_record(event, copy));
    ASSERT_OK(gs_event_synchronize(event));
    ASSERT_OK(read(compute, "after a plain record"));
    EXPECT_EQ(checking.count(), 0u);
}

TEST_F(CheckPatternOfLaunches, WhatCameBeforeTheKernelIsKnownByItsProgrammaticEvent) {
    Checking checking;
    ASSERT_OK(write(copy, "before"));
    ASSERT_OK(launch(copy, 0, event));
    ASSERT_OK(gs_event_synchronize(event));
    ASSERT_OK(read(side, "after the event"));
    EXPECT_EQ(checking.count(), 0u);
}

TEST_F(CheckPatternOfLaunches, KernelsThatWaitThemselvesRaiseNoAlarm) {
    Checking checking;
    ASSERT_OK(launch(copy, 0, event));
    ASSERT_OK(write(copy, "primary"));
    ASSERT_OK(launch(copy, GS_LAUNCH_PROGRAMMATIC, nullptr));
    ASSERT_OK(read(copy, "secondary"));
    ASSERT_OK(gs_stream_wait_event(compute, event));
    ASSERT_OK(launch(compute, 0, nullptr));
    ASSERT_OK(read(compute, "secondary of another stream"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(write(side, "without a wait"));
    EXPECT_GE(checking.count(), 1u);
}

} // namespace
} // namespace gs::check::test

#endif
