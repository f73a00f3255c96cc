// SPDX-License-Identifier: Apache-2.0
// A scope restores the driver's current context exactly, whatever was made current inside.
#include "conformance/conformance.hpp"

#if GPUSTREAM_WITH_CUDA

#include <cudaTypedefs.h>

#include <functional>
#include <thread>
#include <vector>

#include "support/cuda_driver.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

CUcontext current_context() {
    static const auto get = driver_symbol<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent");
    CUcontext context = nullptr;
    EXPECT_EQ(get(&context), CUDA_SUCCESS);
    return context;
}

void make_current(CUcontext context) {
    static const auto set = driver_symbol<PFN_cuCtxSetCurrent_v4000>("cuCtxSetCurrent");
    EXPECT_EQ(set(context), CUDA_SUCCESS);
}

CUcontext primary(int device) {
    static const auto retain = driver_symbol<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain");
    CUcontext context = nullptr;
    EXPECT_EQ(retain(&context, device), CUDA_SUCCESS);
    return context;
}

// A context of the caller's own on device 0, not the primary one; it is current afterwards.
CUcontext own_context() {
    CUcontext context = nullptr;
    EXPECT_EQ(driver_symbol<PFN_cuCtxCreate_v3020>("cuCtxCreate_v2")(&context, 0, 0), CUDA_SUCCESS);
    return context;
}

// Streams of both devices, which creates the devices' contexts.
struct Streams {
    Stream on[2] = {make_stream(0), make_stream(1)};
    Stream more[2] = {make_stream(0), make_stream(1)};
};

uint64_t push(const Stream &stream) {
    uint64_t scope = 0;
    EXPECT_OK(gs_push_current_stream(stream, &scope));
    return scope;
}

// A thread that has set no device yet.
void on_new_thread(const std::function<void()> &body) { std::thread(body).join(); }

// Every call that makes another device current.
std::vector<std::function<void(const Streams &, gs_device_t)>> device_changes() {
    return {[](const Streams &, gs_device_t device) { EXPECT_OK(gs_set_current_device(device)); },
            [](const Streams &, gs_device_t device) {
                gs_device_t previous = GS_DEVICE_NONE;
                EXPECT_OK(gs_exchange_device(device, &previous));
            },
            [](const Streams &streams, gs_device_t device) { EXPECT_OK(gs_set_current_stream(streams.on[device])); },
            [](const Streams &streams, gs_device_t device) {
                gs_stream_t previous = nullptr;
                EXPECT_OK(gs_exchange_current_stream(streams.more[device], &previous));
                EXPECT_OK(gs_stream_destroy(previous));
            },
            [](const Streams &streams, gs_device_t device) {
                ASSERT_OK(gs_pop_current_stream(push(streams.on[1 - device]))); // a scope inside that ended
                EXPECT_OK(gs_set_current_device(device));
            }};
}

} // namespace

TEST_P(CudaConformanceProcess, RowG6_APopUndoesADeviceSetInside) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    const Streams streams;
    const CUcontext zero = primary(0);
    size_t number = 0;
    for (const auto &change : device_changes()) {
        SCOPED_TRACE(number++);
        for (const bool device_was_set : {false, true})
            on_new_thread([&] {
                make_current(zero);
                if (device_was_set) EXPECT_OK(gs_set_current_device(0));
                const uint64_t scope = push(streams.on[0]);
                change(streams, 1);
                EXPECT_EQ(current_context(), primary(1));
                ASSERT_OK(gs_pop_current_stream(scope));
                EXPECT_EQ(current_context(), zero);
                EXPECT_EQ(current_device(), 0);
                make_current(primary(1));
                EXPECT_EQ(current_device(), device_was_set ? 0 : 1) << "whether the thread had set a device";
            });
    }
}

// At the end the current device is the one from before, but its context is not.
TEST_P(CudaConformanceProcess, RowG6_APopPutsBackAContextThatIsNotThePrimaryOne) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    const Streams streams;
    const CUcontext zero = primary(0);
    for (const int pushed : {0, 1})
        for (const auto &change : device_changes()) {
            on_new_thread([&] {
                EXPECT_OK(gs_set_current_device(0));
                const CUcontext own = own_context();
                const uint64_t scope = push(streams.on[pushed]);
                change(streams, 1 - pushed);
                EXPECT_EQ(current_context(), primary(1 - pushed));
                EXPECT_OK(gs_set_current_device(0));
                EXPECT_EQ(current_context(), zero);
                ASSERT_OK(gs_pop_current_stream(scope));
                EXPECT_EQ(current_context(), own);
                EXPECT_EQ(current_device(), 0);
            });
        }
}

TEST_P(CudaConformanceProcess, RowG6_NoneIsPutBackToo) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    const Streams streams;
    ASSERT_EQ(current_context(), nullptr);
    const uint64_t scope = push(streams.on[0]);
    EXPECT_OK(gs_set_current_device(1));
    EXPECT_EQ(current_context(), primary(1));
    ASSERT_OK(gs_pop_current_stream(scope));
    EXPECT_EQ(current_context(), nullptr);
}

// Each scope restores its initial state, also where another block of scopes begins.
TEST_P(CudaConformanceProcess, RowG8_EveryScopeOfManyPutsItsContextBack) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    const Streams streams;
    const CUcontext own = own_context();
    for (const bool unwind : {false, true})
        for (const int change_at : {1, 15, 16, 17, 18, 32, 33, 34}) {
            SCOPED_TRACE(change_at);
            std::vector<uint64_t> scopes;
            std::vector<CUcontext> before;
            for (int depth = 1; depth <= 34; ++depth) {
                before.push_back(current_context());
                scopes.push_back(push(depth % 7 == 0 ? streams.more[1] : streams.more[0]));
                if (depth == change_at) EXPECT_OK(gs_set_current_device(depth % 7 == 0 ? 0 : 1));
                if (depth == 20) EXPECT_OK(gs_set_current_device(1));
                if (depth == 20) EXPECT_OK(gs_set_current_device(0));
            }
            while (!scopes.empty()) {
                const size_t ended = unwind ? scopes.size() / 2 : scopes.size() - 1;
                if (unwind)
                    ASSERT_OK(gs_unwind_current_stream(scopes[ended]));
                else
                    ASSERT_OK(gs_pop_current_stream(scopes[ended]));
                EXPECT_EQ(current_context(), before[ended]) << "scope " << ended + 1;
                scopes.resize(ended);
            }
            EXPECT_EQ(current_context(), own);
        }
}

} // namespace gs::test

#endif
