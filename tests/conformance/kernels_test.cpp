// SPDX-License-Identifier: Apache-2.0
// Modules and kernels.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "conformance/conformance.hpp"
#include "conformance/kernels.hpp"
#include "support/launches.hpp"

namespace gs::test {
namespace {

Module load(gs_backend_t kind, gs_device_t device = GS_DEVICE_CURRENT) {
    gs_module_t module = nullptr;
    if (kind == GS_BACKEND_HOST)
        EXPECT_OK(gs_module_load(device, GS_TEST_HOST_KERNELS, 0, &module));
    else
        EXPECT_OK(gs_module_load(device, kPtx, sizeof kPtx, &module));
    return Module(module);
}

gs_kernel_t kernel_of(gs_module_t module, const char *name) {
    gs_kernel_t kernel = nullptr;
    EXPECT_OK(gs_module_get_kernel(module, name, &kernel));
    return kernel;
}

// 32-bit numbers that kernels can write and the host read.
class CopiedWords {
public:
    explicit CopiedWords(size_t count) : bytes_(count * sizeof(uint32_t)) {}
    uint32_t *data() { return reinterpret_cast<uint32_t *>(bytes_.at(0)); }
    uint32_t operator[](size_t i) {
        uint32_t value = 0;
        std::memcpy(&value, bytes_.at(i * sizeof value), sizeof value);
        return value;
    }

private:
    Bytes bytes_;
};

} // namespace

TEST_P(Conformance, RowWork_KernelsRunOncePerBlock) {
    Module module = load(GetParam());
    const gs_kernel_t kernel = kernel_of(module, "fill_index");
    EXPECT_EQ(kernel_of(module, "fill_index"), kernel) << "the same name yields the same handle";
    constexpr uint32_t kCount = 1000;
    CopiedWords words(kCount);
    Stream stream = make_stream();
    uint32_t *out = words.data();
    uint32_t base = 70, count = kCount - 1;
    void *arguments[] = {&out, &base, &count};
    const gs_launch_config_t config = launch_of(8, 128); // 1024 threads
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_kernel_launch(kernel, &config, arguments, stream));
    base = 0; // copied at launch, since the kernel exports its argument sizes
    out = nullptr;
    gate.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    for (uint32_t i = 0; i < count; ++i) ASSERT_EQ(words[i], 70 + i);
    EXPECT_EQ(words[kCount - 1], 0u) << "beyond the end";
}

TEST_P(Conformance, RowWork_KernelsKeepStreamOrder) {
    Module module = load(GetParam());
    const gs_kernel_t kernel = kernel_of(module, "add_one");
    CopiedWords words(1);
    uint32_t *counter = words.data();
    void *arguments[] = {&counter};
    const gs_launch_config_t config = launch_of(4, 32);
    Stream a = make_stream(), b = make_stream();
    Event event = make_event();
    for (int i = 0; i < 100; ++i) { // without the waits two streams would lose increments
        const gs_stream_t stream = i % 2 ? a.get() : b.get();
        const gs_stream_t next = i % 2 ? b.get() : a.get();
        ASSERT_OK(gs_kernel_launch(kernel, &config, arguments, stream));
        ASSERT_OK(gs_event_record(event, stream));
        ASSERT_OK(gs_event_wait(event, next));
    }
    ASSERT_OK(gs_device_synchronize(GS_DEVICE_CURRENT));
    EXPECT_EQ(words[0], 100u);
}

TEST_P(Conformance, RowWork_SharedMemory) {
    Module module = load(GetParam());
    const gs_kernel_t kernel = kernel_of(module, "scratch");
    CopiedWords words(1);
    uint32_t *seen = words.data();
    void *arguments[] = {&seen};
    for (const uint32_t bytes : {4096u, 0u}) {
        const gs_launch_config_t config = launch_of(1, 1, bytes);
        ASSERT_OK(gs_kernel_launch(kernel, &config, arguments, GS_STREAM_CURRENT));
        ASSERT_OK(gs_stream_synchronize(default_stream()));
        EXPECT_EQ(words[0], bytes);
    }
}

