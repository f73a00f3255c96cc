// SPDX-License-Identifier: Apache-2.0
// The geometry of a launch along one dimension, without attributes.
#pragma once

#include <gpustream.h>

namespace gs::test {

constexpr gs_launch_config_t launch_of(uint32_t blocks, uint32_t threads, uint32_t shared = 0) {
    gs_launch_config_t config{};
    config.struct_size = sizeof config;
    config.grid_x = blocks;
    config.block_x = threads;
    config.grid_y = config.grid_z = config.block_y = config.block_z = 1;
    config.shared_memory_bytes = shared;
    return config;
}

} // namespace gs::test
