// SPDX-License-Identifier: Apache-2.0
// Each number belongs to the right device, and a quantity that a device does not measure is NOT_SUPPORTED.
#include "inventory/inventory_support.hpp"

namespace gs::test {
namespace {

using Call = gs_status_t (*)(gs_device_t, int32_t *);
struct Measure {
    const char *name;
    Call call;
    const char *function; // of NVML, the current one
    int32_t of_gpu_0;     // GPU g has g more
};
const Measure kMeasures[] = {
    {"gs_device_utilization_percent", gs_device_utilization_percent, "nvmlDeviceGetUtilizationRates", 10},
    {"gs_device_memory_utilization_percent", gs_device_memory_utilization_percent, "nvmlDeviceGetUtilizationRates", 20},
    {"gs_device_temperature_celsius", gs_device_temperature_celsius, "nvmlDeviceGetTemperature", 40},
    {"gs_device_power_milliwatts", gs_device_power_milliwatts, "nvmlDeviceGetPowerUsage", 70000},
    {"gs_device_sm_clock_mhz", gs_device_sm_clock_mhz, "nvmlDeviceGetClockInfo", 1500},
};

void expect_numbers_of(gs_device_t device, int gpu) {
    for (const Measure &measure : kMeasures) {
        int32_t value = -1;
        EXPECT_OK(measure.call(device, &value)) << measure.name;
        EXPECT_EQ(value, measure.of_gpu_0 + gpu) << measure.name;
    }
    uint64_t used = 0, free = 0, total = 0;
    EXPECT_OK(gs_device_memory_bytes(device, &used, &free, &total));
    EXPECT_EQ(used, static_cast<uint64_t>(gpu + 1) << 10);
    EXPECT_EQ(total, 16u << 20);
    EXPECT_EQ(free, total - used - (1 << 10));
}

bool initialized() {
    int32_t value = -1;
    EXPECT_OK(gs_is_initialized(&value));
    return value == 1;
}

void expect_all_fail(gs_device_t device, gs_status_t wanted, int32_t native) {
    for (const Measure &measure : kMeasures) {
        int32_t value = 77;
        EXPECT_STATUS(wanted, measure.call(device, &value)) << measure.name;
        EXPECT_EQ(value, 0) << measure.name;
        EXPECT_EQ(last_error().native_code, native) << measure.name << ": " << last_text();
        EXPECT_STREQ(last_error().function, measure.name);
    }
    uint64_t used = 7, free = 7, total = 7;
    EXPECT_STATUS(wanted, gs_device_memory_bytes(device, &used, &free, &total));
    EXPECT_EQ(used + free + total, 0u);
}

} // namespace

TEST(Telemetry, BeforeTheDriverRuns) {
    OWN_PROCESS({{"FAKE_NVML_ORDER", "1,0"}, {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}});
    expect_numbers_of(kCuda0, 0);
    expect_numbers_of(1, 1); // a plain ordinal: cuda is the default
    set("CUDA_VISIBLE_DEVICES", "1");
    expect_numbers_of(kCuda0, 1);
    expect_all_fail(kCuda1, GS_ERROR_INVALID_DEVICE, 0);
    EXPECT_FALSE(initialized());
    EXPECT_EQ(driver_calls(nullptr), 0u);
}

TEST(Telemetry, OnceTheDriverRunsItIsFoundByUuid) {
    OWN_PROCESS({{"FAKE_NVML_ORDER", "1,0"}, {"FAKE_NVML_NAMES", "Slow,Fast"}});
    ASSERT_OK(gs_init());
    expect_numbers_of(0, 0);
    expect_numbers_of(1, 1);
    EXPECT_EQ(index_of(kCuda0), 1);
    EXPECT_EQ(index_of(kCuda1), 0);
    ASSERT_OK(gs_set_current_device(1));
    expect_numbers_of(GS_DEVICE_CURRENT, 1);
    set("CUDA_VISIBLE_DEVICES", "1"); // too late to have an effect
    expect_numbers_of(0, 0);
    expect_all_fail(2, GS_ERROR_INVALID_DEVICE, 0);
}

TEST(Telemetry, ByAddressWhereTheUuidIsNotKnown) {
    OWN_PROCESS({{"FAKE_NVML_FAIL", "nvmlDeviceGetHandleByUUID=13,nvmlDeviceGetUUID=3"}});
    ASSERT_OK(gs_init());
    expect_numbers_of(1, 1);
    EXPECT_EQ(index_of(kCuda1), 1);
}

TEST(Telemetry, TheCurrentDeviceInitialises) {
    OWN_PROCESS();
    int32_t value = 0;
    EXPECT_FALSE(initialized());
    EXPECT_OK(gs_device_utilization_percent(GS_DEVICE_CURRENT, &value));
    EXPECT_EQ(value, 10);
    EXPECT_TRUE(initialized());
}

TEST(Telemetry, EachFieldFailsByItself) {
    OWN_PROCESS();
    for (const Measure &broken : kMeasures) {
        set("FAKE_NVML_FAIL", (std::string(broken.function) + "=3,nvmlDeviceGetTemperatureV=" +
                               (std::string(broken.function) == "nvmlDeviceGetTemperature" ? "3" : "0"))
                                  .c_str());
        for (const Measure &measure : kMeasures) {
            int32_t value = 77;
            const bool fails = std::string(measure.function) == broken.function;
            EXPECT_STATUS(fails ? GS_ERROR_NOT_SUPPORTED : GS_OK, measure.call(kCuda0, &value)) << measure.name;
            EXPECT_EQ(value, fails ? 0 : measure.of_gpu_0) << measure.name;
        }
    }
}

TEST(Telemetry, AMigInstanceHasMemoryAndAClockOnly) {
    OWN_PROCESS({{"FAKE_NVML_MIG", "2"}, {"CUDA_VISIBLE_DEVICES", "MIG-00000000-0000-0000-0000-000000000001"}});
    for (const Measure &measure : kMeasures) {
        int32_t value = 77;
        const bool told = measure.call == gs_device_sm_clock_mhz;
        EXPECT_STATUS(told ? GS_OK : GS_ERROR_NOT_SUPPORTED, measure.call(kCuda0, &value)) << measure.name;
    }
    uint64_t used = 0, free = 0, total = 0;
    EXPECT_OK(gs_device_memory_bytes(kCuda0, &used, &free, &total));
    EXPECT_EQ(total, 2u << 20) << "the instance's, not the GPU's";
}

TEST(Telemetry, AGpuThatIsLostWhileRunning) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    expect_numbers_of(1, 1);
    set("FAKE_NVML_LOST", "1");
    expect_all_fail(1, GS_ERROR_DRIVER, 15);
    expect_numbers_of(0, 0);
}

