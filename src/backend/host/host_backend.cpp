// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_backend.hpp"

#include <algorithm>
#include <cstring>

#include "backend/host/engine/machine.hpp"
#include "backend/host/host_launch.hpp"
#include "backend/host/status_map.hpp"
#include "base/env.hpp"
#include "base/shared_file.hpp"

namespace gs {

Backend &host_backend() noexcept { return host::instance(); }

namespace host {
namespace {

constexpr int32_t kDefaultDevices = 2;
constexpr int32_t kMostDevices = 64;
constexpr int32_t kDefaultMostWorkers = 8;
constexpr int32_t kMostWorkers = 1024;

constinit HostBackend g_backend;

} // namespace

HostBackend &instance() noexcept { return g_backend; }

void count_operation() noexcept {
    if (ThreadBlock *thread = this_thread()) thread->counters.driver_calls.add();
}

int32_t HostBackend::probe_device_count() noexcept {
    return static_cast<int32_t>(env_number(Variable::HostDevices, kDefaultDevices, 1, kMostDevices));
}

Status HostBackend::start() noexcept {
    if (engine()) return kOk;
    EngineOptions options;
    options.devices = probe_device_count();
    const int32_t processors = std::min(usable_processors(), kDefaultMostWorkers);
    options.workers = static_cast<int32_t>(env_number(Variable::HostWorkers, processors, 1, kMostWorkers));
    GS_TRY(shared_directory(&options.shm_directory));
    Engine *made = Engine::create(options);
    if (!made) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the host backend's %d devices", options.devices);
    engine_.store(made, std::memory_order_release);
    return kOk;
}

int32_t HostBackend::device_count() const noexcept {
    const Engine *made = engine_.load(std::memory_order_acquire);
    return made ? made->device_count() : 0;
}

Status HostBackend::device_info(int32_t ordinal, gs_device_info_t *out) noexcept {
    gs_device_info_t info{};
    info.struct_size = sizeof info;
    info.ordinal = ordinal;
    info.backend = GS_BACKEND_HOST;
    info.multiprocessor_count = usable_processors();
    info.warp_size = 1;
    info.max_threads_per_block = kMaxThreadsPerBlock;
    info.max_threads_per_multiprocessor = kMaxThreadsPerBlock;
    info.clock_khz = processor_clock_khz();
    info.integrated = 1;
    info.has_uuid = device_uuid(ordinal, info.uuid) ? 1 : 0; // one-sided: every machine has an id or a name
    info.priority_least = kLeastPriority;
    info.priority_greatest = kGreatestPriority;
    info.total_memory_bytes = physical_memory_bytes();
    info.l2_cache_bytes = second_level_cache_bytes();
    info.shared_memory_per_block_bytes = kMaxSharedBytes;
    info.shared_memory_per_block_optin_bytes = kMaxSharedBytes;
    info.shared_memory_per_multiprocessor_bytes = kMaxSharedBytes;
    processor_name(info.name, sizeof info.name);
    *out = info;
    return kOk;
}

Status HostBackend::priority_range(int32_t, int32_t *out_least, int32_t *out_greatest) noexcept {
    *out_least = kLeastPriority;
    *out_greatest = kGreatestPriority;
    return kOk;
}

// Virtual devices share the process's memory.
Status HostBackend::can_access_peer(int32_t ordinal, int32_t peer, bool *out) noexcept {
    *out = ordinal != peer;
    return kOk;
}

Status HostBackend::device_synchronize(int32_t ordinal) noexcept {
    count_operation();
    return answer(running().device_synchronize(device(ordinal)), device(ordinal), "device_synchronize");
}

Status HostBackend::device_check(int32_t ordinal) noexcept {
    count_operation();
    return health(ordinal);
}

Status HostBackend::reset_begin(int32_t ordinal, bool *out_begun) noexcept {
    count_operation();
    GS_TRY(health(ordinal));
    if (!running().latch(device(ordinal), FaultKind::ContextLost, 0, "gs_device_reset")) return health(ordinal);
    *out_begun = true;
    return kOk;
}

// The blocks of the device's memory stay: kernels and copies of other devices may reach them.
Status HostBackend::reset_end(int32_t) noexcept {
    count_operation();
    return kOk;
}

const std::atomic<uint32_t> *HostBackend::health_flag(int32_t ordinal) noexcept { return &device(ordinal).health; }

Status HostBackend::health(int32_t ordinal) noexcept {
    return answer(health_of(device(ordinal)), device(ordinal), "device_check");
}

// No driver, no contexts: the current device is the library's own state.
int32_t HostBackend::current_ordinal(ThreadBlock &) noexcept { return -1; }

bool HostBackend::has_context(int32_t) noexcept { return engine() != nullptr; }

Status HostBackend::make_current(ThreadBlock &, int32_t, uintptr_t *out_previous, bool *out_changed) noexcept {
    *out_previous = 0;
    *out_changed = false;
    return kOk;
}

Status HostBackend::restore_current(ThreadBlock &, uintptr_t) noexcept { return kOk; }

const char *HostBackend::native_text(int32_t native) const noexcept { return result_text(native); }

Status HostBackend::answer(Result result, Device &device, const char *operation) noexcept {
    return to_status(running(), device, result, operation);
}

} // namespace host
} // namespace gs
