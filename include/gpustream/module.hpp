// SPDX-License-Identifier: Apache-2.0
// Kernels and their launches.
#pragma once

#include <string>

#include "refs.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// The sides of a grid or a block.
struct extent {
    uint32_t x = 1;
    uint32_t y = 1;
    uint32_t z = 1;
};

struct launch_config {
    extent grid;
    extent block;
    uint32_t shared_memory_bytes = 0;
    launch_flags flags = launch_flags::none;
    /// Blocks of a cluster; no clusters if all are 0.
    extent cluster{0, 0, 0};
    /// With launch_flags::priority.
    int32_t priority = 0;
    /// Recorded by the launch; it may be complete before the kernel is.
    event_ref programmatic_event{};

    gs_launch_config_t in_c() const noexcept {
        gs_launch_config_t config{};
        config.struct_size = sizeof config;
        config.grid_x = grid.x;
        config.grid_y = grid.y;
        config.grid_z = grid.z;
        config.block_x = block.x;
        config.block_y = block.y;
        config.block_z = block.z;
        config.shared_memory_bytes = shared_memory_bytes;
        config.flags = static_cast<uint32_t>(flags);
        config.cluster_x = cluster.x;
        config.cluster_y = cluster.y;
        config.cluster_z = cluster.z;
        config.priority = priority;
        config.programmatic_event = programmatic_event.get();
        return config;
    }
};

namespace detail {
/// The addresses of a kernel's arguments, as the C functions want them.
template <typename... Arguments>
struct kernel_arguments {
    static_assert((std::is_trivially_copyable_v<Arguments> && ...), "the driver copies arguments byte by byte");
    void *addresses[sizeof...(Arguments) + 1];
    explicit kernel_arguments(const Arguments &...arguments) noexcept
        : addresses{const_cast<void *>(static_cast<const volatile void *>(std::addressof(arguments)))..., nullptr} {}
};
} // namespace detail

/// One kernel, borrowed from its module.
class kernel : public detail::reference<gs_kernel_t> {
public:
    using reference::reference;

    /// The arguments' types must be those of the kernel's parameters. CUDA copies each during the call. The host backend copies
    /// those whose sizes the module states (docs/guide/host-backend.md); else the kernel reads them when it runs, so that no
    /// argument may be a temporary.
    template <typename... Arguments>
    outcome<void> launch(stream_ref stream, const launch_config &config, const Arguments &...arguments) const {
        detail::kernel_arguments<Arguments...> list(arguments...);
        const gs_launch_config_t in_c = config.in_c();
        return detail::done(gs_kernel_launch(get(), &in_c, list.addresses, stream.get()));
    }
};

namespace detail {
class module_ref : public reference<gs_module_t> {
public:
    using reference::reference;
    /// Lives as long as the module.
    outcome<gpustream::kernel> kernel(const char *name) const {
        gs_kernel_t handle = nullptr;
        const gs_status_t status = gs_module_get_kernel(get(), name, &handle);
        return value(status, gpustream::kernel(handle));
    }
    outcome<gpustream::kernel> kernel(const std::string &name) const { return kernel(name.c_str()); }
};
} // namespace detail

/// Kernels loaded on one device. Its end may block.
class module : public detail::owner<detail::module_ref, gs_module_t, gs_module_destroy> {
public:
    using owner::owner;
    /// PTX (with its terminating zero), cubin or fatbin in memory.
    static outcome<module> load(device on, const void *image, size_t bytes) {
        gs_module_t handle = nullptr;
        const gs_status_t status = detail::with_abi(gs_module_load, on.get(), image, bytes, &handle);
        return detail::value(status, module(handle));
    }
    /// A file; for the host backend a shared object.
    static outcome<module> load_file(device on, const std::string &path) { return load(on, path.c_str(), 0); }
};

GPUSTREAM_END_NAMESPACE
