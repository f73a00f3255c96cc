// SPDX-License-Identifier: Apache-2.0
// How the backend handles contexts: which calls create or restore one, and what happens if other code destroys it.
#if defined(GPUSTREAM_WITH_CUDA)
#include <gtest/gtest.h>

#include <cstring>

#include "cuda_scripted_driver.hpp"

namespace gs::cuda {
namespace {

class CudaContexts : public ::testing::Test, protected ScriptedTestBase {};

TEST_F(CudaContexts, QuestionsCreateNone) {
    bool flag = false;
    EXPECT_TRUE(backend_.stream_query(thread(), {0, kNativeDefaultStream}, &flag).ok());
    EXPECT_TRUE(flag);
    EXPECT_TRUE(backend_.stream_is_capturing(thread(), {0, kNativePerThreadStream}, &flag).ok());
    EXPECT_FALSE(flag);
    EXPECT_TRUE(backend_.stream_synchronize(thread(), {0, kNativeDefaultStream}).ok());
    EXPECT_TRUE(backend_.device_synchronize(0).ok());
    EXPECT_TRUE(backend_.device_check(0).ok());
    EXPECT_FALSE(backend_.has_context(0));
    EXPECT_EQ(backend_.current_ordinal(thread()), -1);
    uintptr_t previous = 1;
    bool changed = true;
    EXPECT_TRUE(backend_.make_current(thread(), 0, &previous, &changed).ok());
    EXPECT_FALSE(changed);
    EXPECT_EQ(previous, 0u);
    EXPECT_EQ(calls("cuDevicePrimaryCtxRetain"), 0);
    EXPECT_EQ(script_.current(), nullptr);
}

TEST_F(CudaContexts, CreationRetainsOnceAndRestoresTheCaller) {
    const CUcontext theirs = ScriptedDriver::context_of(1);
    script_.stack = {theirs};
    for (int i = 0; i < 3; ++i) {
        StreamNative stream{};
        ASSERT_TRUE(backend_.stream_create({0, -99, false}, &stream).ok());
        EXPECT_EQ(stream.priority, -5);
        EXPECT_EQ(script_.current_during["cuStreamCreateWithPriority"], ScriptedDriver::context_of(0));
        EXPECT_EQ(script_.stack, std::vector<CUcontext>{theirs});
    }
    EXPECT_EQ(calls("cuDevicePrimaryCtxRetain"), 1);
    EXPECT_EQ(calls("cuCtxGetStreamPriorityRange"), 1);
}

TEST_F(CudaContexts, AFailedCreationRestoresTheCallerToo) {
    for (const char *function :
         {"cuStreamCreateWithPriority", "cuCtxGetStreamPriorityRange", "cuCtxGetId", "cuCtxPushCurrent"})
        for (const bool after_effect : {false, true}) {
            g_devices[0].priority_range = 0; // asked for once only
            fail(function, CUDA_ERROR_OUT_OF_MEMORY, after_effect);
            StreamNative stream{};
            EXPECT_EQ(backend_.stream_create({0, 0, false}, &stream).code, GS_ERROR_OUT_OF_MEMORY) << function;
            EXPECT_STREQ(detail().native_function, function);
            EXPECT_TRUE(script_.stack.empty()) << function;
            script_.failures.clear();
            EXPECT_TRUE(backend_.stream_create({0, 0, false}, &stream).ok()) << function << ": " << detail().message;
            EXPECT_TRUE(script_.stack.empty()) << function;
        }
}

TEST_F(CudaContexts, APopThatFailsIsTriedAgain) {
    make_stream();
    for (const bool after_effect : {false, true}) {
        fail("cuCtxPopCurrent", CUDA_ERROR_UNKNOWN, after_effect);
        uintptr_t event = 0;
        EXPECT_TRUE(backend_.event_create(0, 0, &event).ok());
        EXPECT_TRUE(script_.stack.empty());
    }
}

TEST_F(CudaContexts, AFailedRetainIsNotRemembered) {
    fail("cuDevicePrimaryCtxRetain", CUDA_ERROR_OUT_OF_MEMORY);
    uintptr_t event = 0;
    EXPECT_EQ(backend_.event_create(0, 0, &event).code, GS_ERROR_OUT_OF_MEMORY);
    EXPECT_TRUE(backend_.event_create(0, 0, &event).ok());
    // A sticky code is forgotten, too: there was no context yet.
    fail("cuDevicePrimaryCtxRetain", CUDA_ERROR_ECC_UNCORRECTABLE);
    EXPECT_EQ(backend_.event_create(1, 0, &event).code, GS_ERROR_DRIVER);
    EXPECT_TRUE(backend_.event_create(1, 0, &event).ok());
}

TEST_F(CudaContexts, DefaultStreamsSwitchOnlyWhereAnotherContextIsCurrent) {
    const uintptr_t stream = make_stream();
    script_.stack = {ScriptedDriver::context_of(0)};
    EXPECT_TRUE(backend_.event_record(thread(), 0x6000, {0, kNativeDefaultStream}, false).ok());
    EXPECT_EQ(calls("cuCtxPushCurrent"), 0);
    script_.stack = {ScriptedDriver::context_of(1)};
    EXPECT_TRUE(backend_.event_record(thread(), 0x6000, {0, kNativePerThreadStream}, false).ok());
    EXPECT_EQ(script_.current_during["cuEventRecord"], ScriptedDriver::context_of(0));
    EXPECT_EQ(script_.current(), ScriptedDriver::context_of(1));
    script_.calls.clear();
    EXPECT_TRUE(backend_.event_record(thread(), 0x6000, {0, stream}, false).ok());
    EXPECT_EQ(script_.total(), 1);
}

TEST_F(CudaContexts, AResetByOthersIsReportedAndNeverFollowed) {
    for (const bool recreated : {false, true}) {
        const int32_t ordinal = recreated ? 1 : 0;
        const uintptr_t stream = make_stream(ordinal);
        script_.reset_by_others(ordinal);
        if (recreated) script_.contexts[ordinal] = {true, script_.next_id++}; // at the same address
        uintptr_t event = 0;
        EXPECT_EQ(backend_.event_create(ordinal, 0, &event).code, GS_ERROR_CONTEXT_LOST);
        EXPECT_EQ(detail().sticky, 1);
        EXPECT_NE(std::strstr(detail().origin, "device"), nullptr);
        EXPECT_NE(backend_.health_flag(ordinal)->load(), 0u);
        script_.calls.clear();
        bool done = false;
        EXPECT_EQ(backend_.stream_query(thread(), {ordinal, stream}, &done).code, GS_ERROR_CONTEXT_LOST);
        EXPECT_EQ(backend_.event_record(thread(), 0x6000, {ordinal, stream}, false).code, GS_ERROR_CONTEXT_LOST);
        EXPECT_EQ(backend_.event_query(thread(), ordinal, 0x6000, &done).code, GS_ERROR_CONTEXT_LOST);
        EXPECT_TRUE(backend_.stream_destroy({ordinal, stream}).ok());
        EXPECT_TRUE(backend_.event_destroy(ordinal, 0x6000).ok());
        EXPECT_EQ(backend_.device_check(ordinal).code, GS_ERROR_CONTEXT_LOST);
        EXPECT_EQ(script_.total(), 0);
    }
}

TEST_F(CudaContexts, ADestroyLooksBeforeItTouchesAHandle) {
    const uintptr_t stream = make_stream();
    script_.reset_by_others(0);
    EXPECT_TRUE(backend_.stream_destroy({0, stream}).ok());
    EXPECT_EQ(calls("cuStreamDestroy"), 0);
    EXPECT_EQ(backend_.health(0).code, GS_ERROR_CONTEXT_LOST);
}

TEST_F(CudaContexts, AnUnknownHandleIsNotALostContext) {
    const uintptr_t stream = make_stream();
    fail("cuEventRecord", CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(backend_.event_record(thread(), 0x6000, {0, stream}, false).code, GS_ERROR_INVALID_HANDLE);
    EXPECT_TRUE(backend_.health(0).ok());
    script_.reset_by_others(0);
    fail("cuEventRecord", CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(backend_.event_record(thread(), 0x6000, {0, stream}, false).code, GS_ERROR_CONTEXT_LOST);
}

TEST_F(CudaContexts, CurrentFollowsTheDriverAndIsRestoredExactly) {
    make_stream(1);
    script_.stack = {ScriptedDriver::context_of(0)}; // not retained by the library: another library's
    EXPECT_EQ(backend_.current_ordinal(thread()), 0);
    uintptr_t previous = 0;
    bool changed = false;
    ASSERT_TRUE(backend_.make_current(thread(), 1, &previous, &changed).ok());
    EXPECT_TRUE(changed);
    EXPECT_EQ(backend_.current_ordinal(thread()), 1);
    ASSERT_TRUE(backend_.restore_current(thread(), previous).ok());
    EXPECT_EQ(script_.current(), ScriptedDriver::context_of(0));
    script_.stack.clear();
    ASSERT_TRUE(backend_.make_current(thread(), 1, &previous, &changed).ok());
    ASSERT_TRUE(backend_.restore_current(thread(), previous).ok());
    EXPECT_EQ(script_.current(), nullptr);
}

TEST_F(CudaContexts, ALostContextIsNotMadeCurrentAgain) {
    make_stream(0);
    make_stream(1);
    script_.stack = {ScriptedDriver::context_of(0)};
    uintptr_t previous = 0;
    bool changed = false;
    ASSERT_TRUE(backend_.make_current(thread(), 1, &previous, &changed).ok());
    script_.reset_by_others(0);
    EXPECT_EQ(backend_.device_check(0).code, GS_ERROR_CONTEXT_LOST);
    EXPECT_EQ(backend_.restore_current(thread(), previous).code, GS_ERROR_CONTEXT_LOST);
    EXPECT_EQ(script_.current(), nullptr);
}

// The driver reports it only when the context is made current.
TEST_F(CudaContexts, ALostContextThatIsFoundAtTheEndOfAScope) {
    make_stream(0);
    make_stream(1);
    for (const CUcontext mine : {ScriptedDriver::context_of(0), reinterpret_cast<CUcontext>(uintptr_t{0x1234})}) {
        script_.stack = {mine};
        uintptr_t previous = 0;
        bool changed = false;
        ASSERT_TRUE(backend_.make_current(thread(), 1, &previous, &changed).ok());
        script_.reset_by_others(0);
        fail("cuCtxSetCurrent", CUDA_ERROR_CONTEXT_IS_DESTROYED);
        const bool ours = mine == ScriptedDriver::context_of(0);
        EXPECT_EQ(backend_.restore_current(thread(), previous).code,
                  ours ? GS_ERROR_CONTEXT_LOST : GS_ERROR_INVALID_HANDLE);
        EXPECT_EQ(script_.current(), nullptr);
        script_.failures.clear();
    }
}

TEST_F(CudaContexts, AContextThatIsOnlyRefusedStaysWhatItIs) {
    make_stream(0);
    make_stream(1);
    script_.stack = {ScriptedDriver::context_of(0)};
    uintptr_t previous = 0;
    bool changed = false;
    ASSERT_TRUE(backend_.make_current(thread(), 1, &previous, &changed).ok());
    fail("cuCtxSetCurrent", CUDA_ERROR_CONTEXT_IS_DESTROYED); // checked, and not true
    EXPECT_EQ(backend_.restore_current(thread(), previous).code, GS_ERROR_INVALID_HANDLE);
    EXPECT_EQ(script_.current(), ScriptedDriver::context_of(1));
}

} // namespace
} // namespace gs::cuda
#endif
