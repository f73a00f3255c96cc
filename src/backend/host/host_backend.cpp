// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_backend.hpp"

#include <algorithm>
#include <cstring>

#include "backend/host/engine/machine.hpp"
#include "backend/host/host_module.hpp"
#include "base/env.hpp"
#include "base/shared_file.hpp"
#include "base/thread_block.hpp"

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

bool HostBackend::has_context(int32_t ordinal) noexcept {
    return engine() != nullptr && health_of(device(ordinal)) != Result::ContextLost;
}

Status HostBackend::make_current(ThreadBlock &, int32_t ordinal, uintptr_t *out_previous, bool *out_changed) noexcept {
    *out_previous = 0;
    *out_changed = false;
    return has_context(ordinal) ? kOk : health(ordinal); // one in error can be current
}

Status HostBackend::restore_current(ThreadBlock &, uintptr_t) noexcept { return kOk; }

Status HostBackend::answer(Result result, Device &device, const char *operation) noexcept {
    return to_status(running(), device, result, operation);
}

namespace {

struct Entry {
    Result result;
    gs_status_t status;
    const char *text;
};

constexpr Entry kEntries[] = {
    {Result::Ok, GS_OK, "success"},
    {Result::NotReady, GS_NOT_READY, "the work is pending"},
    {Result::InvalidValue, GS_ERROR_INVALID_ARGUMENT, "an argument is out of its range"},
    {Result::NotRecorded, GS_ERROR_NOT_RECORDED, "the event was never recorded"},
    {Result::TimingDisabled, GS_ERROR_TIMING_DISABLED, "the event takes no time stamps"},
    {Result::OutOfMemory, GS_ERROR_OUT_OF_MEMORY, "memory is exhausted"},
    {Result::NoRoom, GS_ERROR_OUT_OF_MEMORY, "shared memory is exhausted"},
    {Result::System, GS_ERROR_SYSTEM, "a system call failed"},
    {Result::Faulted, GS_ERROR_STICKY, "the virtual device is in error"},
    {Result::ContextLost, GS_ERROR_CONTEXT_LOST, "the virtual device was reset"},
    {Result::StreamCapturing, GS_ERROR_CAPTURING, "the stream is being captured: end the capture first"},
    {Result::CaptureInvalidated, GS_ERROR_CAPTURING,
     "the stream's capture was broken by an earlier call: end it on the stream where it began"},
    {Result::CaptureUnmatched, GS_ERROR_CAPTURING,
     "the stream has joined a capture that began on another stream: end it there"},
    {Result::CaptureUnjoined, GS_ERROR_CAPTURING,
     "a stream of the capture was not joined to the one where it began: make that one wait for it before the end"},
    {Result::CaptureThread, GS_ERROR_CAPTURING, "the capture was begun by another thread, which must end it"},
    {Result::CaptureEnded, GS_ERROR_CAPTURING,
     "the event was last recorded in a capture that has ended: it has no state before its next record"},
    {Result::HasExecutable, GS_ERROR_NOT_SUPPORTED,
     "a graph with conditional nodes, or that allocates or frees memory, has one executable at a time: destroy the "
     "other first"},
    {Result::MemoryLeft, GS_ERROR_INVALID_ARGUMENT, "memory that an earlier launch allocated has not been freed"},
    {Result::NothingToFree, GS_ERROR_INVALID_ARGUMENT,
     "the graph frees memory that another graph has to allocate first"},
    {Result::GraphChanged, GS_ERROR_INVALID_ARGUMENT, "the graph differs in more than parameters"},
    {Result::CaptureMerge, GS_ERROR_CAPTURING, "the wait would join two captures"},
    {Result::CaptureIsolation, GS_ERROR_CAPTURING,
     "a captured stream cannot wait for work outside of its capture: wait before the capture begins"},
    {Result::CaptureImplicit, GS_ERROR_CAPTURING,
     "the default stream cannot be used while a blocking stream is being captured"},
    {Result::CapturedEvent, GS_ERROR_CAPTURING, "the event was last recorded in a capture"},
    {Result::NotCapturing, GS_ERROR_INVALID_ARGUMENT, "the stream is not being captured"},
    {Result::NotSupported, GS_ERROR_NOT_SUPPORTED,
     "an event cannot be opened by the process that exported it, nor exported by one that opened it"},
    {Result::InterprocessRecord, GS_ERROR_NOT_SUPPORTED, "a graph cannot record an interprocess event"},
    {Result::NotAHandle, GS_ERROR_INVALID_ARGUMENT, "the bytes are not an exported event"},
    {Result::WrongDevice, GS_ERROR_DEVICE_MISMATCH, "the event was exported from another device"},
    {Result::PeerLost, GS_ERROR_PEER_LOST,
     "the other process of an interprocess event is gone, or dropped the work before its record"},
};

const Entry &entry_of(Result result) noexcept {
    for (const Entry &entry : kEntries)
        if (entry.result == result) return entry;
    return kEntries[0];
}

} // namespace

