// SPDX-License-Identifier: Apache-2.0
// A process without free file descriptors or address space: the failure is not attributed to a good kernel image.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "gpustream.h"
#include "support/child_process.hpp"

namespace gs::test {
namespace {

// Any shared object can serve as an image; this one is large enough to be rejected for lack of space.
const char *const kImage = GPUSTREAM_LIBRARY_PATH;

std::vector<char> image() {
    std::ifstream file(kImage, std::ios::binary | std::ios::ate);
    std::vector<char> bytes(static_cast<size_t>(file.tellg()));
    file.seekg(0);
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return bytes;
}

bool set_limit(decltype(RLIMIT_AS) which, rlim_t value) {
    rlimit limit{};
    if (getrlimit(which, &limit) != 0) return false;
    limit.rlim_cur = value;
    return setrlimit(which, &limit) == 0;
}

gs_error_info_t detail() {
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    (void)gs_last_error(&info);
    return info;
}

bool refused(gs_status_t wanted, const void *bytes, size_t size) {
    gs_module_t module = nullptr;
    const gs_status_t status = gs_module_load(GS_DEVICE_CURRENT, bytes, size, &module);
    std::printf("%s: %s\n", gs_status_name(status), detail().message);
    return status == wanted && !module;
}

bool loads(const void *bytes, size_t size) {
    gs_module_t module = nullptr;
    return gs_module_load(GS_DEVICE_CURRENT, bytes, size, &module) == GS_OK && gs_module_destroy(module) == GS_OK;
}

GS_CHILD(no_descriptors) {
    const std::vector<char> bytes = image();
    CHILD_REQUIRE(gs_init() == GS_OK);
    const int lowest = dup(0);
    CHILD_REQUIRE(lowest > 0 && close(lowest) == 0);
    CHILD_REQUIRE(set_limit(RLIMIT_NOFILE, static_cast<rlim_t>(lowest)));
    CHILD_REQUIRE(refused(GS_ERROR_SYSTEM, kImage, 0));
    CHILD_REQUIRE(detail().native_code == EMFILE);
    CHILD_REQUIRE(refused(GS_ERROR_SYSTEM, bytes.data(), bytes.size()));
    CHILD_REQUIRE(detail().native_code == EMFILE);
    // One descriptor is enough to write the image, and then none is left for the loader.
    CHILD_REQUIRE(set_limit(RLIMIT_NOFILE, static_cast<rlim_t>(lowest) + 1));
    CHILD_REQUIRE(refused(GS_ERROR_SYSTEM, bytes.data(), bytes.size()));
    CHILD_REQUIRE(set_limit(RLIMIT_NOFILE, 256));
    CHILD_REQUIRE(loads(kImage, 0) && loads(bytes.data(), bytes.size()));
    return 0;
}

TEST(Limits, WithoutDescriptorsTheImageIsNotInvalid) {
    const Outcome outcome = run_self_as("no_descriptors");
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
}

// Sanitizers reserve terabytes of address space.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
GS_CHILD(no_address_space) {
    // A copy under another name: what is loaded already needs no space.
    const std::vector<char> bytes = image();
    const std::string path = ::testing::TempDir() + "gpustream-limits-" + std::to_string(getpid()) + ".so";
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    CHILD_REQUIRE(gs_init() == GS_OK);
    CHILD_REQUIRE(refused(GS_ERROR_INVALID_ARGUMENT, "/nonexistent.so", 0)); // allocates what a failure needs
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit before{};
    CHILD_REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
    CHILD_REQUIRE(set_limit(RLIMIT_AS, static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE))));
    const bool by_path = refused(GS_ERROR_OUT_OF_MEMORY, path.c_str(), 0);
    const bool by_bytes = refused(GS_ERROR_OUT_OF_MEMORY, bytes.data(), bytes.size());
    CHILD_REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
    CHILD_REQUIRE(by_path && by_bytes);
    CHILD_REQUIRE(loads(path.c_str(), 0));
    unlink(path.c_str());
    return 0;
}

TEST(Limits, WithoutAddressSpaceTheImageIsNotInvalid) {
    const Outcome outcome = run_self_as("no_address_space");
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
}
#endif

} // namespace
} // namespace gs::test
