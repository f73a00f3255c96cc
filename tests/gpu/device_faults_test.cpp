// SPDX-License-Identifier: Apache-2.0
// Errors that only a real device can show: kernels that break it, images it cannot compile, memory it lacks.
// Each test runs in a process of its own, which must also end cleanly.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "support/cuda_driver.hpp"
#include "support/launches.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

// Stores to an unmapped address.
constexpr char kIllegalStore[] = R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry illegal_store()
{
    .reg .b64 %d0;
    .reg .b32 %r0;
    mov.u64 %d0, 4096;
    mov.u32 %r0, 7;
    st.global.u32 [%d0], %r0;
    ret;
}
.visible .entry nothing()
{
    ret;
}
)";

constexpr int32_t kIllegalAddress = 700;

gs_kernel_t kernel_of(gs_module_t module, const char *name) {
    gs_kernel_t kernel = nullptr;
    EXPECT_OK(gs_module_get_kernel(module, name, &kernel));
    return kernel;
}

gs_module_t load(gs_device_t device) {
    gs_module_t module = nullptr;
    EXPECT_OK(gs_module_load(device, kIllegalStore, sizeof kIllegalStore, &module));
    return module;
}

template <typename Call>
void expect_broken(const char *what, const std::string &origin, Call &&call) {
    SCOPED_TRACE(what);
    EXPECT_STATUS(GS_ERROR_STICKY, call());
    const gs_error_info_t info = last_error();
    EXPECT_EQ(info.sticky, 1);
    EXPECT_EQ(info.native_code, kIllegalAddress) << info.message;
    EXPECT_EQ(std::string(info.origin), origin);
    EXPECT_NE(std::string(info.message).find("700"), std::string::npos) << info.message;
}

TEST(DeviceFaults, AnIllegalAddressIsFinalAndSaysWhereItWasSeen) {
    OWN_PROCESS();
    gs_module_t module = load(0);
    const gs_kernel_t nothing = kernel_of(module, "nothing");
    Stream stream = make_stream(0), other = make_stream(0);
    Event before = make_event(GS_EVENT_TIMING), after = make_event();
    ASSERT_OK(gs_event_record(before, other));
    ASSERT_OK(gs_event_synchronize(before));
    const gs_launch_config_t config = launch_of(1, 1);
    ASSERT_OK(gs_kernel_launch(kernel_of(module, "illegal_store"), &config, nullptr, stream));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_stream_synchronize(stream));
    EXPECT_EQ(last_error().native_code, kIllegalAddress);
    const std::string origin = last_error().origin;
    EXPECT_NE(origin.find("cuStreamSynchronize"), std::string::npos) << origin;
    int32_t number = 0;
    double ms = 0;
    void *pointer = nullptr;
    gs_stream_t none = nullptr;
    expect_broken("stream_query", origin, [&] { return gs_stream_query(stream, &number); });
    expect_broken("event_record", origin, [&] { return gs_event_record(after, other); });
    expect_broken("event_wait", origin, [&] { return gs_event_wait(before, other); });
    expect_broken("event_query", origin, [&] { return gs_event_query(before, &number); });
    expect_broken("event_elapsed_ms", origin, [&] { return gs_event_elapsed_ms(before, before, &ms); });
    expect_broken("device_synchronize", origin, [&] { return gs_device_synchronize(0); });
    expect_broken("device_check", origin, [&] { return gs_device_check(0); });
    expect_broken("stream_create", origin, [&] { return gs_stream_create(0, 0, 0, &none); });
    expect_broken("malloc_async", origin, [&] { return gs_malloc_async(16, other, &pointer); });
    expect_broken("kernel_launch", origin, [&] { return gs_kernel_launch(nothing, &config, nullptr, other); });
    EXPECT_OK(gs_module_destroy(module)) << "what can no longer be freed is given up silently";
    EXPECT_OK(gs_trim());
}

// CUDA ends the process's use of all devices, including one whose context existed before.
TEST(DeviceFaults, EveryDeviceOfTheProcessTells) {
    int32_t count = 0;
    ASSERT_OK(gs_device_count(GS_BACKEND_DEFAULT, &count));
    if (count < 2) GTEST_SKIP() << "needs two devices";
    OWN_PROCESS();
    Stream stream = make_stream(0), elsewhere = make_stream(1);
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, elsewhere));
    ASSERT_OK(gs_event_synchronize(event));
    const gs_launch_config_t config = launch_of(1, 1);
    ASSERT_OK(gs_kernel_launch(kernel_of(load(0), "illegal_store"), &config, nullptr, stream));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_stream_synchronize(stream));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_stream_synchronize(elsewhere));
    EXPECT_EQ(last_error().native_code, kIllegalAddress);
    EXPECT_STATUS(GS_ERROR_STICKY, gs_event_record(event, elsewhere));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_device_check(1));
}

