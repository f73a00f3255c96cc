// SPDX-License-Identifier: Apache-2.0
// The host backend reports the machine's values; properties are queried from the driver once.
#include <unistd.h>

#include <fstream>

#include "inventory/inventory_support.hpp"

namespace gs::test {
namespace {

bool file_exists(const char *path) { return std::ifstream(path).good(); }

} // namespace

TEST(HostTelemetry, IsTheMachines) {
    OWN_PROCESS(
        {{"GPUSTREAM_BACKEND", "host"}, {"GPUSTREAM_HOST_DEVICES", "3"}, {"GPUSTREAM_LIBNVML", "/no/such/library"}});
    for (const gs_device_t device : {gs_device_t{0}, gs_device_t{2}, GS_DEVICE(GS_BACKEND_HOST, 1)}) {
        int32_t value = -1;
        EXPECT_OK(gs_device_utilization_percent(device, &value));
        EXPECT_TRUE(value >= 0 && value <= 100) << value;
        EXPECT_OK(gs_device_memory_utilization_percent(device, &value));
        EXPECT_TRUE(value >= 0 && value <= 100) << value;
        uint64_t used = 0, free = 0, total = 0;
        EXPECT_OK(gs_device_memory_bytes(device, &used, &free, &total));
        EXPECT_EQ(used + free, total);
        const auto physical =
            static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
        EXPECT_NEAR(static_cast<double>(total), static_cast<double>(physical), 0.02 * static_cast<double>(physical));
        EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_device_power_milliwatts(device, &value));
        EXPECT_EQ(value, 0);
        const bool has_zone = file_exists("/sys/class/thermal/thermal_zone0/temp");
        const gs_status_t status = gs_device_temperature_celsius(device, &value);
        if (!has_zone) {
            EXPECT_TRUE(status == GS_OK || status == GS_ERROR_NOT_SUPPORTED); // zones need not begin with 0
        }
        if (status == GS_OK) {
            EXPECT_TRUE(value > -60 && value < 200) << value;
        } else {
            EXPECT_EQ(value, 0);
        }
    }
    int32_t value = 7;
    EXPECT_FAILS(GS_ERROR_INVALID_DEVICE, gs_device_utilization_percent, "3 device", 3, &value);
    EXPECT_FAILS(GS_ERROR_INVALID_DEVICE, gs_device_memory_utilization_percent, "host", GS_DEVICE(GS_BACKEND_HOST, 9),
                 &value);
    int32_t initialized = 1;
    EXPECT_OK(gs_is_initialized(&initialized));
    EXPECT_EQ(initialized, 0);
    ASSERT_OK(gs_set_current_device(2));
    EXPECT_OK(gs_device_utilization_percent(GS_DEVICE_CURRENT, &value));
}

TEST(Properties, AreAskedOfTheDriverOnce) {
    OWN_PROCESS();
    gs_device_info_t first{}, again{};
    first.struct_size = again.struct_size = sizeof first;
    ASSERT_OK(gs_device_get_info(1, &first));
    EXPECT_STREQ(first.name, "gpustream fake GPU 1");
    EXPECT_EQ(first.priority_greatest, 0) << "there is no context to query it in";
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_stream_create(1, 0, 0, &stream));
    ASSERT_OK(gs_device_get_info(1, &again)) << "the range is known from here on";
    EXPECT_EQ(again.priority_greatest, -5);
    const uint64_t before = driver_calls(nullptr);
    ASSERT_OK(gs_device_get_info(1, &again));
    EXPECT_EQ(driver_calls(nullptr), before);
    again.priority_least = first.priority_least;
    again.priority_greatest = first.priority_greatest;
    EXPECT_EQ(std::string(reinterpret_cast<char *>(&again), sizeof again),
              std::string(reinterpret_cast<char *>(&first), sizeof first));
    EXPECT_OK(gs_stream_destroy(stream));
}

} // namespace gs::test
