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
        Telemetry read, none;
        EXPECT_OK(gs_device_get_telemetry(device, 0, &read));
        const uint32_t always = GS_TELEMETRY_UTILIZATION | GS_TELEMETRY_MEMORY_UTILIZATION | GS_TELEMETRY_MEMORY;
        EXPECT_EQ(read.known & always, always);
        EXPECT_TRUE(read.utilization_percent >= 0 && read.utilization_percent <= 100) << read.utilization_percent;
        EXPECT_TRUE(read.memory_utilization_percent >= 0 && read.memory_utilization_percent <= 100);
        EXPECT_EQ(read.memory_used_bytes + read.memory_free_bytes, read.memory_total_bytes);
        const auto physical =
            static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
        EXPECT_NEAR(static_cast<double>(read.memory_total_bytes), static_cast<double>(physical),
                    0.02 * static_cast<double>(physical));
        EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_device_get_telemetry(device, GS_TELEMETRY_POWER, &none));
        EXPECT_EQ(read.known & GS_TELEMETRY_POWER, 0u);
        EXPECT_EQ(read.power_milliwatts, 0);
        const bool measured = (read.known & GS_TELEMETRY_TEMPERATURE) != 0;
        if (file_exists("/sys/class/thermal/thermal_zone0/temp")) EXPECT_TRUE(measured); // zones may begin elsewhere
        EXPECT_TRUE(measured ? read.temperature_celsius > -60 && read.temperature_celsius < 200
                             : read.temperature_celsius == 0)
            << read.temperature_celsius;
    }
    Telemetry read;
    EXPECT_FAILS(GS_ERROR_INVALID_DEVICE, gs_device_get_telemetry, "3 device", 3, 0, &read);
    EXPECT_FAILS(GS_ERROR_INVALID_DEVICE, gs_device_get_telemetry, "host", GS_DEVICE(GS_BACKEND_HOST, 9),
                 GS_TELEMETRY_MEMORY_UTILIZATION, &read);
    int32_t initialized = 1;
    EXPECT_OK(gs_is_initialized(&initialized));
    EXPECT_EQ(initialized, 0);
    ASSERT_OK(gs_set_current_device(2));
    EXPECT_OK(gs_device_get_telemetry(GS_DEVICE_CURRENT, GS_TELEMETRY_UTILIZATION, &read));
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
