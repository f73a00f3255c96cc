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

gpustream::module load(gpustream::device device) {
    if (device.backend() == gpustream::backend::host) return gpustream::module::load_file(device, host_module_path());
    return gpustream::module::load(device, kKernelPtx, std::strlen(kKernelPtx) + 1);
}

} // namespace

Kernels::Kernels(gpustream::device device) : module_(load(device)), kernel_(module_.kernel("crc_and_histogram")) {}

gpustream::launch_config Kernels::config(uint32_t bytes) { return {{slice_count(bytes)}, {kThreadsPerBlock}}; }

void Kernels::launch(const void *data, uint32_t bytes, void *result) const {
    kernel_.launch(gpustream::stream_ref::current(), config(bytes), data, bytes, result);
}

} // namespace pipeline