// The pending event of the broken stream and a notification report it, each once.
TEST(DeviceFaults, ThoseWhoWaitAreTold) {
    OWN_PROCESS();
    gs_module_t module = load(0);
    Stream stream = make_stream(0);
    Event event = make_event();
    const gs_launch_config_t config = launch_of(1, 1);
    static std::atomic<int> told{0};
    ASSERT_OK(gs_stream_sleep(stream, 50'000'000));
    ASSERT_OK(gs_kernel_launch(kernel_of(module, "illegal_store"), &config, nullptr, stream));
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_stream_notify(stream, [](void *, gs_status_t status) { told += status; }, nullptr));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_event_synchronize(event));
    while (told == 0) std::this_thread::yield();
    EXPECT_EQ(told, GS_ERROR_STICKY);
}

TEST(DeviceFaults, PtxThatDoesNotCompileComesWithTheLog) {
    OWN_PROCESS();
    constexpr char kWrong[] =
        ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry k() { no_such_instruction; }\n";
    gs_module_t module = nullptr;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_module_load(0, kWrong, sizeof kWrong, &module));
    EXPECT_EQ(module, nullptr);
    EXPECT_NE(last_text().find("no_such_instruction"), std::string::npos) << last_text();
    EXPECT_OK(gs_device_check(0));
}

TEST(DeviceFaults, IllegalLaunches) {
    OWN_PROCESS();
    gs_module_t module = load(0);
    const gs_kernel_t kernel = kernel_of(module, "nothing");
    Stream stream = make_stream(0);
    gs_launch_config_t config = launch_of(1, 4096);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_kernel_launch, "4096", kernel, &config, nullptr, stream);
    config = launch_of(1, 1);
    config.shared_memory_bytes = 1u << 30;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_kernel_launch, "1073741824", kernel, &config, nullptr, stream);
    config = launch_of(1, 1);
    EXPECT_OK(gs_kernel_launch(kernel, &config, nullptr, stream));
    EXPECT_OK(gs_stream_synchronize(stream)) << "the library still works";
}

TEST(DeviceFaults, MoreMemoryThanTheDeviceHas) {
    OWN_PROCESS();
    gs_device_info_t info{};
    info.struct_size = sizeof info;
    ASSERT_OK(gs_device_get_info(0, &info));
    Stream stream = make_stream(0);
    void *pointer = nullptr;
    EXPECT_STATUS(GS_ERROR_OUT_OF_MEMORY, gs_malloc_async(size_t(info.total_memory_bytes) * 2, stream, &pointer));
    EXPECT_NE(last_text().find(std::to_string(info.total_memory_bytes * 2)), std::string::npos) << last_text();
    EXPECT_NE(last_text().find("free"), std::string::npos) << last_text();
    EXPECT_OK(gs_malloc_async(64, stream, &pointer));
    EXPECT_OK(gs_free_async(pointer, stream));
    EXPECT_OK(gs_stream_synchronize(stream));
}

TEST(DeviceFaults, OrdinalsAndForeignDevices) {
    OWN_PROCESS();
    int32_t count = 0;
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_device_count(GS_BACKEND_DEFAULT, &count));
    EXPECT_FAILS(GS_ERROR_INVALID_DEVICE, gs_stream_create, std::to_string(count).c_str(), count, 0, 0, &stream);
    if (count < 2) return;
    // Created by other code on device 1, passed as a stream of device 0.
    using Retain = int (*)(void **, int);
    using Set = int (*)(void *);
    using Create = int (*)(void **, unsigned);
    void *context = nullptr, *raw = nullptr;
    ASSERT_EQ(driver_symbol<Retain>("cuDevicePrimaryCtxRetain")(&context, 1), 0);
    ASSERT_EQ(driver_symbol<Set>("cuCtxSetCurrent")(context), 0);
    ASSERT_EQ(driver_symbol<Create>("cuStreamCreate")(&raw, 1), 0);
    EXPECT_STATUS(GS_ERROR_DEVICE_MISMATCH, gs_stream_from_native(0, reinterpret_cast<uintptr_t>(raw), &stream));
    EXPECT_EQ(stream, nullptr);
    ASSERT_OK(gs_stream_from_native(1, reinterpret_cast<uintptr_t>(raw), &stream));
    EXPECT_OK(gs_stream_destroy(stream));
    ASSERT_OK(gs_stream_from_native(GS_DEVICE_NONE, reinterpret_cast<uintptr_t>(raw), &stream));
    gs_device_t device = 0;
    EXPECT_OK(gs_stream_device(stream, &device));
    EXPECT_EQ(device, 1);
    EXPECT_OK(gs_stream_destroy(stream));
}

} // namespace
} // namespace gs::test
