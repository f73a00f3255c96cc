// SPDX-License-Identifier: Apache-2.0
// How the environment maps GPUs to devices: how many there are and which each is, before the driver runs.
#include <vector>

#include "backend/cuda/discovery/driver_in_use.hpp"
#include "backend/cuda/module/module_loader.hpp"
#include "backend/cuda/module/own_ptx.hpp"
#include "inventory/inventory_support.hpp"
#include "inventory/visible_devices.hpp"

namespace gs::test {
namespace {

using Indices = std::vector<int32_t>;
constexpr int32_t kUnknown = -1;

Indices visible() {
    Indices found;
    for (int32_t ordinal = 0; ordinal < count(); ++ordinal) {
        found.push_back(index_of(GS_DEVICE(GS_BACKEND_CUDA, ordinal)));
        if (found.back() == kUnknown) {
            EXPECT_EQ(last_error().status, GS_ERROR_NOT_SUPPORTED) << last_text();
        }
    }
    int32_t beyond = 0;
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_inventory_index(GS_DEVICE(GS_BACKEND_CUDA, count()), &beyond));
    return found;
}

std::string parsed(const char *value) {
    const char *list = nullptr;
    EXPECT_OK(gs_parse_visible_devices(value, &list));
    return list ? list : "(null)";
}

} // namespace

TEST(VisibleDevices, TextsAreTakenApart) {
    EXPECT_EQ(parsed("1gpu2,2ampere"), "1,2");
    EXPECT_EQ(parsed("0, 1 ,\t2"), "0,1,2");
    EXPECT_EQ(parsed("+1,-0,007"), "1,0,7");
    EXPECT_EQ(parsed("2,-1,0"), "2");
    EXPECT_EQ(parsed("2,,0"), "2");
    EXPECT_EQ(parsed("+,1"), "");
    EXPECT_EQ(parsed("0,0"), "");
    EXPECT_EQ(parsed("0,1,00"), "");
    EXPECT_EQ(parsed("0,x,0"), "0") << "ended before the repetition";
    EXPECT_EQ(parsed(""), "");
    EXPECT_EQ(parsed("99999999999999999999,99999999999999999998"), "99999999999999999999,99999999999999999998");
    EXPECT_EQ(parsed("GPU-a,MIG-b"), "GPU-a");
    EXPECT_EQ(parsed("GPU-a,1,GPU-a"), "GPU-a");
    EXPECT_EQ(parsed("GPU-a,GPU-b,GPU-a"), "");
    EXPECT_EQ(parsed(" GPU-a"), "") << "a number was expected";
    EXPECT_EQ(parsed("0,GPU-a"), "0");
    EXPECT_EQ(parsed("MIG-GPU-a/1/0"), "MIG-GPU-a/1/0");
    EXPECT_EQ(parsed(nullptr).substr(0, 8), "0,1,2,3,");
    EXPECT_EQ(parsed(nullptr).substr(parsed(nullptr).size() - 6), ",62,63");
    const std::string longest(1 << 20, '1');
    EXPECT_EQ(parsed(longest.c_str()), longest);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_parse_visible_devices, "out_list", "0", nullptr);
}

TEST(VisibleDevices, UuidsAreMatched) {
    using Texts = std::vector<std::string>;
    using Positions = std::vector<size_t>;
    const auto matched = [](const Texts &candidates, const Texts &uuids) {
        Positions found;
        EXPECT_TRUE(inventory::match_uuids(candidates, uuids, &found).ok());
        return found;
    };
    EXPECT_EQ(matched({"GPU-2", "GPU-1"}, {"GPU-10", "GPU-20"}), (Positions{1, 0}));
    EXPECT_EQ(matched({"GPU-2", "GPU-3", "GPU-1"}, {"GPU-10", "GPU-20"}), Positions{1});
    EXPECT_EQ(matched({"GPU-1"}, {"GPU-10", "GPU-11"}), Positions{}) << "with two GPUs none is selected";
    EXPECT_EQ(matched({"GPU-10", "GPU-1"}, {"GPU-10", "GPU-20"}), Positions{}) << "the same one twice";
    EXPECT_EQ(matched({""}, {"GPU-10"}), Positions{0});
}

