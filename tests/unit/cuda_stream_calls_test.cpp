// SPDX-License-Identifier: Apache-2.0
// What calls on streams have in common. The null and per-thread streams are those of the device's context; a lost device is
// asked nothing; errors name a function that the driver lacks.
#if defined(GPUSTREAM_WITH_CUDA)
#include <gtest/gtest.h>

#include <cstring>

#include "backend/graphs.hpp"
#include "cuda_counted_functions.hpp"

namespace gs::cuda {
namespace {

enum class Missing { Named, Said }; // without the function: it is the detail's native function, or the text says so

struct StreamCall {
    const char *function; // the driver's
    Status (*call)(CudaBackend &backend, ThreadBlock &thread, StreamRef stream);
    void (*remove)();
    Missing missing = Missing::Named;
};

uint32_t g_any_word = 0;
constexpr uintptr_t kAnyObject = 0x7000; // a graph, an executable, a node or a semaphore

const StreamCall kStreamCalls[] = {
    {"cuStreamBeginCapture",
     [](CudaBackend &backend, ThreadBlock &thread, StreamRef stream) {
         return backend.graphs()->capture_begin(thread, stream, GS_CAPTURE_RELAXED);
     },
     [] { take_away(g_driver.stream_begin_capture); }},
    {"cuStreamBeginCaptureToGraph",
     [](CudaBackend &backend, ThreadBlock &thread, StreamRef stream) {
         return backend.graphs()->capture_begin_to(thread, stream, kAnyObject, nullptr, 0, GS_CAPTURE_GLOBAL);
     },
     [] { take_away(g_driver.stream_begin_capture_to_graph); }},
    {"cuStreamEndCapture",
     [](CudaBackend &backend, ThreadBlock &thread, StreamRef stream) {
         uintptr_t graph = 0;
         return backend.graphs()->capture_end(thread, stream, &graph);
     },
     [] { take_away(g_driver.stream_end_capture); }},
    {"cuStreamGetCaptureInfo",
     [](CudaBackend &backend, ThreadBlock &thread, StreamRef stream) {
         size_t count = 9;
         uintptr_t nodes[1] = {};
         const Status status = backend.graphs()->capture_nodes(thread, stream, nodes, 1, &count);
         EXPECT_EQ(count, status.ok() ? 0u : 9u) << "no capture, no nodes";
         return status;
     },
     [] { take_away(g_driver.stream_get_capture_info_v3, g_driver.stream_get_capture_info); }},
    {"cuStreamUpdateCaptureDependencies",
     [](CudaBackend &backend, ThreadBlock &thread, StreamRef stream) {
         return backend.graphs()->set_capture_nodes(thread, stream, &kAnyObject, 1, false);
     },
     [] { take_away(g_driver.stream_update_capture_dependencies); }},
    {"cuGraphLaunch",
     [](CudaBackend &backend, ThreadBlock &thread, StreamRef stream) {
         return backend.graphs()->exec_launch(thread, {0, kAnyObject}, stream);
     },
     [] { take_away(g_driver.graph_launch); }},
    {"cuGraphUpload",
     [](CudaBackend &backend, ThreadBlock &thread, StreamRef stream) {
         return backend.graphs()->exec_upload(thread, {0, kAnyObject}, stream);
     },
     [] { take_away(g_driver.graph_upload); }},
    {"cuStreamWriteValue32",
     [](CudaBackend &backend, ThreadBlock &thread, StreamRef stream) {
         return backend.write_value(thread, stream, &g_any_word, 1, GS_VALUE_32);
     },
     [] { take_away(g_driver.stream_write_value32); }},
    {"cuStreamWaitValue32",
     [](CudaBackend &backend, ThreadBlock &thread, StreamRef stream) {
         return backend.wait_value(thread, stream, &g_any_word, 1, GS_VALUE_32 | GS_VALUE_GEQ);
     },
     [] { take_away(g_driver.stream_wait_value32); }},
    {"cuStreamBatchMemOp",
     [](CudaBackend &backend, ThreadBlock &thread, StreamRef stream) {
         const gs_value_op_t op{&g_any_word, 1, GS_VALUE_32 | GS_VALUE_WRITE, 0};
         return backend.batch_values(thread, stream, &op, 1);
     },
     [] { take_away(g_driver.stream_batch_mem_op); }, Missing::Said},
    {"cuSignalExternalSemaphoresAsync",
     [](CudaBackend &backend, ThreadBlock &thread, StreamRef stream) {
         return backend.signal_semaphore(thread, stream, kAnyObject, 1);
     },
     [] { take_away(g_driver.signal_external_semaphores_async); }},
    {"cuWaitExternalSemaphoresAsync",
     [](CudaBackend &backend, ThreadBlock &thread, StreamRef stream) {
         return backend.wait_semaphore(thread, stream, kAnyObject, 1);
     },
     [] { take_away(g_driver.wait_external_semaphores_async); }},
};

class CudaStreamCalls : public ::testing::Test, protected ScriptedTestBase {
protected:
    CudaStreamCalls() : stream_{0, make_stream()} {
        count_calls_of(g_driver.stream_begin_capture, g_driver.stream_begin_capture_to_graph,
                       g_driver.stream_end_capture, g_driver.stream_get_capture_info,
                       g_driver.stream_get_capture_info_v3, g_driver.stream_update_capture_dependencies,
                       g_driver.graph_launch, g_driver.graph_upload, g_driver.stream_write_value32,
                       g_driver.stream_wait_value32, g_driver.stream_batch_mem_op,
                       g_driver.signal_external_semaphores_async, g_driver.wait_external_semaphores_async);
    }
    Status make(const StreamCall &call, uintptr_t native) {
        script_.calls.clear();
        return call.call(backend_, thread(), {0, native});
    }
    StreamRef stream_;
};

TEST_F(CudaStreamCalls, DefaultStreamsAreThoseOfTheDevicesContext) {
    const CUcontext theirs = ScriptedDriver::context_of(1);
    for (const StreamCall &call : kStreamCalls)
        for (const uintptr_t native : {kNativeDefaultStream, kNativePerThreadStream, stream_.native}) {
            SCOPED_TRACE(std::string(call.function) + " on " + std::to_string(native));
            script_.stack = {theirs};
            EXPECT_TRUE(make(call, native).ok()) << detail().message;
            EXPECT_EQ(calls(call.function), 1);
            EXPECT_EQ(script_.current_during[call.function],
                      native == stream_.native ? theirs : ScriptedDriver::context_of(0));
            EXPECT_EQ(script_.stack, std::vector<CUcontext>{theirs}) << "the caller's context is back";
        }
}

TEST_F(CudaStreamCalls, NothingIsSubmittedWhereTheContextCannotBeEntered) {
    for (const StreamCall &call : kStreamCalls) {
        SCOPED_TRACE(call.function);
        script_.stack = {ScriptedDriver::context_of(1)};
        fail("cuCtxPushCurrent", CUDA_ERROR_UNKNOWN);
        EXPECT_EQ(make(call, kNativePerThreadStream).code, GS_ERROR_DRIVER);
        EXPECT_STREQ(detail().native_function, "cuCtxPushCurrent");
        EXPECT_EQ(calls(call.function), 0);
        EXPECT_EQ(script_.stack.size(), 1u);
    }
}

TEST_F(CudaStreamCalls, AFailureNamesTheFunction) {
    for (const StreamCall &call : kStreamCalls) {
        SCOPED_TRACE(call.function);
        fail(call.function, CUDA_ERROR_UNKNOWN);
        EXPECT_EQ(make(call, stream_.native).code, GS_ERROR_DRIVER);
        EXPECT_STREQ(detail().native_function, call.function);
        EXPECT_EQ(detail().native_code, CUDA_ERROR_UNKNOWN);
    }
    EXPECT_TRUE(backend_.health(0).ok()) << "not a sticky error";
}

TEST_F(CudaStreamCalls, AMissingFunctionIsNamedAndTheRestWorks) {
    for (const StreamCall &call : kStreamCalls) {
        SCOPED_TRACE(call.function);
        call.remove();
        EXPECT_EQ(make(call, stream_.native).code, GS_ERROR_NOT_SUPPORTED);
        if (call.missing == Missing::Named) EXPECT_STREQ(detail().native_function, call.function);
        EXPECT_NE(std::strstr(detail().message, call.missing == Missing::Named ? call.function : "driver"), nullptr)
            << detail().message;
        EXPECT_EQ(script_.total(), 0);
    }
    EXPECT_TRUE(backend_.stream_synchronize(thread(), stream_).ok());
}

TEST_F(CudaStreamCalls, ALostDeviceIsAskedNothing) {
    latch_lost(g_devices[0], "a test");
    for (const StreamCall &call : kStreamCalls)
        for (const uintptr_t native : {kNativePerThreadStream, stream_.native}) {
            SCOPED_TRACE(call.function);
            EXPECT_EQ(make(call, native).code, GS_ERROR_CONTEXT_LOST);
            EXPECT_EQ(detail().sticky, 1);
            EXPECT_NE(std::strstr(detail().origin, "a test"), nullptr) << detail().origin;
            EXPECT_EQ(script_.total(), 0);
        }
}

TEST_F(CudaStreamCalls, ALostDeviceHasNoCaptureToAskAbout) {
    StreamCapture capture{};
    uint64_t id = 7;
    latch_lost(g_devices[0], "a test");
    EXPECT_EQ(backend_.graphs()->capture(thread(), stream_, &capture).code, GS_ERROR_CONTEXT_LOST);
    EXPECT_EQ(backend_.graphs()->likely_capture(thread(), stream_, &capture).code, GS_ERROR_CONTEXT_LOST);
    EXPECT_EQ(backend_.stream_driver_id(thread(), stream_, &id).code, GS_ERROR_CONTEXT_LOST);
    EXPECT_FALSE(capture.capturing());
    EXPECT_EQ(script_.total(), 0);
}

// A default stream of a device without a context: the driver is not asked, and the context stays missing.
TEST_F(CudaStreamCalls, QuestionsAboutADeviceWithoutAContext) {
    StreamCapture capture{GS_CAPTURE_STATE_ACTIVE, 1, 1};
    uint64_t id = 7;
    const StreamRef other{1, kNativePerThreadStream};
    EXPECT_TRUE(backend_.graphs()->capture(thread(), other, &capture).ok());
    EXPECT_FALSE(capture.capturing());
    EXPECT_TRUE(backend_.stream_driver_id(thread(), other, &id).ok());
    EXPECT_EQ(id, 0u);
    EXPECT_FALSE(backend_.has_context(1));
    EXPECT_EQ(calls("cuStreamIsCapturing") + calls("cuStreamGetId"), 0);
}

TEST_F(CudaStreamCalls, QuestionsAboutADefaultStreamThatCannotBeAsked) {
    StreamCapture capture{};
    uint64_t id = 7;
    const StreamRef mine{0, kNativePerThreadStream};
    script_.stack = {ScriptedDriver::context_of(1)};
    for (const bool about_capture : {false, true}) {
        const auto ask = [&] {
            return about_capture ? backend_.graphs()->capture(thread(), mine, &capture)
                                 : backend_.stream_driver_id(thread(), mine, &id);
        };
        fail("cuCtxPushCurrent", CUDA_ERROR_UNKNOWN);
        EXPECT_EQ(ask().code, GS_ERROR_DRIVER);
        EXPECT_STREQ(detail().native_function, "cuCtxPushCurrent");
        EXPECT_TRUE(ask().ok());
    }
    EXPECT_EQ(id, 77u);
    EXPECT_EQ(script_.stack.size(), 1u);
}

TEST_F(CudaStreamCalls, ABrokenCaptureHasNeitherNumberNorGraph) {
    StreamCapture capture{};
    script_.capture_status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    EXPECT_TRUE(backend_.graphs()->capture(thread(), stream_, &capture).ok());
    EXPECT_EQ(capture.state, GS_CAPTURE_STATE_INVALIDATED);
    EXPECT_EQ(calls("cuStreamGetCaptureInfo"), 0);
    // A driver that only says whether a stream is captured.
    take_away(g_driver.stream_get_capture_info);
    script_.capture_status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    for (const bool likely : {false, true}) {
        EXPECT_TRUE((likely ? backend_.graphs()->likely_capture(thread(), stream_, &capture)
                            : backend_.graphs()->capture(thread(), stream_, &capture))
                        .ok());
        EXPECT_EQ(capture.state, GS_CAPTURE_STATE_ACTIVE);
        EXPECT_EQ(capture.id, 0u);
        EXPECT_EQ(capture.graph, 0u);
    }
    // The answer may have changed between two questions.
    g_driver.stream_get_capture_info.pfn = [](CUstream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                              const CUgraphNode **, size_t *) {
        *status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
        *id = 5;
        *graph = reinterpret_cast<CUgraph>(kAnyObject);
        return CUDA_SUCCESS;
    };
    EXPECT_TRUE(backend_.graphs()->likely_capture(thread(), stream_, &capture).ok());
    EXPECT_EQ(capture.state, GS_CAPTURE_STATE_INVALIDATED);
    EXPECT_EQ(capture.id, 0u);
    EXPECT_EQ(capture.graph, 0u);
    g_driver.stream_get_capture_info.pfn = [](CUstream, CUstreamCaptureStatus *status, cuuint64_t *, CUgraph *,
                                              const CUgraphNode **, size_t *) {
        *status = CU_STREAM_CAPTURE_STATUS_NONE;
        return CUDA_SUCCESS;
    };
    EXPECT_TRUE(backend_.graphs()->likely_capture(thread(), stream_, &capture).ok());
    EXPECT_FALSE(capture.capturing());
}

// The older form of the question serves where the newer one is missing.
TEST_F(CudaStreamCalls, NodesOfACaptureByTheOlderFunction) {
    static CUgraphNode nodes[] = {reinterpret_cast<CUgraphNode>(0x100), reinterpret_cast<CUgraphNode>(0x200)};
    take_away(g_driver.stream_get_capture_info_v3);
    g_driver.stream_get_capture_info.pfn = [](CUstream, CUstreamCaptureStatus *status, cuuint64_t *, CUgraph *,
                                              const CUgraphNode **out, size_t *count) {
        *status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
        *out = nodes;
        *count = 2;
        return CUDA_SUCCESS;
    };
    uintptr_t found[2] = {};
    size_t count = 0;
    EXPECT_TRUE(backend_.graphs()->capture_nodes(thread(), stream_, found, 1, &count).ok());
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(found[0], 0x100u);
    EXPECT_EQ(found[1], 0u) << "there was room for one";
}

} // namespace
} // namespace gs::cuda
#endif
