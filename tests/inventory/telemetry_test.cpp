// SPDX-License-Identifier: Apache-2.0
// Each number belongs to the right device, and the known fields are only those that the device measures.
#include "inventory/inventory_support.hpp"

namespace gs::test {
namespace {

struct Measure {
    uint32_t field;
    int32_t gs_telemetry_t::*value;
    const char *function; // of NVML, the current one
    int32_t of_gpu_0;     // GPU g has g more
};
const Measure kMeasures[] = {
    {GS_TELEMETRY_UTILIZATION, &gs_telemetry_t::utilization_percent, "nvmlDeviceGetUtilizationRates", 10},
    {GS_TELEMETRY_MEMORY_UTILIZATION, &gs_telemetry_t::memory_utilization_percent, "nvmlDeviceGetUtilizationRates", 20},
    {GS_TELEMETRY_TEMPERATURE, &gs_telemetry_t::temperature_celsius, "nvmlDeviceGetTemperature", 40},
    {GS_TELEMETRY_POWER, &gs_telemetry_t::power_milliwatts, "nvmlDeviceGetPowerUsage", 70000},
    {GS_TELEMETRY_SM_CLOCK, &gs_telemetry_t::sm_clock_mhz, "nvmlDeviceGetClockInfo", 1500},
};
constexpr uint32_t kEvery = 63; // bits of GS_TELEMETRY_*

void expect_memory_of(const gs_telemetry_t &read, int gpu) {
    EXPECT_EQ(read.memory_used_bytes, static_cast<uint64_t>(gpu + 1) << 10);
    EXPECT_EQ(read.memory_total_bytes, 16u << 20);
    EXPECT_EQ(read.memory_free_bytes, read.memory_total_bytes - read.memory_used_bytes - (1 << 10));
}

// Each field alone, then all of them.
void expect_numbers_of(gs_device_t device, int gpu) {
    for (const Measure &measure : kMeasures) {
        Telemetry read;
        EXPECT_OK(gs_device_get_telemetry(device, measure.field, &read)) << measure.field;
        EXPECT_EQ(read.known, measure.field);
        EXPECT_EQ(read.*measure.value, measure.of_gpu_0 + gpu) << measure.field;
        EXPECT_EQ(read.memory_total_bytes, 0u) << "not asked for";
    }
    Telemetry memory, all;
    EXPECT_OK(gs_device_get_telemetry(device, GS_TELEMETRY_MEMORY, &memory));
    EXPECT_EQ(memory.known, static_cast<uint32_t>(GS_TELEMETRY_MEMORY));
    expect_memory_of(memory, gpu);
    EXPECT_OK(gs_device_get_telemetry(device, 0, &all));
    EXPECT_EQ(all.known, kEvery);
    for (const Measure &measure : kMeasures) EXPECT_EQ(all.*measure.value, measure.of_gpu_0 + gpu) << measure.field;
    expect_memory_of(all, gpu);
}

bool initialized() {
    int32_t value = -1;
    EXPECT_OK(gs_is_initialized(&value));
    return value == 1;
}

void expect_all_fail(gs_device_t device, gs_status_t wanted, int32_t native) {
    for (uint32_t fields = kEvery + 1; fields-- > 0;) {
        Telemetry read;
        EXPECT_STATUS(wanted, gs_device_get_telemetry(device, fields, &read)) << fields;
        EXPECT_EQ(read.known, 0u);
        EXPECT_EQ(last_error().native_code, native) << fields << ": " << last_text();
        EXPECT_STREQ(last_error().function, "gs_device_get_telemetry");
    }
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
    Telemetry read;
    EXPECT_FALSE(initialized());
    EXPECT_OK(gs_device_get_telemetry(GS_DEVICE_CURRENT, GS_TELEMETRY_UTILIZATION, &read));
    EXPECT_EQ(read.utilization_percent, 10);
    EXPECT_TRUE(initialized());
}

TEST(Telemetry, EachFieldFailsByItself) {
    OWN_PROCESS();
    for (const Measure &broken : kMeasures) {
        set("FAKE_NVML_FAIL", (std::string(broken.function) + "=3,nvmlDeviceGetTemperatureV=" +
                               (std::string(broken.function) == "nvmlDeviceGetTemperature" ? "3" : "0"))
                                  .c_str());
        Telemetry all;
        EXPECT_OK(gs_device_get_telemetry(kCuda0, 0, &all));
        for (const Measure &measure : kMeasures) {
            Telemetry read;
            const bool fails = std::string(measure.function) == broken.function;
            EXPECT_STATUS(fails ? GS_ERROR_NOT_SUPPORTED : GS_OK, gs_device_get_telemetry(kCuda0, measure.field, &read))
                << measure.field;
            EXPECT_EQ(read.*measure.value, fails ? 0 : measure.of_gpu_0) << measure.field;
            EXPECT_EQ((all.known & measure.field) == 0, fails) << measure.field;
            EXPECT_EQ(all.*measure.value, read.*measure.value) << measure.field;
        }
        EXPECT_EQ(all.memory_total_bytes, 16u << 20);
    }
}

TEST(Telemetry, AMigInstanceHasMemoryAndAClockOnly) {
    OWN_PROCESS({{"FAKE_NVML_MIG", "2"}, {"CUDA_VISIBLE_DEVICES", "MIG-00000000-0000-0000-0000-000000000001"}});
    Telemetry read, none;
    EXPECT_OK(gs_device_get_telemetry(kCuda0, 0, &read));
    EXPECT_EQ(read.known, static_cast<uint32_t>(GS_TELEMETRY_MEMORY | GS_TELEMETRY_SM_CLOCK));
    EXPECT_EQ(read.memory_total_bytes, 2u << 20) << "the instance's, not the GPU's";
    EXPECT_EQ(read.utilization_percent + read.temperature_celsius + read.power_milliwatts, 0);
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_device_get_telemetry(kCuda0, kEvery & ~read.known, &none));
    EXPECT_EQ(none.known, 0u);
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
        Telemetry read;
        EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_device_get_telemetry, "host function", 1, 0, &read);
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
    Telemetry read;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_get_telemetry, "out_telemetry", 0, 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_get_telemetry, "fields", 0, kEvery + 1, &read);
    read.struct_size = 4;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_get_telemetry, "struct_size", 0, 0, &read);
    EXPECT_EQ(read.known, 0u);
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
            Telemetry read;
            const gs_status_t status = gs_device_get_telemetry(1, measure.field, &read);
            if (status != GS_OK) *out_failed = true;
            EXPECT_EQ(read.*measure.value, status == GS_OK ? measure.of_gpu_0 + 1 : 0) << measure.field;
            EXPECT_TRUE(status == GS_OK || last_error().native_code != 0 || status == GS_ERROR_UNAVAILABLE)
                << last_text();
        }
        Telemetry all;
        if (gs_device_get_telemetry(1, 0, &all) != GS_OK || all.known != kEvery) *out_failed = true;
        for (const Measure &measure : kMeasures)
            EXPECT_EQ(all.*measure.value, (all.known & measure.field) != 0 ? measure.of_gpu_0 + 1 : 0) << measure.field;
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