TEST(VisibleDevices, AmongGpusOfOneKind) {
    OWN_PROCESS({{"FAKE_NVML_GPUS", "4"}, {"FAKE_NVML_ORDER", "3,2,1,0"}}); // NVML's index i is bus 3 - i
    struct Row {
        const char *value;
        Indices wanted;
    };
    const std::string by_uuid = gpu_uuid(2) + "," + gpu_uuid(0), repeated = by_uuid + "," + gpu_uuid(2).substr(0, 40);
    const Row rows[] = {
        {nullptr, {3, 2, 1, 0}},
        {"", {}},
        {"0", {3}},
        {"2,0", {1, 3}},
        {"0,1,9,2", {3, 2}},
        {"1,-1,2", {2}},
        {"-1", {}},
        {"1,1", {}},
        {"0,9,0", {3}}, // the driver reaches the 9 first
        {"0,1,0,9", {}},
        {"none", {}},
        {"99999999999999999999999", {}},
        {by_uuid.c_str(), {1, 3}},
        {"GPU-", {}},
        {"GPU-67707573-7472-6561-6d2d-66616b652d01,GPU-nothing,GPU-67707573-7472-6561-6d2d-66616b652d02", {2}},
        {repeated.c_str(), {}},
        {"MIG-00000000", {}},
    };
    for (const Row &row : rows) {
        SCOPED_TRACE(row.value ? row.value : "(unset)");
        set("CUDA_VISIBLE_DEVICES", row.value);
        for (const char *order : {static_cast<const char *>(nullptr), "PCI_BUS_ID", "FASTEST_FIRST"}) {
            set("CUDA_DEVICE_ORDER", order);
            EXPECT_EQ(visible(), row.wanted) << (order ? order : "(unset)");
        }
        int32_t available = -1;
        EXPECT_OK(gs_is_available(&available));
        EXPECT_EQ(available, row.wanted.empty() ? 0 : 1);
    }
    expect_no_driver();
}

TEST(VisibleDevices, ABarePrefixNamesNothingAlsoWhereThereIsOneGpu) {
    OWN_PROCESS({{"FAKE_NVML_GPUS", "1"}});
    const std::string whole = gpu_uuid(0), begin = whole.substr(0, 10), then_bare = whole + ",GPU-";
    set("CUDA_VISIBLE_DEVICES", begin.c_str());
    EXPECT_EQ(visible(), Indices{0});
    set("CUDA_VISIBLE_DEVICES", "GPU-");
    EXPECT_EQ(visible(), Indices{});
    set("CUDA_VISIBLE_DEVICES", then_bare.c_str());
    EXPECT_EQ(visible(), Indices{0});
    EXPECT_EQ(parsed("GPU-"), "GPU-") << "the parser follows the rules of torch.cuda";
    expect_no_driver();
}

TEST(VisibleDevices, AmongGpusOfSeveralKindsOnlyTheDriverKnowsTheFastest) {
    OWN_PROCESS({{"FAKE_NVML_GPUS", "3"}, {"FAKE_NVML_NAMES", "Slow,Fast,Slow"}});
    EXPECT_EQ(visible(), (Indices{kUnknown, kUnknown, kUnknown}));
    Telemetry read;
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_device_get_telemetry, "CUDA_DEVICE_ORDER", kCuda0, 0, &read);
    EXPECT_EQ(read.known, 0u);
    EXPECT_EQ(entry(0).ordinal, -2);
    set("CUDA_VISIBLE_DEVICES", "1");
    EXPECT_EQ(visible(), Indices{kUnknown});
    set("CUDA_VISIBLE_DEVICES", gpu_uuid(1).c_str());
    EXPECT_EQ(visible(), Indices{1}) << "named";
    EXPECT_EQ(entry(1).ordinal, 0);
    EXPECT_EQ(entry(0).ordinal, -1);
    set("CUDA_VISIBLE_DEVICES", nullptr);
    set("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    EXPECT_EQ(visible(), (Indices{0, 1, 2}));
    set("FAKE_NVML_FAIL", "nvmlDeviceGetPciInfo_v3=3");
    EXPECT_EQ(visible(), (Indices{kUnknown, kUnknown, kUnknown})) << "an order by unknown addresses";
    expect_no_driver();
}

TEST(VisibleDevices, WithMigInstances) {
    OWN_PROCESS({{"FAKE_NVML_MIG", "0,3"}}); // entries: GPUs 0 and 1, instances 2, 3, 4
    struct Row {
        std::string value;
        Indices wanted;
    };
    const Row rows[] = {
        {mig_uuid(1, 2), {4}},
        {mig_uuid(1, 2) + "," + mig_uuid(1, 0), {4}}, // one per process
        {mig_uuid(1, 1).substr(0, 39) + ",x", {}},    // three begin like this
        {"MIG-nothing", {}},
        {mig_uuid(1, 0) + "," + mig_uuid(1, 0), {}},
        {"1", {2}}, // a divided GPU is its first instance
        {"0", {0}},
        {"0,1", {2}},
        {gpu_uuid(1), {2}},
    };
    for (const Row &row : rows) {
        SCOPED_TRACE(row.value);
        set("CUDA_VISIBLE_DEVICES", row.value.c_str());
        EXPECT_EQ(visible(), row.wanted);
    }
    expect_no_driver();
}

