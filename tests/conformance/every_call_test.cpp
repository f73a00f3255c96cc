// SPDX-License-Identifier: Apache-2.0
// Every function of the public header, called for device 1: no call reaches device 0, on any driver. The fake driver
// also reports which calls were made; on GPUs only the context can be observed.
#include "conformance/conformance.hpp"

#if GPUSTREAM_WITH_CUDA

#include <cudaTypedefs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "calls/calls.hpp"
#include "conformance/kernels.hpp"
#include "support/cuda_driver.hpp"
#include "support/fake_cuda/fake_cuda.h"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

constexpr gs_device_t kUsed = 1;
constexpr int kOther = 0;

bool is_active(int device) {
    unsigned flags = 0;
    int active = -1;
    auto state = driver_symbol<PFN_cuDevicePrimaryCtxGetState_v7000>("cuDevicePrimaryCtxGetState");
    EXPECT_EQ(state(device, &flags, &active), CUDA_SUCCESS);
    return active == 1;
}

// The driver calls for the other device since the last check.
class Watch {
public:
    Watch() : fake_(std::getenv("GPUSTREAM_LIBCUDA") != nullptr) { restart(); }
    ~Watch() { set(-1); }

    std::string seen() {
        char text[4096] = "";
        if (fake_) driver_symbol<decltype(&fake_cuda_watched)>("fake_cuda_watched")(text, sizeof text);
        set(-1);
        const bool context = is_active(kOther); // a call of the test, not to be recorded
        restart();
        return text + std::string(context ? "its context exists\n" : "");
    }

private:
    void restart() { set(kOther); }
    void set(int device) {
        if (fake_) driver_symbol<decltype(&fake_cuda_watch)>("fake_cuda_watch")(device);
    }
    bool fake_; // the tests name a driver only if it is the fake
};

