// SPDX-License-Identifier: Apache-2.0
// The kernels that the fake driver can run: known by name, written in C++.
#pragma once

#include "fake_cuda/world.hpp"

namespace fake {

using KernelBody = void (*)(const fake_cuda_launch_t *launch, void **arguments);

void register_builtin_kernels();
void register_kernel(const char *name, const size_t *bytes, size_t count, KernelBody body);

struct KernelImplementation {
    std::vector<size_t> parameters;
    KernelBody body = nullptr; // nullptr: the delay of gs_stream_sleep
};
const KernelImplementation *find_kernel(const std::string &name);

// Puts one launch into the stream.
engine::Result launch_kernel(engine::Stream &stream, const KernelImplementation &kernel,
                             const fake_cuda_launch_t &launch, void **arguments);

} // namespace fake
