// SPDX-License-Identifier: Apache-2.0
// One launch of a host kernel: checked and packed by the caller's thread, run by a worker.
#pragma once

#include <cstdint>

#include "backend/host/engine/graph/graph.hpp"
#include "backend/host/host_module.hpp"

namespace gs::host {

struct Device;
class Engine;

inline constexpr uint32_t kMaxThreadsPerBlock = 1024;
inline constexpr uint32_t kMaxSharedBytes = 1u << 20;

// What a task of prepare_launch() is; without a kernel: another task.
struct LaunchView {
    Kernel *kernel;
    const gs_launch_config_t *config;
    void **arguments;
};
LaunchView view_launch(const Task &task) noexcept;

// Checks the geometry and packs the launch. task->drop frees all of it.
Status prepare_launch(Engine &engine, Kernel &kernel, const gs_launch_config_t &config, void **arguments,
                      const Device &device, Task *out) noexcept;
// What the attributes change in the engine.
LaunchTraits traits_of(const gs_launch_config_t &config) noexcept;

} // namespace gs::host