// Objects that make_objects() leaves out because only CUDA devices have them. `counter` must outlive them.
void add_device_objects(Objects &o, void **counter, void **arguments) {
    CUcontext context = nullptr;
    CUstream stream = nullptr;
    CUevent event = nullptr;
    ASSERT_EQ(driver_symbol<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain")(&context, kUsed),
              CUDA_SUCCESS);
    auto set_current = driver_symbol<PFN_cuCtxSetCurrent_v4000>("cuCtxSetCurrent");
    ASSERT_EQ(set_current(context), CUDA_SUCCESS);
    EXPECT_EQ(driver_symbol<PFN_cuStreamCreate_v2000>("cuStreamCreate")(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    EXPECT_EQ(driver_symbol<PFN_cuEventCreate_v2000>("cuEventCreate")(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    o.native_stream = reinterpret_cast<uintptr_t>(stream);
    o.native_event = reinterpret_cast<uintptr_t>(event);
    o.image = kPtx;
    o.image_bytes = sizeof kPtx;
    EXPECT_OK(gs_malloc_async(64, o.stream, &o.memory));
    EXPECT_OK(gs_malloc_async(64, o.stream, &o.block));
    EXPECT_OK(gs_module_load(kUsed, o.image, o.image_bytes, &o.module));
    EXPECT_OK(gs_module_get_kernel(o.module, "add_one", &o.kernel));
    *counter = o.memory;
    *arguments = counter;
    o.arguments = arguments;
}

// After the call some objects may be destroyed already: the rest are destroyed, and failures are ignored.
void give_back(const Objects &o, const char *call) {
    (void)gs_unwind_current_stream(o.scope);
    (void)gs_stream_abort_capture(o.stream);
    EXPECT_OK(gs_device_synchronize(kUsed));
    EXPECT_OK(gs_free_async(o.memory, GS_STREAM_CURRENT));
    // The only object that would reach the driver, not the library, a second time.
    const bool freed = std::strcmp(call, "gs_free_async") == 0 || std::strcmp(call, "gs_free_after") == 0;
    if (!freed) EXPECT_OK(gs_free_async(o.block, GS_STREAM_CURRENT));
    (void)gs_free_host(o.host_memory);
    (void)gs_graph_exec_destroy(o.graph_exec);
    (void)gs_graph_destroy(o.graph);
    (void)gs_module_destroy(o.module);
    for (gs_event_t event : {o.event, o.timed, o.shared, o.fresh}) (void)gs_event_destroy(event);
    for (gs_stream_t stream : {o.stream, o.recorder}) (void)gs_stream_destroy(stream);
}

// Features that the machine or the driver may lack.
bool may_refuse(const char *call, gs_status_t status) {
    // The stream is not being captured; the graph has no such node.
    const bool of_graphs = std::strncmp(call, "gs_graph_", 9) == 0 || std::strstr(call, "_capture") != nullptr;
    if (of_graphs && (status == GS_ERROR_INVALID_ARGUMENT || status == GS_ERROR_NOT_PERMITTED)) return true;
    // No range is open.
    if (std::strcmp(call, "gs_range_end") == 0) return status == GS_ERROR_SCOPE;
    // No trace has that number.
    if (std::strcmp(call, "gs_trace_end") == 0) return status == GS_ERROR_SCOPE;
    // The memory is no pool's.
    if (std::strcmp(call, "gs_memory_set_name") == 0) return status == GS_ERROR_INVALID_ARGUMENT;
    // GS_OK is no status to abort with; another one would end the timeline for all calls.
    if (std::strcmp(call, "gs_timeline_abort") == 0) return status == GS_ERROR_INVALID_ARGUMENT;
    // The file is no semaphore; the operation has no address.
    if (std::strcmp(call, "gs_timeline_from_fd") == 0 || std::strcmp(call, "gs_stream_batch_values") == 0)
        return status == GS_ERROR_INVALID_ARGUMENT;
    if (status == GS_ERROR_TIMEOUT) return std::strcmp(call, "gs_queue_wait") == 0; // the queue is empty
    const bool measures = std::strncmp(call, "gs_device_", 10) == 0;
    if (status == GS_ERROR_UNAVAILABLE) return measures; // no NVML
    if (status != GS_ERROR_NOT_SUPPORTED) return false;
    // An event cannot be opened in the exporting process.
    return measures || std::strcmp(call, "gs_event_ipc_open") == 0;
}

} // namespace

TEST_P(CudaConformanceProcess, EveryCall_ForOneDeviceLeavesTheOtherAlone) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    // Done once: the start queries every device, and the inventory identifies each.
    ASSERT_OK(gs_init());
    gs_inventory_entry_t entry{};
    entry.struct_size = sizeof entry;
    (void)gs_inventory_get(kUsed, &entry);
    ASSERT_OK(gs_set_current_device(kUsed));
    EXPECT_FALSE(is_active(kOther));
    Watch watch;
    for (const Call &call : every_call()) {
        SCOPED_TRACE(call.name);
        void *counter = nullptr, *arguments[1] = {};
        Objects o = make_objects(kUsed);
        add_device_objects(o, &counter, arguments);
        const gs_status_t status = call.call(o);
        EXPECT_TRUE(may_refuse(call.name, status) || has_status(call.name, status, GS_OK));
        EXPECT_OK(gs_set_current_device(kUsed));
        give_back(o, call.name);
        const std::string seen = watch.seen();
        if (std::strcmp(call.name, "gs_device_from_pci") == 0) continue; // looks at the properties of all
        EXPECT_EQ(seen, "") << "of device 0";
    }
    EXPECT_TRUE(is_active(kUsed));
}

// No call of a child forked too late reaches the driver.
TEST_P(CudaConformanceProcess, EveryCall_InABadForkAsksNoDriver) {
    if (!std::getenv("GPUSTREAM_LIBCUDA")) GTEST_SKIP() << "counts the calls of the fake driver";
    OWN_PROCESS();
    Objects o = make_objects();
    const auto calls = driver_symbol<decltype(&fake_cuda_calls)>("fake_cuda_calls");
    EXPECT_GT(calls(nullptr), 0u);
    (void)every_call(); // makes its table: the sanitizers' allocators may hang in a forked child
    const pid_t child = fork();
    if (child == 0) {
        alarm(30);
        const uint64_t before = calls(nullptr);
        for (const Call &call : every_call()) (void)call.call(o);
        _exit(calls(nullptr) == before ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    destroy_objects(o);
}

// The watch can fail: calls for the other device are seen.
TEST_P(CudaConformanceProcess, EveryCall_AStrayOneIsSeen) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    Watch watch;
    EXPECT_EQ(watch.seen(), "");
    Stream stream = make_stream(kOther);
    EXPECT_NE(watch.seen(), "");
}

} // namespace gs::test

#endif
