// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include <cstring>
#include <filesystem>

#include "failure.hpp"
#include "kernel_layout.hpp"

namespace pipeline {

extern const char kKernelPtx[]; // kernels.ptx

namespace {

// The host kernel is in the program's folder, also if that was moved.
std::string host_module_path() {
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) throw Failure(Exit::kDevice, "cannot read /proc/self/exe: " + error.message());
    return program.parent_path() / PIPELINE_KERNEL_FILE;
}

Module load(gs_device_t device) {
    gs_module_t module = nullptr;
    if (gs_device_backend(device) == GS_BACKEND_HOST) {
        check(gs_module_load(device, host_module_path().c_str(), 0, &module));
    } else {
        check(gs_module_load(device, kKernelPtx, std::strlen(kKernelPtx) + 1, &module));
    }
    return Module(module);
}

} // namespace

Kernels::Kernels(gs_device_t device) : module_(load(device)) {
    check(gs_module_get_kernel(module_.get(), "crc_and_histogram", &kernel_));
}

gs_launch_config_t Kernels::config(uint32_t bytes) {
    gs_launch_config_t config{};
    config.struct_size = sizeof config;
    config.grid_x = slice_count(bytes);
    config.grid_y = config.grid_z = 1;
    config.block_x = kThreadsPerBlock;
    config.block_y = config.block_z = 1;
    return config;
}

void Kernels::launch(const void *data, uint32_t bytes, void *result) const {
    const gs_launch_config_t config = Kernels::config(bytes);
    void *arguments[] = {&data, &bytes, &result};
    check(gs_kernel_launch(kernel_, &config, arguments, GS_STREAM_CURRENT));
}

} // namespace pipeline
