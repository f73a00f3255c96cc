// SPDX-License-Identifier: Apache-2.0
// The entries of the inventory, and its statuses when NVML fails.
#include "inventory/inventory_support.hpp"

namespace gs::test {
namespace {

struct Counts {
    int32_t gpus = -1, entries = -1;
};
Counts counts() {
    Counts found;
    EXPECT_OK(gs_inventory_count(&found.gpus, &found.entries));
    return found;
}

void expect_unavailable(int32_t reason) {
    int32_t gpus = 7, entries = 7;
    EXPECT_STATUS(GS_ERROR_UNAVAILABLE, gs_inventory_count(&gpus, &entries));
    EXPECT_EQ(last_error().reason, reason) << last_text();
    EXPECT_EQ(gpus, 0);
    EXPECT_EQ(entries, 0);
    gs_inventory_entry_t untouched{};
    untouched.struct_size = sizeof untouched;
    untouched.nvml_index = 77;
    EXPECT_STATUS(GS_ERROR_UNAVAILABLE, gs_inventory_get(0, &untouched));
    EXPECT_EQ(untouched.nvml_index, 77);
    EXPECT_STATUS(GS_ERROR_UNAVAILABLE, gs_inventory_index(kCuda0, &gpus));
    Telemetry read;
    EXPECT_STATUS(GS_ERROR_UNAVAILABLE, gs_device_get_telemetry(kCuda0, 0, &read));
}

} // namespace

TEST(InventoryEntries, AreTheGpusByNvmlsIndex) {
    OWN_PROCESS({{"FAKE_NVML_GPUS", "3"}, {"FAKE_NVML_ORDER", "2,0,1"}, {"FAKE_NVML_NAMES", "Small,Middle,Large"}});
    EXPECT_EQ(counts().gpus, 3);
    EXPECT_EQ(counts().entries, 3);
    const char *names[] = {"Large", "Small", "Middle"};
    const int gpus[] = {2, 0, 1};
    for (int32_t i = 0; i < 3; ++i) {
        const gs_inventory_entry_t found = entry(i);
        EXPECT_EQ(found.struct_size, sizeof found);
        EXPECT_EQ(found.status, GS_OK);
        EXPECT_EQ(found.native_code, 0);
        EXPECT_EQ(found.nvml_index, i);
        EXPECT_EQ(found.is_mig, 0);
        EXPECT_EQ(found.mig_index, -1);
        EXPECT_EQ(found.mig_enabled, 0);
        EXPECT_EQ(found.capability_major, 9);
        EXPECT_EQ(found.has_pci, 1);
        EXPECT_EQ(found.pci_bus, 0x10 + gpus[i]);
        EXPECT_EQ(found.total_memory_bytes, 16u << 20);
        EXPECT_STREQ(found.name, names[i]);
        EXPECT_EQ(found.uuid, gpu_uuid(gpus[i]));
    }
}

TEST(InventoryEntries, MigInstancesComeAfterTheGpus) {
    OWN_PROCESS({{"FAKE_NVML_MIG", "2,0"}});
    EXPECT_EQ(counts().gpus, 2);
    EXPECT_EQ(counts().entries, 4);
    EXPECT_EQ(entry(0).mig_enabled, 1);
    EXPECT_EQ(entry(1).mig_enabled, 0);
    for (int32_t i = 0; i < 2; ++i) {
        const gs_inventory_entry_t found = entry(2 + i);
        EXPECT_EQ(found.is_mig, 1);
        EXPECT_EQ(found.mig_index, i);
        EXPECT_EQ(found.nvml_index, 0);
        EXPECT_EQ(found.pci_bus, 0x10);
        EXPECT_EQ(found.total_memory_bytes, 2u << 20);
        EXPECT_EQ(found.uuid, mig_uuid(0, i));
        EXPECT_EQ(found.ordinal, i == 0 ? 0 : -1) << "a process sees one instance";
    }
    EXPECT_EQ(entry(1).ordinal, -1) << "and no whole GPU besides";
}

TEST(InventoryEntries, AGpuThatCannotBeOpenedIsListed) {
    OWN_PROCESS({{"FAKE_NVML_CLOSED", "0"}});
    EXPECT_EQ(counts().gpus, 2);
    const gs_inventory_entry_t closed = entry(0);
    EXPECT_EQ(closed.status, GS_ERROR_DRIVER);
    EXPECT_EQ(closed.native_code, 4);
    EXPECT_STREQ(closed.uuid, "");
    EXPECT_EQ(closed.ordinal, -1);
    EXPECT_EQ(entry(1).ordinal, 0) << "the driver skips it";
    EXPECT_EQ(count(), 1);
}

TEST(InventoryEntries, FieldsThatNvmlCannotTellAreEmpty) {
    OWN_PROCESS({{"FAKE_NVML_FAIL", "nvmlDeviceGetName=999,nvmlDeviceGetMemoryInfo=3,nvmlDeviceGetPciInfo_v3=3,"
                                    "nvmlDeviceGetCudaComputeCapability=13"}});
    const gs_inventory_entry_t found = entry(1);
    EXPECT_EQ(found.status, GS_OK);
    EXPECT_STREQ(found.name, "");
    EXPECT_EQ(found.has_pci, 0);
    EXPECT_EQ(found.total_memory_bytes, 0u);
    EXPECT_EQ(found.capability_major, 0);
    EXPECT_EQ(found.uuid, gpu_uuid(1));
}

TEST(InventoryEntries, AnOldNvmlIsEnough) {
    OWN_PROCESS({{"GPUSTREAM_LIBNVML", GS_TEST_FAKE_NVML_OLD}, {"FAKE_NVML_MIG", "2"}});
    EXPECT_EQ(counts().entries, 2) << "it does not know instances";
    EXPECT_EQ(entry(0).uuid, gpu_uuid(0));
    Telemetry read;
    EXPECT_OK(gs_device_get_telemetry(kCuda1, 0, &read));
    EXPECT_EQ(read.temperature_celsius, 41);
    EXPECT_EQ(read.memory_used_bytes, 3u << 10) << "with the memory that the driver reserves";
    EXPECT_EQ(read.memory_used_bytes + read.memory_free_bytes, read.memory_total_bytes);
}

TEST(InventoryEntries, WrongArguments) {
    OWN_PROCESS();
    int32_t number = 7;
    gs_inventory_entry_t found{};
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_inventory_count, "out_gpus", nullptr, &number);
    EXPECT_EQ(number, 0);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_inventory_count, "out_entries", &number, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_inventory_get, "out_entry", 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_inventory_get, "struct_size", 0, &found);
    found.struct_size = sizeof found;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_inventory_get, "entry 2", 2, &found);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_inventory_get, "entry -1", -1, &found);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_inventory_index, "out_index", kCuda0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_DEVICE, gs_inventory_index, "2", GS_DEVICE(GS_BACKEND_CUDA, 2), &number);
    EXPECT_FAILS(GS_ERROR_INVALID_DEVICE, gs_inventory_index, "-2", GS_DEVICE_NONE, &number);
    EXPECT_FAILS(GS_ERROR_INVALID_DEVICE, gs_inventory_index, "no backend", GS_DEVICE(GS_BACKEND_HIP, 0), &number);
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_inventory_index, "host", GS_DEVICE(GS_BACKEND_HOST, 0), &number);
}

