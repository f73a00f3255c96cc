// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_module.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "backend/host/engine/engine.hpp"
#include "backend/host/engine/machine.hpp"
#include "backend/host/engine/virtual_device.hpp"
#include "base/thread_block.hpp"

namespace gs::host {
namespace {

constexpr uint32_t kMaxGridX = 0x7fffffff;
constexpr uint32_t kMaxGridYZ = 65535;

constexpr size_t kAlignment = alignof(max_align_t);

struct Launch {
    Engine *engine;
    Kernel *kernel;
    const Device *device;
    gs_launch_config_t config;
    void **arguments; // behind this struct if copied
    void *shared_memory;
    size_t bytes;             // with the arguments
    Stream *stream = nullptr; // while it runs
    bool is_last_block = false;
};

size_t padded(size_t bytes) noexcept { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

void drop(void *opaque) noexcept;

// For one run of a captured launch: a kernel may write to its arguments.
void *copy(const void *opaque) noexcept {
    const auto &from = *static_cast<const Launch *>(opaque);
    void *memory = std::malloc(from.bytes);
    void *shared = nullptr;
    if (!memory || (from.shared_memory && posix_memalign(&shared, 256, from.config.shared_memory_bytes) != 0)) {
        std::free(memory);
        return nullptr;
    }
    std::memcpy(memory, opaque, from.bytes);
    auto *launch = static_cast<Launch *>(memory);
    launch->shared_memory = shared;
    if (from.kernel->sizes) {
        const auto move = reinterpret_cast<char *>(launch) - static_cast<const char *>(opaque);
        launch->arguments = reinterpret_cast<void **>(reinterpret_cast<char *>(launch->arguments) + move);
        for (size_t i = 0; i < from.kernel->arguments; ++i)
            launch->arguments[i] = static_cast<char *>(launch->arguments[i]) + move;
    }
    from.kernel->module->refs.retain();
    return launch;
}

// Copies the values behind the table of pointers to them.
void copy_arguments(Launch &launch, void **arguments) noexcept {
    const Kernel &kernel = *launch.kernel;
    char *place = reinterpret_cast<char *>(&launch) + padded(sizeof(Launch));
    launch.arguments = reinterpret_cast<void **>(place);
    place += padded(kernel.arguments * sizeof(void *));
    for (size_t i = 0; i < kernel.arguments; ++i) {
        std::memcpy(place, arguments[i], kernel.sizes[i]);
        launch.arguments[i] = place;
        place += padded(kernel.sizes[i]);
    }
}

void start(void *opaque, Stream &stream) noexcept { static_cast<Launch *>(opaque)->stream = &stream; }

// Blocks run one after the other: the others have returned when the last one calls it.
void trigger(void *opaque) noexcept {
    auto &launch = *static_cast<Launch *>(opaque);
    if (launch.is_last_block) launch.engine->trigger(*launch.stream);
}

void wait_for_earlier(void *opaque) noexcept {
    const Stream &stream = *static_cast<Launch *>(opaque)->stream;
    if (stream.behind) (void)Engine::wait_done(*stream.device, *stream.behind, false);
}

void run(void *opaque) noexcept {
    auto &launch = *static_cast<Launch *>(opaque);
    const gs_launch_config_t &config = launch.config;
    gs_kernel_context_t context{};
    context.struct_size = sizeof context;
    context.grid_dim_x = config.grid_x;
    context.grid_dim_y = config.grid_y;
    context.grid_dim_z = config.grid_z;
    context.block_dim_x = config.block_x;
    context.block_dim_y = config.block_y;
    context.block_dim_z = config.block_z;
    context.shared_memory_bytes = config.shared_memory_bytes;
    context.shared_memory = launch.shared_memory;
    context.launch = opaque;
    context.trigger = trigger;
    context.wait_for_earlier = wait_for_earlier;
    const InsideCallback inside; // the rule for host functions holds for kernels: they must not call the library
    for (uint32_t z = 0; z < config.grid_z; ++z)
        for (uint32_t y = 0; y < config.grid_y; ++y)
            for (uint32_t x = 0; x < config.grid_x && health_of(*launch.device) == Result::Ok; ++x) {
                context.block_x = x;
                context.block_y = y;
                context.block_z = z;
                launch.is_last_block = x + 1 == config.grid_x && y + 1 == config.grid_y && z + 1 == config.grid_z;
                if (launch.shared_memory) std::memset(launch.shared_memory, 0, config.shared_memory_bytes);
                gs_kernel_context_t own = context; // what a kernel writes there is not seen by other blocks
                launch.kernel->entry(&own, launch.arguments);
            }
}

void drop(void *opaque) noexcept {
    auto *launch = static_cast<Launch *>(opaque);
    release_module(*launch->kernel->module);
    std::free(launch->shared_memory);
    std::free(launch);
}

Status check_cooperative(const gs_launch_config_t &config, uint64_t threads) noexcept {
    const uint64_t fit = static_cast<uint64_t>(usable_processors()) * (kMaxThreadsPerBlock / threads);
    if (uint64_t{config.grid_x} * config.grid_y * config.grid_z <= fit) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT,
                "a cooperative grid of %u x %u x %u blocks: at most %llu of them run at the same time on the device; "
                "launch fewer, which loop",
                config.grid_x, config.grid_y, config.grid_z, static_cast<unsigned long long>(fit));
}

Status check(const gs_launch_config_t &config) noexcept {
    const uint64_t threads = uint64_t{config.block_x} * config.block_y;
    if (config.grid_x == 0 || config.grid_y == 0 || config.grid_z == 0 || config.grid_x > kMaxGridX ||
        config.grid_y > kMaxGridYZ || config.grid_z > kMaxGridYZ)
        return fail(GS_ERROR_INVALID_ARGUMENT, "a grid of %u x %u x %u blocks is outside of 1..%u x 1..%u x 1..%u",
                    config.grid_x, config.grid_y, config.grid_z, kMaxGridX, kMaxGridYZ, kMaxGridYZ);
    if (threads == 0 || config.block_z == 0 || threads > kMaxThreadsPerBlock ||
        threads * config.block_z > kMaxThreadsPerBlock)
        return fail(GS_ERROR_INVALID_ARGUMENT, "a block of %u x %u x %u threads is outside of 1..%u threads",
                    config.block_x, config.block_y, config.block_z, kMaxThreadsPerBlock);
    if (config.shared_memory_bytes > kMaxSharedBytes)
        return fail(GS_ERROR_INVALID_ARGUMENT, "%u bytes of shared memory are more than %u", config.shared_memory_bytes,
                    kMaxSharedBytes);
    return (config.flags & GS_LAUNCH_COOPERATIVE) != 0 ? check_cooperative(config, threads * config.block_z) : kOk;
}

} // namespace

LaunchView view_launch(const Task &task) noexcept {
    if (task.run != run) return {nullptr, nullptr, nullptr};
    const auto &launch = *static_cast<const Launch *>(task.arg);
    return {launch.kernel, &launch.config, launch.arguments};
}

LaunchTraits traits_of(const gs_launch_config_t &config) noexcept {
    return {(config.flags & GS_LAUNCH_PROGRAMMATIC) != 0, (config.flags & GS_LAUNCH_PRIORITY) != 0,
            std::clamp(config.priority, kGreatestPriority, kLeastPriority)};
}

Status prepare_launch(Engine &engine, Kernel &kernel, const gs_launch_config_t &config, void **arguments,
                      const Device &device, Task *out) noexcept {
    GS_TRY(check(config));
    if (kernel.sizes && kernel.arguments > 0 && !arguments)
        return fail(GS_ERROR_INVALID_ARGUMENT, "the kernel takes %zu arguments, none were given", kernel.arguments);
    size_t bytes = padded(sizeof(Launch));
    if (kernel.sizes) bytes += padded(kernel.arguments * sizeof(void *)) + kernel.value_bytes;
    void *memory = std::malloc(bytes);
    void *shared = nullptr;
    const bool wants_shared = config.shared_memory_bytes > 0;
    if (!memory || (wants_shared && posix_memalign(&shared, 256, config.shared_memory_bytes) != 0)) {
        std::free(memory);
        return fail(GS_ERROR_OUT_OF_MEMORY,
                    "no memory for a launch with %zu bytes of arguments and %u of shared memory", bytes,
                    config.shared_memory_bytes);
    }
    auto *launch = new (memory) Launch{&engine, &kernel, &device, config, arguments, shared, bytes};
    if (kernel.sizes) copy_arguments(*launch, arguments);
    kernel.module->refs.retain();
    *out = {run, drop, launch, copy, start};
    return kOk;
}

} // namespace gs::host