TEST(VisibleDevices, WithTheOlderNamesOfMigInstances) {
    OWN_PROCESS({{"FAKE_NVML_MIG", "2,3"}}); // entries: GPUs 0 and 1, instances 2 to 6; ids 7/0, 8/0, 9/0 on each
    const std::string on_0 = "MIG-" + gpu_uuid(0), on_1 = "MIG-" + gpu_uuid(1);
    struct Row {
        std::string value;
        Indices wanted;
    };
    const Row rows[] = {
        {on_1 + "/8/0", {5}},
        {on_0 + "/7/0", {2}},
        {on_1 + "/9/0," + on_0 + "/7/0", {6}},
        {on_1 + "/7/0," + mig_uuid(1, 0), {}}, // two names of one
        {mig_uuid(0, 1) + "," + on_1 + "/7/0", {3}},
        {on_1 + "/8/0," + on_1 + "/8/0", {}},
        {on_1 + "/80/0", {}},
        {on_1 + "/8", {}}, // prefixes of these are not accepted
        {on_1, {}},
        {"MIG-GPU-nothing/7/0", {}},
    };
    for (const Row &row : rows) {
        SCOPED_TRACE(row.value);
        set("CUDA_VISIBLE_DEVICES", row.value.c_str());
        EXPECT_EQ(visible(), row.wanted);
    }
    set("CUDA_VISIBLE_DEVICES", (on_1 + "/8/0").c_str());
    Telemetry read;
    EXPECT_OK(gs_device_get_telemetry(kCuda0, GS_TELEMETRY_MEMORY, &read));
    EXPECT_EQ(read.memory_total_bytes, 2u << 20) << "the instance's";
    EXPECT_EQ(entry(5).ordinal, 0);
    for (const char *lacking : {"nvmlDeviceGetGpuInstanceId=13", "nvmlDeviceGetComputeInstanceId=13"}) {
        set("FAKE_NVML_FAIL", lacking);
        int32_t index = 77;
        EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_inventory_index, "only the driver", kCuda0, &index);
        EXPECT_EQ(index, 0);
        EXPECT_EQ(count(), 1) << "a process sees one instance";
        set("CUDA_VISIBLE_DEVICES", mig_uuid(1, 1).c_str());
        EXPECT_EQ(visible(), Indices{5}) << "by its own name it is found without the ids";
        set("CUDA_VISIBLE_DEVICES", (on_1 + "/8/0").c_str());
    }
    expect_no_driver();
}

// The GPUs are identified from what NVML reports about all of them: if it fails for one, nothing is guessed.
TEST(VisibleDevices, WhereNvmlCannotTellOfEveryGpu) {
    OWN_PROCESS();
    for (const char *failing : {"nvmlDeviceGetPciInfo_v3=999", "nvmlDeviceGetMigMode=999", "nvmlDeviceGetName=999"}) {
        SCOPED_TRACE(failing);
        set("FAKE_NVML_FAIL", failing);
        EXPECT_EQ(visible(), (Indices{kUnknown, kUnknown}));
        EXPECT_EQ(entry(0).ordinal, -2);
    }
    set("FAKE_NVML_FAIL", "nvmlDeviceGetMigMode=999");
    EXPECT_EQ(entry(1).status, GS_ERROR_DRIVER);
    EXPECT_EQ(entry(1).native_code, 999);
    EXPECT_EQ(entry(1).uuid, gpu_uuid(1)) << "known values are reported";
    set("CUDA_VISIBLE_DEVICES", gpu_uuid(1).c_str());
    EXPECT_EQ(visible(), Indices{kUnknown}) << "it may be divided";
    set("FAKE_NVML_FAIL", "nvmlDeviceGetMigMode=3");
    EXPECT_EQ(visible(), Indices{1}) << "a GPU from before MIG";
    int32_t index = 77;
    set("FAKE_NVML_FAIL", "nvmlDeviceGetUUID=999");
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_inventory_index, "every device", kCuda0, &index);
    EXPECT_EQ(count(), 1) << "as many as are named";
    set("CUDA_VISIBLE_DEVICES", "1");
    EXPECT_EQ(visible(), Indices{1}) << "numbers need no names";
    expect_no_driver();
}

TEST(VisibleDevices, AMigInstanceWithoutAUuidIsNotTakenForItsGpu) {
    OWN_PROCESS({{"FAKE_NVML_MIG", "2"}, {"FAKE_NVML_GPUS", "1"}, {"FAKE_NVML_FAIL", "nvmlDeviceGetUUID=999"}});
    Telemetry read;
    for (const uint32_t fields : {0u, static_cast<uint32_t>(GS_TELEMETRY_TEMPERATURE)})
        EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_device_get_telemetry, "UUID", kCuda0, fields, &read);
    EXPECT_EQ(read.known, 0u);
}

TEST(VisibleDevices, WithoutNvmlTheCountIsTheLibrarysGuess) {
    OWN_PROCESS({{"GPUSTREAM_LIBNVML", "/no/such/library"}});
    EXPECT_EQ(count(), 1);
    expect_no_driver();
}

TEST(VisibleDevices, WithoutADriverThereAreNone) {
    OWN_PROCESS({{"GPUSTREAM_LIBCUDA", "/no/such/driver"}});
    EXPECT_EQ(count(), 0) << "whatever NVML lists";
}

TEST(EmbeddedKernels, TheirTargetIsNamed) {
    const std::string target = std::to_string(cuda::kEmbeddedArch);
    EXPECT_NE(std::string(cuda::kSleepPtx).find(".target sm_" + target + "\n"), std::string::npos);
}

} // namespace gs::test
