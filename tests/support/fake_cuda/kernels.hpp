// SPDX-License-Identifier: Apache-2.0
// The kernels that the fake driver can run: known by name, written in C++.
#pragma once

#include <cstring>

#include "fake_cuda/world.hpp"

namespace fake {

using KernelBody = void (*)(const fake_cuda_launch_t *launch, void **arguments);

void register_builtin_kernels();
void register_kernel(const char *name, const size_t *bytes, size_t count, KernelBody body);

struct KernelImplementation {
    std::vector<size_t> parameters;
    KernelBody body = nullptr; // nullptr: the delay of gs_stream_sleep
    uint64_t delay(void **arguments) const {
        uint64_t cycles = 0;
        std::memcpy(&cycles, arguments[0], sizeof cycles);
        return cycles;
    }
};
const KernelImplementation *find_kernel(const std::string &name);

// A launch of a kernel: in a stream, or as a node.
struct KernelLaunch {
    const Kernel *kernel;
    const KernelImplementation *implementation;
    fake_cuda_launch_t configuration;
    std::vector<std::vector<unsigned char>> values; // of the arguments, copied as the driver does
    std::vector<void *> pointers;                   // to them
};
// Checks handle, geometry and that the fake can run it.
CUresult check_launch(CUfunction handle, const fake_cuda_launch_t &configuration, Kernel **out_kernel,
                      const KernelImplementation **out_implementation);
CUresult find_function(CUfunction handle, Kernel **out);
std::unique_ptr<KernelLaunch> prepare_launch(const Kernel &kernel, const KernelImplementation &implementation,
                                             const fake_cuda_launch_t &configuration, void **arguments);
engine::Result launch_kernel(engine::Stream &stream, std::unique_ptr<KernelLaunch> launch);
// What a node with that launch does; it has the launch from now on.
void to_body(std::unique_ptr<KernelLaunch> launch, engine::NodeBody *out);

struct HostFunction {
    CUhostFn fn;
    void *data;
};
engine::Task host_task(CUhostFn fn, void *data);

} // namespace fake