TEST_P(Conformance, RowWork_ImagesFromMemoryAndFromFiles) {
    std::vector<char> image;
    std::FILE *file = std::fopen(GS_TEST_HOST_KERNELS, "rb");
    ASSERT_NE(file, nullptr);
    for (char block[4096]; const size_t count = std::fread(block, 1, sizeof block, file);)
        image.insert(image.end(), block, block + count);
    std::fclose(file);
    if (on_cuda()) image.assign(kPtx, kPtx + sizeof kPtx);
    gs_module_t module = nullptr;
    ASSERT_OK(gs_module_load(0, image.data(), image.size(), &module));
    Module owner(module);
    image.assign(image.size(), 'x'); // not needed after the call
    CopiedWords words(1);
    uint32_t *counter = words.data();
    void *arguments[] = {&counter};
    const gs_launch_config_t config = launch_of(1, 1);
    ASSERT_OK(gs_kernel_launch(kernel_of(module, "add_one"), &config, arguments, default_stream(0)));
    ASSERT_OK(gs_stream_synchronize(default_stream(0)));
    EXPECT_EQ(words[0], 1u);
}

TEST_P(Conformance, RowWork_KernelsDieWithTheirModule) {
    gs_module_t module = load(GetParam()).release();
    const gs_kernel_t kernel = kernel_of(module, "add_one");
    const gs_launch_config_t config = launch_of(1, 1);
    ASSERT_OK(gs_module_destroy(module));
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_kernel_launch, "has ended with its module", kernel, &config, nullptr,
                 GS_STREAM_CURRENT);
    gs_kernel_t again = nullptr;
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_module_get_kernel, "was destroyed", module, "add_one", &again);
    EXPECT_EQ(again, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_module_destroy, "was destroyed", module);
}

TEST_P(Conformance, BadInput_Launches) {
    Module module = load(GetParam());
    const gs_kernel_t kernel = kernel_of(module, "add_one");
    gs_kernel_t none = nullptr;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_module_get_kernel, "no_such_kernel", module, "no_such_kernel", &none);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_module_get_kernel, "name", module, nullptr, &none);
    CopiedWords words(1);
    uint32_t *counter = words.data();
    void *arguments[] = {&counter};
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_kernel_launch, "config", kernel, nullptr, arguments, GS_STREAM_CURRENT);
    uint32_t gs_launch_config_t::*const dimensions[] = {&gs_launch_config_t::grid_x,  &gs_launch_config_t::grid_y,
                                                        &gs_launch_config_t::grid_z,  &gs_launch_config_t::block_x,
                                                        &gs_launch_config_t::block_y, &gs_launch_config_t::block_z};
    for (const auto dimension : dimensions) {
        gs_launch_config_t config = launch_of(1, 1);
        config.*dimension = 0;
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_kernel_launch(kernel, &config, arguments, GS_STREAM_CURRENT));
    }
    gs_launch_config_t config = launch_of(1, 1);
    for (const uint32_t size : {0u, 7u, 65537u}) {
        config.struct_size = size;
        EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_kernel_launch, "struct_size", kernel, &config, arguments,
                     GS_STREAM_CURRENT);
    }
    struct Newer {
        gs_launch_config_t known;
        uint32_t later;
    } newer{launch_of(1, 1), 0};
    newer.known.struct_size = sizeof newer;
    EXPECT_OK(gs_kernel_launch(kernel, &newer.known, arguments, GS_STREAM_CURRENT));
    newer.later = 1;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_kernel_launch, "this version knows only", kernel, &newer.known,
                 arguments, GS_STREAM_CURRENT);
    config = launch_of(1, 1);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_kernel_launch(nullptr, &config, arguments, GS_STREAM_CURRENT));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_kernel_launch(kernel, &config, arguments, nullptr));
    EXPECT_OK(gs_stream_synchronize(default_stream()));
    EXPECT_EQ(words[0], 1u) << "only the one good launch ran";
}

TEST_P(Conformance, BadInput_LaunchOnAnotherDevice) {
    GS_NEEDS_DEVICES(2);
    Module module = load(GetParam(), 0);
    Stream there = make_stream(1);
    const gs_launch_config_t config = launch_of(1, 1);
    EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_kernel_launch, "add_one", kernel_of(module, "add_one"), &config, nullptr,
                 there);
}

TEST_P(Conformance, BadInput_Modules) {
    gs_module_t module = nullptr;
    const char garbage[] = "this is no image of any kind";
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_module_load, "image", 0, nullptr, 0, &module);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_module_load, "/no/such/file", 0, "/no/such/file", 0, &module);
    EXPECT_FAILS(GS_ERROR_INVALID_DEVICE, gs_module_load, "99", 99, garbage, sizeof garbage, &module);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_module_load(0, garbage, sizeof garbage, &module));
    EXPECT_EQ(module, nullptr);
}

} // namespace gs::test