TEST(InventoryAbsent, NoLibrary) {
    OWN_PROCESS({{"GPUSTREAM_LIBNVML", "/no/such/libnvidia-ml.so.1"}});
    expect_unavailable(GS_REASON_NO_LIBRARY);
    EXPECT_NE(last_text().find("/no/such/libnvidia-ml.so.1"), std::string::npos) << last_text();
}

TEST(InventoryAbsent, ALibraryThatIsNoNvml) {
    OWN_PROCESS({{"GPUSTREAM_LIBNVML", GS_TEST_FAKE_NVML_BROKEN}});
    expect_unavailable(GS_REASON_NO_SYMBOL);
    EXPECT_NE(last_text().find("nvmlDeviceGetHandleByIndex_v2"), std::string::npos) << last_text();
}

TEST(InventoryAbsent, AnotherDriversGpusAreNotAsked) {
    OWN_PROCESS({{"GPUSTREAM_LIBNVML", ""}});
    expect_unavailable(GS_REASON_NO_LIBRARY);
    EXPECT_NE(last_text().find("GPUSTREAM_LIBNVML"), std::string::npos) << last_text();
}

TEST(InventoryAbsent, NoKernelModule) {
    OWN_PROCESS({{"FAKE_NVML_FAIL", "nvmlInit_v2=9"}});
    expect_unavailable(GS_REASON_NO_DEVICE);
}

TEST(InventoryAbsent, LibraryAndKernelModuleDoNotMatch) {
    OWN_PROCESS({{"FAKE_NVML_FAIL", "nvmlInit_v2=18"}});
    expect_unavailable(GS_REASON_TOO_OLD);
}

TEST(InventoryAbsent, NoPermission) {
    OWN_PROCESS({{"FAKE_NVML_FAIL", "nvmlInit_v2=4"}});
    int32_t gpus = 7, entries = 7;
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_inventory_count, "may not", &gpus, &entries);
    EXPECT_EQ(last_error().native_code, 4);
    EXPECT_STREQ(last_error().native_function, "nvmlInit_v2");
}

TEST(InventoryAbsent, AFailureIsNotForEver) {
    OWN_PROCESS({{"FAKE_NVML_FAIL", "nvmlInit_v2=9"}});
    expect_unavailable(GS_REASON_NO_DEVICE);
    unsetenv("FAKE_NVML_FAIL"); // the module was loaded
    EXPECT_EQ(counts().gpus, 2);
    EXPECT_EQ(nvml_users(), 1);
}

} // namespace gs::test
