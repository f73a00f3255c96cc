// SPDX-License-Identifier: Apache-2.0
#include "support/objects.hpp"

#include <cstdlib>
#include <map>
#include <mutex>

namespace gs::test {
namespace {

constexpr char kCopyPtx[] = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry gs_test_copy_byte(.param .u64 to, .param .u64 from)
{
    .reg .b64 %rd<3>;
    .reg .b16 %rs<2>;
    ld.param.u64 %rd1, [to];
    ld.param.u64 %rd2, [from];
    ld.u8 %rs1, [%rd2];
    st.u8 [%rd1], %rs1;
    ret;
}
)";

// A real CUDA driver; the host backend and the fake driver copy in stream order.
bool on_real_gpu() {
    gs_backend_t backend = GS_BACKEND_DEFAULT;
    EXPECT_OK(gs_default_backend(&backend));
    return backend == GS_BACKEND_CUDA && std::getenv("GPUSTREAM_LIBCUDA") == nullptr;
}

gs_kernel_t copy_kernel(gs_device_t device) {
    static std::mutex mutex;
    static std::map<gs_device_t, gs_kernel_t> kernels; // live as long as the process, like their modules
    std::lock_guard<std::mutex> lock(mutex);
    gs_kernel_t &kernel = kernels[device];
    if (kernel) return kernel;
    gs_module_t module = nullptr;
    EXPECT_OK(gs_module_load(device, kCopyPtx, sizeof kCopyPtx, &module));
    EXPECT_OK(gs_module_get_kernel(module, "gs_test_copy_byte", &kernel));
    return kernel;
}

} // namespace

void prepare_kernels() {
    static const bool prepared = [] {
        int32_t count = 0;
        EXPECT_OK(gs_device_count(GS_BACKEND_DEFAULT, &count));
        for (gs_device_t device = 0; on_real_gpu() && device < count; ++device) {
            copy_kernel(device);
            EXPECT_OK(gs_stream_sleep(default_stream(device), 1));
            EXPECT_OK(gs_stream_synchronize(default_stream(device)));
        }
        return true;
    }();
    (void)prepared;
}

void copy_byte(gs_stream_t stream, unsigned char *to, const unsigned char *from) {
    if (!on_real_gpu()) {
        EXPECT_OK(gs_memcpy_async(to, from, 1, stream));
        return;
    }
    gs_device_t device = GS_DEVICE_CURRENT;
    if (stream == GS_STREAM_CURRENT)
        EXPECT_OK(gs_current_device(&device));
    else
        EXPECT_OK(gs_stream_device(stream, &device));
    gs_launch_config_t config{};
    config.struct_size = sizeof config;
    config.grid_x = config.grid_y = config.grid_z = 1;
    config.block_x = config.block_y = config.block_z = 1;
    void *arguments[] = {&to, &from};
    EXPECT_OK(gs_kernel_launch(copy_kernel(device), &config, arguments, stream));
}

} // namespace gs::test