const char *HostBackend::native_text(int32_t result) const noexcept {
    for (const Entry &entry : kEntries)
        if (static_cast<int32_t>(entry.result) == result) return entry.text;
    return nullptr;
}

Status failure(Engine &engine, Device &device, Result result, const char *operation) noexcept {
    const Entry &entry = entry_of(result);
    const NativeError native{GS_BACKEND_HOST, static_cast<int32_t>(result), operation};
    if (result == Result::NotReady) return {GS_NOT_READY};
    if (result == Result::System || result == Result::NoRoom) {
        // The pending record has the detail already, with its own code: out of memory may be why a thread did not start.
        const ThreadBlock *thread = this_thread();
        return {thread && thread->pending.status != GS_OK ? thread->pending.status : entry.status};
    }
    if (result == Result::Faulted || result == Result::ContextLost) {
        const Fault fault = engine.fault(device);
        return fail_sticky(entry.status, native, fault.origin, "host device %d: %s (code %d, first seen at %s)",
                           device.ordinal, entry.text, fault.code, fault.origin);
    }
    return fail_native(entry.status, native, "host device %d: %s", device.ordinal, entry.text);
}

// Telemetry. The virtual devices are the machine: each has its load, memory and temperature.

namespace {

Status check_ordinal(int32_t ordinal, int32_t count) noexcept {
    if (ordinal < count) return kOk;
    return fail(GS_ERROR_INVALID_DEVICE, "device %d does not exist: the host backend has %d device(s)", ordinal, count);
}

Status not_told(const char *what) noexcept {
    return fail(GS_ERROR_NOT_SUPPORTED, "the operating system does not report %s", what);
}

Status read_memory(bool percent, gs_telemetry_t *out) noexcept {
    MachineMemory memory{};
    if (!machine_memory(&memory)) return not_told("how full the memory is");
    const uint64_t used = memory.total - memory.available;
    if (percent)
        out->memory_utilization_percent = static_cast<int32_t>(100 * used / memory.total);
    else
        inventory::set_memory(used, memory.available, memory.total, out);
    return kOk;
}

Status read_field(uint32_t field, gs_telemetry_t *out) noexcept {
    switch (field) {
    case GS_TELEMETRY_UTILIZATION: return load_percent(&out->utilization_percent) ? kOk : not_told("its load");
    case GS_TELEMETRY_MEMORY_UTILIZATION: return read_memory(true, out);
    case GS_TELEMETRY_TEMPERATURE:
        return warmest_zone_celsius(&out->temperature_celsius) ? kOk : not_told("a temperature");
    case GS_TELEMETRY_POWER: return not_told("the power it draws");
    case GS_TELEMETRY_SM_CLOCK: return present_clock_mhz(&out->sm_clock_mhz) ? kOk : not_told("a clock");
    default: return read_memory(false, out);
    }
}

} // namespace

Status HostBackend::measure(int32_t ordinal, uint32_t fields, gs_telemetry_t *out) noexcept {
    GS_TRY(check_ordinal(ordinal, probe_device_count()));
    return inventory::read_fields(fields, out, [out](uint32_t field) { return read_field(field, out); });
}

Status HostBackend::inventory_index(int32_t ordinal, int32_t *) noexcept {
    GS_TRY(check_ordinal(ordinal, probe_device_count()));
    return fail(GS_ERROR_NOT_SUPPORTED, "the inventory lists GPUs, and the devices of the host backend are not GPUs");
}

} // namespace host
} // namespace gs