TEST(Telemetry, NvmlOfOtherGpusIsNotBelieved) {
    OWN_PROCESS({{"FAKE_NVML_GPUS", "1"}});
    ASSERT_OK(gs_init()); // the driver has two
    expect_numbers_of(0, 0);
    expect_all_fail(1, GS_ERROR_DRIVER, 6);
    int32_t index = 0;
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_inventory_index, "lists no device", 1, &index);
}

// Calls where the driver must not be called. Values queried before are available.
TEST(Telemetry, InAHostFunction) {
    OWN_PROCESS();
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_stream_create(0, 0, 0, &stream));
    const auto first = [](void *) {
        int32_t value = 77;
        EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_device_utilization_percent, "host function", 1, &value);
        EXPECT_EQ(value, 0);
    };
    const auto later = [](void *) { expect_numbers_of(1, 1); };
    EXPECT_OK(gs_stream_launch_host(stream, first, nullptr));
    EXPECT_OK(gs_stream_synchronize(stream));
    expect_numbers_of(1, 1);
    EXPECT_OK(gs_stream_launch_host(stream, later, nullptr));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_OK(gs_stream_destroy(stream));
}

TEST(Telemetry, WrongArguments) {
    OWN_PROCESS();
    uint64_t bytes = 7;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_utilization_percent, "out_percent", 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_memory_utilization_percent, "out_percent", 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_temperature_celsius, "out_celsius", 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_power_milliwatts, "out_milliwatts", 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_sm_clock_mhz, "out_mhz", 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_memory_bytes, "out_free", 0, &bytes, nullptr, &bytes);
    EXPECT_EQ(bytes, 0u);
    expect_all_fail(GS_DEVICE_NONE, GS_ERROR_INVALID_DEVICE, 0);
    expect_all_fail(GS_DEVICE(GS_BACKEND_CUDA, 65535), GS_ERROR_INVALID_DEVICE, 0);
}

// Any call of NVML fails, with any code: an error and no number, or the right number; afterwards everything works.
TEST(Telemetry, AnyCallOfNvmlMayFail) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    expect_numbers_of(1, 1); // the calls of the first use are done
    const auto scenario = [](bool *out_failed) {
        for (const Measure &measure : kMeasures) {
            int32_t value = 77;
            const gs_status_t status = measure.call(1, &value);
            if (status != GS_OK) *out_failed = true;
            EXPECT_EQ(value, status == GS_OK ? measure.of_gpu_0 + 1 : 0) << measure.name;
            EXPECT_TRUE(status == GS_OK || last_error().native_code != 0 || status == GS_ERROR_UNAVAILABLE)
                << last_text();
        }
        uint64_t used = 7, free = 7, total = 7;
        if (gs_device_memory_bytes(1, &used, &free, &total) != GS_OK) *out_failed = true;
        int32_t gpus = 7, entries = 7, index = 7;
        if (gs_inventory_count(&gpus, &entries) != GS_OK) *out_failed = true;
        EXPECT_EQ(gpus, entries);
        if (gs_inventory_index(1, &index) != GS_OK) *out_failed = true;
        EXPECT_TRUE(index == 0 || index == 1);
    };
    for (const int32_t code : {1, 3, 4, 9, 13, 15, 18, 20, 999}) {
        uint64_t nth = 1;
        for (bool reached = true; reached; ++nth) {
            bool failed = false;
            nvml_inject(nth, code);
            scenario(&failed);
            reached = nvml_calls() >= nth;
            EXPECT_FALSE(failed && !reached);
            nvml_inject(0, 0);
            expect_numbers_of(1, 1);
        }
        EXPECT_GT(nth, 15u) << "the loop reached the calls that it is for";
    }
}

} // namespace gs::test
