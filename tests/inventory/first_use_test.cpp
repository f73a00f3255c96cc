// SPDX-License-Identifier: Apache-2.0
// Effects of the first use of a device: warnings, and devices of a backend that is not the default.
#include <string>
#include <vector>

#include "inventory/inventory_support.hpp"

namespace gs::test {
namespace {

constexpr gs_device_t kHost0 = GS_DEVICE(GS_BACKEND_HOST, 0);

std::vector<std::string> g_warnings;
void keep(void *, int32_t level, const char *text) {
    if (level == GS_LOG_WARNING) g_warnings.emplace_back(text);
}

gs_status_t read_info(gs_device_t device, gs_device_info_t *out) {
    *out = {};
    out->struct_size = sizeof *out;
    return gs_device_get_info(device, out);
}

} // namespace

TEST(CapabilityWarning, NamesEachDeviceThatIsTooOldOnce) {
    OWN_PROCESS({{"FAKE_CUDA_CAPABILITY", "3.5"}});
    ASSERT_OK(gs_set_log_callback(keep, nullptr));
    EXPECT_EQ(count(), 2);
    EXPECT_THAT(g_warnings, ::testing::IsEmpty()) << "nothing was used yet";
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_stream_create(0, 0, 0, &stream)); // the first use, whichever call it is
    ASSERT_THAT(g_warnings, ::testing::SizeIs(2));
    for (size_t i = 0; i < 2; ++i)
        EXPECT_THAT(g_warnings[i], ::testing::AllOf(::testing::HasSubstr("device " + std::to_string(i) + " "),
                                                    ::testing::HasSubstr("3.5"), ::testing::HasSubstr("5.0"),
                                                    ::testing::HasSubstr("gs_stream_sleep")));
    gs_device_info_t info{};
    EXPECT_OK(gs_init());
    EXPECT_OK(read_info(1, &info));
    EXPECT_EQ(info.capability_major, 3);
    EXPECT_EQ(info.capability_minor, 5);
    EXPECT_OK(gs_stream_destroy(stream));
    EXPECT_THAT(g_warnings, ::testing::SizeIs(2)) << "once";
}

TEST(CapabilityWarning, GoesToStderrWithoutACallback) {
    OWN_PROCESS({{"FAKE_CUDA_CAPABILITY", "4.9"}, {"FAKE_CUDA_DEVICES", "1"}});
    ::testing::internal::CaptureStderr();
    const gs_status_t status = gs_init();
    const std::string text = ::testing::internal::GetCapturedStderr();
    EXPECT_OK(status);
    EXPECT_THAT(text, ::testing::StartsWith("gpustream: warning: CUDA device 0 has compute capability 4.9"));
    EXPECT_EQ(text.find('\n'), text.size() - 1) << text;
}

TEST(CapabilityWarning, NotForADeviceThatIsNewEnough) {
    OWN_PROCESS({{"FAKE_CUDA_CAPABILITY", "5.0"}});
    ASSERT_OK(gs_set_log_callback(keep, nullptr));
    ASSERT_OK(gs_init());
    EXPECT_THAT(g_warnings, ::testing::IsEmpty());
}

TEST(DeviceOfAnotherBackend, AnswersWithoutTheDefaultOne) {
    OWN_PROCESS({{"GPUSTREAM_LIBCUDA", "/no/such/driver"}});
    gs_device_info_t info{};
    EXPECT_OK(read_info(kHost0, &info));
    EXPECT_EQ(info.backend, GS_BACKEND_HOST);
    EXPECT_GT(info.total_memory_bytes, 0u);
    EXPECT_OK(gs_device_synchronize(kHost0));
    EXPECT_OK(gs_device_check(kHost0));
    gs_stream_t stream = nullptr, other = nullptr;
    EXPECT_OK(gs_stream_create(kHost0, 0, 0, &stream));
    EXPECT_OK(gs_default_stream(kHost0, &other));
    EXPECT_OK(gs_per_thread_stream(kHost0, &other));
    EXPECT_OK(gs_current_stream(kHost0, &other));
    gs_stream_triple_t triple{};
    EXPECT_OK(gs_stream_pack(stream, &triple));
    EXPECT_OK(gs_stream_unpack(&triple, &other));
    EXPECT_OK(gs_stream_synchronize(other));
    EXPECT_OK(gs_stream_destroy(other));
    EXPECT_OK(gs_stream_destroy(stream));
    EXPECT_FAILS(GS_ERROR_UNAVAILABLE, gs_device_get_info, "/no/such/driver", 0, &info);
    EXPECT_FAILS(GS_ERROR_UNAVAILABLE, gs_device_get_info, "/no/such/driver", kCuda0, &info);
    EXPECT_FAILS(GS_ERROR_UNAVAILABLE, gs_device_get_info, "/no/such/driver", GS_DEVICE_CURRENT, &info);
    EXPECT_FAILS(GS_ERROR_INVALID_DEVICE, gs_device_get_info, "63", GS_DEVICE(GS_BACKEND_HOST, 63), &info);
    int32_t initialized = 1;
    EXPECT_OK(gs_is_initialized(&initialized));
    EXPECT_EQ(initialized, 0);
}

TEST(DeviceOfAnotherBackend, StillRunsWhatWasDeferred) {
    OWN_PROCESS();
    static int runs = 0;
    ASSERT_OK(gs_call_on_init(
        [](void *) -> gs_status_t {
            ++runs;
            return GS_ERROR_INVALID_ARGUMENT;
        },
        nullptr));
    gs_device_info_t info{};
    info.struct_size = sizeof info;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_get_info, "deferred call number 1", kHost0, &info);
    EXPECT_EQ(runs, 1);
    EXPECT_OK(gs_device_get_info(kHost0, &info)) << "the failing function is dropped";
    int32_t initialized = 0;
    EXPECT_OK(gs_is_initialized(&initialized));
    EXPECT_EQ(initialized, 1);
}

} // namespace gs::test
