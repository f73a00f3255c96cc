// SPDX-License-Identifier: Apache-2.0
// Everything that can be wrong with a driver library before it has a device, each case with its own text.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <vector>

#include "fault/fake_driver.hpp"
#include "support/child_process.hpp"
#include "support/status_matchers.hpp"

namespace gs::test {
namespace {

// Tries to start the library, and prints the result, which must be the same twice.
GS_CHILD(start_library) {
    const gs_status_t status = gs_init();
    const gs_error_info_t first = last_error();
    CHILD_REQUIRE(gs_init() == status);
    if (status == GS_OK) {
        std::printf("OK\n");
        return 0;
    }
    const gs_error_info_t second = last_error();
    CHILD_REQUIRE(std::string(first.message) == second.message && first.reason == second.reason);
    gs_stream_t stream = reinterpret_cast<gs_stream_t>(uintptr_t{1});
    CHILD_REQUIRE(gs_stream_create(0, 0, 0, &stream) == status);
    CHILD_REQUIRE(stream == nullptr);
    int32_t initialised = 1;
    CHILD_REQUIRE(gs_is_initialized(&initialised) == GS_OK && initialised == 0);
    std::printf("%d %d %d %s\n", status, first.reason, first.native_code, first.message);
    return 0;
}

struct Failure {
    int status = -1, reason = -1, native = -1;
    std::string text;
};

Failure start_with(const Variables &variables) {
    const Outcome outcome = run_self_as("start_library", {}, variables);
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
    Failure failure;
    if (outcome.output == "OK\n") {
        failure.status = GS_OK;
        return failure;
    }
    char text[600] = "";
    EXPECT_EQ(std::sscanf(outcome.output.c_str(), "%d %d %d %599[^\n]", &failure.status, &failure.reason,
                          &failure.native, text),
              4)
        << outcome.output;
    failure.text = text;
    return failure;
}

void expect_unavailable(const Failure &failure, int reason, const char *part) {
    EXPECT_EQ(failure.status, GS_ERROR_UNAVAILABLE) << failure.text;
    EXPECT_EQ(failure.reason, reason) << failure.text;
    EXPECT_NE(failure.text.find(part), std::string::npos) << failure.text;
}

// Functions that the library needs to start, and those that a feature needs.
struct Symbol {
    std::string name, exported;
    bool required;
};
std::vector<Symbol> symbols() {
    constexpr bool REQUIRED = true, OPTIONAL = false;
    return {
#define X(field, name, version, suffix, need) {#name, #name suffix, need},
#include "backend/cuda/driver/driver_functions.inc"
    };
}

TEST(Loader, StartsOnTheFake) { EXPECT_EQ(start_with({}).status, GS_OK); }

// The system's loader would wait for a writer, and crash on a truncated file.
TEST(Loader, NotACompleteFile) {
    const std::string path = ::testing::TempDir() + "gpustream-driver-" + std::to_string(getpid());
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    expect_unavailable(start_with({{"GPUSTREAM_LIBCUDA", path}}), GS_REASON_NO_LIBRARY, "not a regular file");
    ASSERT_EQ(unlink(path.c_str()), 0);
    std::ifstream whole(GS_TEST_FAKE_DRIVER, std::ios::binary);
    std::vector<char> half(5000);
    ASSERT_TRUE(whole.read(half.data(), static_cast<std::streamsize>(half.size())));
    std::ofstream(path, std::ios::binary).write(half.data(), static_cast<std::streamsize>(half.size()));
    expect_unavailable(start_with({{"GPUSTREAM_LIBCUDA", path}}), GS_REASON_NO_LIBRARY, "cut off");
    ASSERT_EQ(unlink(path.c_str()), 0);
}

TEST(Loader, MissingLibrary) {
    const Failure failure = start_with({{"GPUSTREAM_LIBCUDA", "/nonexistent/libcuda.so.1"}});
    expect_unavailable(failure, GS_REASON_NO_LIBRARY, "/nonexistent/libcuda.so.1");
    EXPECT_NE(failure.text.find("GPUSTREAM_LIBCUDA"), std::string::npos) << failure.text;
}

TEST(Loader, NoLibraryButAFile) {
    expect_unavailable(start_with({{"GPUSTREAM_LIBCUDA", GS_TEST_MAP}}), GS_REASON_NO_LIBRARY, "gpustream.map");
}

TEST(Loader, AnotherLibrary) {
    expect_unavailable(start_with({{"GPUSTREAM_LIBCUDA", "libpthread.so.0"}}), GS_REASON_NO_SYMBOL,
                       "cuDriverGetVersion");
}

TEST(Loader, Stub) {
    const Failure failure = start_with({{"FAKE_CUDA_STUB", "1"}});
    expect_unavailable(failure, GS_REASON_STUB, "stub");
}

TEST(Loader, OldDrivers) {
    for (const auto &[version, shown] :
         {std::pair("10020", "10.2"), std::pair("11040", "11.4"), std::pair("11080", "11.8")})
        expect_unavailable(start_with({{"FAKE_CUDA_DRIVER_VERSION", version}}), GS_REASON_TOO_OLD, shown);
}

TEST(Loader, EveryServedDriver) {
    for (const char *version : {"12000", "12040", "12080", "13000"})
        EXPECT_EQ(start_with({{"FAKE_CUDA_DRIVER_VERSION", version}}).status, GS_OK) << version;
}

TEST(Loader, OtherWaysToFindFunctions) {
    for (const char *path : {kFakeDriver11, kFakeDriverPlain}) {
        const Failure failure = start_with({{"GPUSTREAM_LIBCUDA", path}, {"FAKE_CUDA_DRIVER_VERSION", "12000"}});
        EXPECT_EQ(failure.status, GS_OK) << path << ": " << failure.text;
    }
}

TEST(Loader, NoDevice) { expect_unavailable(start_with({{"FAKE_CUDA_DEVICES", "0"}}), GS_REASON_NO_DEVICE, "cuInit"); }

TEST(Loader, InitFails) {
    std::set<std::string> texts;
    for (const int code : {1, 2, 34, 100, 101, 802, 803, 804, 805, 999}) {
        const Failure failure = start_with({{"FAKE_CUDA_INIT", std::to_string(code)}});
        EXPECT_NE(failure.status, GS_OK) << code;
        EXPECT_NE(failure.text.find("cuInit"), std::string::npos) << failure.text;
        EXPECT_TRUE(texts.insert(failure.text).second) << code << " has the text of another code: " << failure.text;
        if (code == 34)
            expect_unavailable(failure, GS_REASON_STUB, "cuInit");
        else if (code == 100)
            expect_unavailable(failure, GS_REASON_NO_DEVICE, "cuInit");
        else
            EXPECT_EQ(failure.native, code) << failure.text;
    }
}

TEST(Loader, MissingSymbols) {
    std::set<std::string> texts;
    int required = 0, optional = 0;
    for (const Symbol &symbol : symbols()) {
        if (symbol.name == "cuDriverGetVersion") continue; // found before any lookup
        // If an older form exists, a lookup finds that one, so it has to be missing as well.
        const std::string missing = symbol.required ? symbol.exported + "," + symbol.name : symbol.exported;
        const Failure failure = start_with({{"FAKE_CUDA_MISSING", missing}});
        if (!symbol.required) {
            ++optional;
            EXPECT_EQ(failure.status, GS_OK) << symbol.exported << ": " << failure.text;
            continue;
        }
        ++required;
        expect_unavailable(failure, GS_REASON_NO_SYMBOL, symbol.exported.c_str());
        EXPECT_TRUE(texts.insert(failure.text).second) << failure.text;
    }
    EXPECT_GT(required, 40);
    EXPECT_GT(optional, 5);
}

TEST(Loader, LookupFails) {
    // Each result of a lookup counts as "absent"; the first required function is named.
    for (const int code : {1, 34, 801})
        expect_unavailable(start_with({{"FAKE_CUDA_FAIL", "cuGetProcAddress_v2,1," + std::to_string(code) + ",0,1"}}),
                           GS_REASON_NO_SYMBOL, "cuInit");
}

// Calls that only check for a device must leave the process able to fork.
GS_CHILD(ask_and_fork) {
    int32_t value = 0;
    gs_backend_t backend = GS_BACKEND_HOST;
    CHILD_REQUIRE(gs_is_available(&value) == GS_OK && value == 1);
    CHILD_REQUIRE(gs_device_count(GS_BACKEND_CUDA, &value) == GS_OK && value > 0);
    CHILD_REQUIRE(gs_default_backend(&backend) == GS_OK && backend == GS_BACKEND_CUDA);
    // Only whether another library has initialised it.
    CHILD_REQUIRE(fake().calls("cuInit") == 0 && fake().calls(nullptr) == fake().calls("cuDeviceGetCount"));
    const Outcome forked = run_forked([] {
        gs_stream_t stream = nullptr;
        return gs_stream_create(0, 0, 0, &stream) == GS_OK && gs_stream_synchronize(stream) == GS_OK ? 0 : 1;
    });
    CHILD_REQUIRE(forked.clean());
    CHILD_REQUIRE(gs_init() == GS_OK);
    return 0;
}

TEST(Loader, QuestionsDoNotInitialise) {
    for (const char *backend : {"cuda", "auto"}) {
        const Outcome outcome = run_self_as("ask_and_fork", {}, {{"GPUSTREAM_BACKEND", backend}});
        EXPECT_TRUE(outcome.clean()) << describe(outcome);
    }
}

TEST(Loader, AutoFallsBackToHost) {
    const Outcome outcome =
        run_self_as("start_library", {}, {{"GPUSTREAM_BACKEND", "auto"}, {"FAKE_CUDA_INIT", "999"}});
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
    EXPECT_EQ(outcome.output, "gpustream: warning: the default backend is host: cuInit failed: CUDA_ERROR_UNKNOWN: an "
                              "error that the driver does not describe (999); GPUSTREAM_BACKEND=host silences this\n"
                              "OK\n");
}

} // namespace
} // namespace gs::test
