// SPDX-License-Identifier: Apache-2.0
// Kernels of the host backend: functions of a shared object.
//
// The values of kernel arguments are copied at launch if the object exports `const size_t NAME_argument_sizes[]`, the
// sizes in bytes ended by 0. Otherwise their number and sizes are unknown. The array of pointers is then passed on as
// it is; the array and all that it points to must stay alive until the kernel has run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "backend/host/engine/graph/graph.hpp"
#include "base/free_list.hpp"
#include "base/lock.hpp"
#include "base/status.hpp"
#include "gpustream.h"

namespace gs::host {

// A shared object in memory, given a path that the loader can open. It disappears with this object, loaded or not.
class ImageFile {
public:
    ImageFile() noexcept = default;
    ~ImageFile() noexcept;
    ImageFile(const ImageFile &) = delete;
    ImageFile &operator=(const ImageFile &) = delete;

    Status write(const void *image, size_t bytes) noexcept;
    const char *path() const noexcept { return path_; }

private:
    Status create() noexcept;

    int fd_ = -1;
    bool unlink_ = false;
    char path_[256] = {};
};

#if defined(GPUSTREAM_TESTING)
// Test builds only: write() behaves as on a system without memfd_create.
inline constinit std::atomic<bool> g_without_memfd{false};
inline bool without_memfd() noexcept { return g_without_memfd.load(std::memory_order_relaxed); }
#else
constexpr bool without_memfd() noexcept { return false; }
#endif

struct Module;

struct Kernel {
    Module *module;
    void (*entry)(const gs_kernel_context_t *, void **);
    const size_t *sizes; // nullptr: not exported
    size_t arguments;
    size_t value_bytes; // with padding
    Kernel *next;
};

struct Module {
    RefCount refs; // its handle and the pending launches of its kernels
    void *library = nullptr;
    Mutex mutex;
    Kernel *kernels GS_GUARDED_BY(mutex) = nullptr;
};

Status load_module(const void *image, size_t bytes, Module **out) noexcept;
void release_module(Module &module) noexcept; // the last reference closes the shared object
Status find_kernel(Module &module, const char *name, Kernel **out) noexcept;

// One launch of a host kernel: checked and packed by the caller's thread, run by a worker.

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
