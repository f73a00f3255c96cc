// SPDX-License-Identifier: Apache-2.0
// Modules in every form that a driver accepts, loaded and run: PTX, cubin, fat binary; from memory and from a file.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/images.hpp"
#include "support/launches.hpp"
#include "support/objects.hpp"

namespace gs::test {
namespace {

constexpr uint32_t kWords = 1000;

gs_device_info_t facts(gs_device_t device) {
    gs_device_info_t info{};
    info.struct_size = sizeof info;
    EXPECT_OK(gs_device_get_info(device, &info));
    return info;
}

// A cubin runs on devices of its own major version from its minor version on.
bool serves(const std::string &name, const gs_device_info_t &device) {
    const size_t at = name.find("sm_");
    if (at == std::string::npos) return true;
    const int version = std::stoi(name.substr(at + 3));
    return device.capability_major == version / 10 && device.capability_minor >= version % 10;
}

// Runs fill() of a module and checks every word.
void expect_fills(gs_module_t module, gs_device_t device, uint32_t value) {
    gs_kernel_t kernel = nullptr;
    ASSERT_OK(gs_module_get_kernel(module, "fill", &kernel));
    Stream stream = make_stream(device);
    void *words = nullptr, *pinned = nullptr;
    ASSERT_OK(gs_malloc_async(kWords * sizeof value, stream, &words));
    ASSERT_OK(gs_malloc_host(kWords * sizeof value, &pinned));
    uint32_t count = kWords;
    void *arguments[] = {&words, &count, &value};
    const gs_launch_config_t config = launch_of((kWords + 127) / 128, 128);
    ASSERT_OK(gs_kernel_launch(kernel, &config, arguments, stream));
    ASSERT_OK(gs_memcpy_async(pinned, words, kWords * sizeof value, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    const auto *seen = static_cast<const uint32_t *>(pinned);
    EXPECT_EQ(std::vector<uint32_t>(seen, seen + kWords), std::vector<uint32_t>(kWords, value));
    EXPECT_OK(gs_free_async(words, stream));
    EXPECT_OK(gs_free_host(pinned));
}

TEST(Images, EveryFormIsLoadedAndRun) {
    const gs_device_info_t device = facts(0);
    uint32_t value = 7;
    for (const std::string name : kImages) {
        SCOPED_TRACE(name);
        const std::vector<unsigned char> bytes = read_image(name);
        const bool usable = serves(name, device);
        for (const bool from_file : {false, true}) {
            gs_module_t module = nullptr;
            const std::string path = image_path(name);
            const gs_status_t status = from_file ? gs_module_load(0, path.c_str(), 0, &module)
                                                 : gs_module_load(0, bytes.data(), bytes.size(), &module);
            if (!usable) {
                EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, status);
                continue;
            }
            ASSERT_OK(status);
            expect_fills(module, 0, ++value);
            EXPECT_OK(gs_module_destroy(module));
        }
    }
}

} // namespace
} // namespace gs::test
