// SPDX-License-Identifier: Apache-2.0
// Every call of NVML, failing in every way, below every call of the library. The result is a status with a text, or the
// right device's number. No call crashes, and everything works afterwards.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>
#include <thread>
#include <vector>

#include "inventory/nvml_judge.hpp"
#include "support/long_form.hpp"

namespace gs::test {
namespace {

// The NVML codes that are handled specially, and one unknown code.
constexpr int32_t kCodes[] = {1, 2, 3, 4, 6, 9, 10, 12, 13, 15, 17, 18, 20, 25, 26, 999};

// Forks and calls of a sanitized process take many times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSlow = true;
#else
constexpr bool kSlow = false;
#endif

// The codes for one call: all with GPUSTREAM_TEST_FULL=1, else some, in turn.
std::vector<int32_t> codes_for(uint64_t nth) {
    const size_t step = kSlow ? 16 : test::long_form() ? 1 : 4;
    std::vector<int32_t> codes;
    for (size_t i = step == 1 ? 0 : nth % step; i < std::size(kCodes); i += step) codes.push_back(kCodes[i]);
    return codes;
}

const std::set<std::string> kFunctions = {
#define X(field, symbol, arguments) #symbol,
#include "inventory/nvml/nvml_functions.inc"
};

// Codes that are regular answers of a function rather than failures: their effects have their own tests.
bool is_an_answer(const std::string &function, int32_t code) {
    if (function == "nvmlDeviceGetHandleByIndex_v2") return code == 4;      // the driver skips this GPU
    if (function == "nvmlDeviceGetMigMode") return code == 3 || code == 13; // a GPU or a driver from before MIG
    if (function == "nvmlDeviceGetMigDeviceHandleByIndex") return code == 6 || code == 2; // no instance there
    return false;
}

int exit_code_of(const std::function<bool()> &body) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(30);
        _exit(body() ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

// How many NVML calls an undisturbed run makes.
uint64_t undisturbed(Judge &right) {
    nvml_inject(0, 0);
    EXPECT_TRUE(right.all_calls());
    return nvml_calls();
}

// Returns false if something was wrong while the call failed.
bool fail_one(Judge &anything, uint64_t nth, int32_t code) {
    nvml_inject(nth, code);
    const bool good = anything.all_calls();
    const std::string function = nvml_injected();
    nvml_inject(0, 0);
    return good || is_an_answer(function, code);
}

// Fails each call once with each code, or every second call from the given one. Returns the functions that were made to
// fail.
std::set<std::string> fail_each_call(const std::vector<Truth> &devices, uint64_t first = 1, uint64_t step = 1) {
    std::set<std::string> hit;
    Judge anything(devices, 2, false), right(devices, 2, true);
    const uint64_t calls = undisturbed(right);
    EXPECT_GT(calls, 50u);
    for (uint64_t nth = first; nth <= calls; nth += step) {
        for (const int32_t code : codes_for(nth))
            EXPECT_TRUE(fail_one(anything, nth, code)) << "call " << nth << " gave " << code;
        nvml_inject(nth, 999);
        EXPECT_TRUE(anything.all_calls());
        hit.insert(nvml_injected());
        nvml_inject(0, 0);
        EXPECT_TRUE(right.all_calls()) << "after failures of call " << nth;
    }
    return hit;
}

// One code per process, so that each process has a first use; all codes in one process if forks are slow.
std::vector<std::vector<int32_t>> codes_by_process() {
    if (kSlow) return {std::vector<int32_t>(std::begin(kCodes), std::end(kCodes))};
    std::vector<std::vector<int32_t>> each;
    for (const int32_t code : kCodes) each.push_back({code});
    return each;
}

// The function returns each of the codes whenever it is called.
bool always_failing(Judge &judge, const std::string &function, const std::vector<int32_t> &codes) {
    bool good = true;
    for (const int32_t code : codes) {
        if (is_an_answer(function, code)) continue;
        set("FAKE_NVML_FAIL", (function + "=" + std::to_string(code)).c_str());
        if (judge.all_calls()) continue;
        std::fprintf(stderr, "  while %s gave %d\n", function.c_str(), code);
        good = false;
    }
    set("FAKE_NVML_FAIL", nullptr);
    return good;
}

void fail_each_function(const std::vector<Truth> &devices) {
    Judge anything(devices, 2, false), right(devices, 2, true);
    for (const std::string &function : kFunctions)
        for (const std::vector<int32_t> &codes : codes_by_process())
            EXPECT_EQ(exit_code_of([&] { return always_failing(anything, function, codes); }), 0) << function;
    EXPECT_EQ(exit_code_of([&] { return right.all_calls(); }), 0);
}

const std::vector<Truth> kWhole = {{0, -1}, {1, -1}};
const std::vector<Truth> kInstance = {{1, 0}};
constexpr const char *kTurned = "1,0"; // NVML's index is not CUDA's

} // namespace

TEST(NvmlFaults, EachFunctionForEver) {
    OWN_PROCESS({{"FAKE_NVML_ORDER", kTurned}});
    fail_each_function(kWhole);
}

TEST(NvmlFaults, EachFunctionForEverWithInstances) {
    OWN_PROCESS({{"FAKE_NVML_ORDER", kTurned}, {"FAKE_NVML_MIG", "0,2"}, {"CUDA_VISIBLE_DEVICES", "1"}});
    fail_each_function(kInstance);
}

TEST(NvmlFaults, EachFunctionForEverWithNamesOfInstances) {
    OWN_PROCESS({{"FAKE_NVML_ORDER", kTurned},
                 {"FAKE_NVML_MIG", "0,2"},
                 {"CUDA_VISIBLE_DEVICES", "MIG-GPU-67707573-7472-6561-6d2d-66616b652d01/7/0"}});
    fail_each_function(kInstance);
}

TEST(NvmlFaults, EachFunctionForEverOfAnOldNvml) {
    OWN_PROCESS({{"GPUSTREAM_LIBNVML", GS_TEST_FAKE_NVML_OLD}, {"FAKE_NVML_ORDER", kTurned}});
    fail_each_function(kWhole);
}

TEST(NvmlFaults, EachFunctionForEverOnceTheDriverRuns) {
    OWN_PROCESS({{"FAKE_NVML_ORDER", kTurned}});
    ASSERT_OK(gs_init());
    Judge anything(kWhole, 2, false), right(kWhole, 2, true);
    const std::vector<int32_t> codes(std::begin(kCodes), std::end(kCodes));
    for (const std::string &function : kFunctions) EXPECT_TRUE(always_failing(anything, function, codes)) << function;
    EXPECT_TRUE(right.all_calls());
}

TEST(NvmlFaults, EachCallOfTheFirstUse) {
    OWN_PROCESS({{"FAKE_NVML_ORDER", kTurned}});
    Judge anything(kWhole, 2, false), right(kWhole, 2, true);
    constexpr uint64_t kFirst = 30; // with the calls that open NVML; those behind are failed in the other tests
    for (uint64_t nth = 1; nth <= kFirst; ++nth)
        for (const int32_t code : codes_for(nth))
            EXPECT_EQ(exit_code_of([&] { return fail_one(anything, nth, code) && right.all_calls(); }), 0)
                << "call " << nth << " gave " << code;
}

TEST(NvmlFaults, EachCall) {
    OWN_PROCESS({{"FAKE_NVML_ORDER", kTurned}});
    std::set<std::string> hit = fail_each_call(kWhole);
    EXPECT_TRUE(hit.count("nvmlDeviceGetHandleByUUID") && hit.count("nvmlDeviceGetMigMode"))
        << "the loop reached its calls";
}

TEST(NvmlFaults, EachOddCallWithInstances) {
    OWN_PROCESS({{"FAKE_NVML_ORDER", kTurned}, {"FAKE_NVML_MIG", "0,2"}, {"CUDA_VISIBLE_DEVICES", "1"}});
    std::set<std::string> hit = fail_each_call(kInstance, 1, 2);
    EXPECT_TRUE(hit.count("nvmlDeviceGetMigDeviceHandleByIndex") && hit.count("nvmlDeviceGetGpuInstanceId"));
}

TEST(NvmlFaults, EachEvenCallWithInstances) {
    OWN_PROCESS({{"FAKE_NVML_ORDER", kTurned}, {"FAKE_NVML_MIG", "0,2"}, {"CUDA_VISIBLE_DEVICES", "1"}});
    std::set<std::string> hit = fail_each_call(kInstance, 2, 2);
    EXPECT_TRUE(hit.count("nvmlDeviceGetMigDeviceHandleByIndex") && hit.count("nvmlDeviceGetGpuInstanceId"));
}

TEST(NvmlFaults, EachCallOnceTheDriverRuns) {
    OWN_PROCESS({{"FAKE_NVML_ORDER", kTurned}, {"FAKE_NVML_FAIL", "nvmlDeviceGetHandleByUUID=13"}});
    ASSERT_OK(gs_init());
    std::set<std::string> hit = fail_each_call(kWhole);
    EXPECT_TRUE(hit.count("nvmlDeviceGetHandleByPciBusId_v2")) << "the path without UUIDs";
}

// The second thread releases its own initialisation.
TEST(NvmlFaults, TheShutdownOfASecondInitialisation) {
    OWN_PROCESS({{"FAKE_NVML_ORDER", kTurned}, {"FAKE_NVML_FAIL", "nvmlShutdown=999"}});
    nvml_hold(true);
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) threads.emplace_back([] { EXPECT_EQ(entry(1).uuid, gpu_uuid(0)); });
    while (nvml_waiting() < 2) std::this_thread::yield();
    nvml_hold(false);
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(nvml_users(), 2) << "rejected, without consequence";
    EXPECT_TRUE(Judge(kWhole, 2, true).all_calls());
}

} // namespace gs::test
