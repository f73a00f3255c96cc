// SPDX-License-Identifier: Apache-2.0
// The kernels that the simulated driver runs: known by name, written in C++. Others take their time.
#pragma once

#include <functional>

#include "simulated/world.hpp"

namespace gs::simulated {

struct LaunchShape {
    uint32_t grid[3], block[3], shared_bytes;
};
using KernelBody = std::function<void(const LaunchShape &shape, void **arguments)>; // once for all blocks

struct KernelImplementation {
    std::vector<size_t> parameters;
    KernelBody body;         // empty: the delay of gs_stream_sleep
    bool takes_time = false; // and does nothing else
};
using Implementation = std::shared_ptr<const KernelImplementation>;

void register_kernel(const std::string &name, const std::vector<size_t> &parameters, KernelBody body);
// A kernel of world().kernels, or one that only takes its time. nullptr: it cannot be run.
Implementation find_kernel(Kernel &kernel);

// A launch of a kernel: in a stream, or as a node.
struct KernelLaunch {
    const Kernel *kernel;
    Implementation implementation;
    LaunchShape configuration;
    std::vector<std::vector<unsigned char>> values; // of the arguments, copied as the driver does
    std::vector<void *> pointers;                   // to them
    engine::Stream *stream = nullptr;               // while it runs
};
// By a kernel that runs: kernels launched as early need not wait for its end; it waits for the work ahead of it.
void trigger_launches();
void wait_for_earlier();

// Checks handle, geometry and that the kernel can run.
CUresult check_launch(CUfunction handle, const LaunchShape &configuration, Kernel **out_kernel,
                      Implementation *out_implementation);
CUresult find_function(CUfunction handle, Kernel **out);
std::unique_ptr<KernelLaunch> prepare_launch(const Kernel &kernel, const Implementation &implementation,
                                             const LaunchShape &configuration, void **arguments);
engine::Result launch_kernel(engine::Stream &stream, std::unique_ptr<KernelLaunch> launch,
                             const engine::LaunchTraits &traits);
// What a node with that launch does; it has the launch from now on.
void to_body(std::unique_ptr<KernelLaunch> launch, engine::NodeBody *out);

struct HostFunction {
    CUhostFn fn;
    void *data;
};
engine::Task host_task(CUhostFn fn, void *data);

} // namespace gs::simulated
