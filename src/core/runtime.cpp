// SPDX-License-Identifier: Apache-2.0
#include "core/runtime.hpp"

#include <algorithm>
#include <cstdio>
#include <new>

#include "backend/registry.hpp"
#include "base/fork_state.hpp"
#include "base/log.hpp"
#include "base/once_result.hpp"
#include "core/event/event_cache.hpp"
#include "core/stats.hpp"
#include "core/stream/stream_life.hpp"

namespace gs {

std::atomic<bool> g_initialized{false};
std::atomic<Device *> g_default_devices{nullptr};
std::atomic<uint32_t> g_default_device_count{0};

namespace {

struct Table {
    OnceResult built;
    std::atomic<Device *> devices{nullptr};
};
Table g_tables[kBackendKinds];
std::atomic<Backend *> g_default{nullptr};

struct Deferred {
    gs_status_t (*fn)(void *);
    void *arg;
    uint32_t number; // in order of gs_call_on_init, from 1
    Deferred *next;
};

Mutex g_queue_mutex; // never held while a deferred call runs
Deferred *g_queue_head GS_GUARDED_BY(g_queue_mutex) = nullptr;
Deferred **g_queue_tail GS_GUARDED_BY(g_queue_mutex) = &g_queue_head;
uint32_t g_queued GS_GUARDED_BY(g_queue_mutex) = 0;

Mutex g_init_mutex;                      // held through initialisation: a second thread waits for the first
std::atomic<uint64_t> g_initializing{0}; // serial of the thread inside

Status build_table(Backend &backend, Table &table) noexcept {
    const int32_t count = std::min(backend.device_count(), kMaxDevicesPerBackend);
    auto *devices = new (std::nothrow) Device[static_cast<size_t>(count)];
    if (!devices) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the table of %d device(s)", count);
    for (int32_t ordinal = 0; ordinal < count; ++ordinal) {
        Device &device = devices[ordinal];
        device.backend = &backend;
        device.kind = backend.kind();
        device.ordinal = ordinal;
        device.index = (backend.kind() - 1) * kMaxDevicesPerBackend + ordinal;
        device.health = backend.health_flag(ordinal);
        GS_TRY(add_default_streams(device));
    }
    table.devices.store(devices, std::memory_order_release);
    return kOk;
}

Deferred *take_deferred() noexcept {
    MutexLock lock(g_queue_mutex);
    Deferred *first = g_queue_head;
    if (!first) {
        // Published under the lock: a call queued later sees it and runs at once.
        g_initialized.store(true, std::memory_order_release);
        return nullptr;
    }
    g_queue_head = first->next;
    if (!g_queue_head) g_queue_tail = &g_queue_head;
    return first;
}

// What a caller may be told of a function that failed: not "not ready", which is no failure, nor a number that is no
// status. out_said: the function's own answer.
gs_status_t as_failure(gs_status_t code, char (&out_said)[48]) noexcept {
    if (code != GS_NOT_READY && is_status(code)) {
        std::snprintf(out_said, sizeof out_said, "%s", status_name(code));
        return code;
    }
    std::snprintf(out_said, sizeof out_said, "%d, which is no failure's status", code);
    return GS_ERROR_INVALID_ARGUMENT;
}

// Runs each queued call once, in order. A failing one is dropped and reported; the rest waits for the next attempt, so
// the library is never half initialised: it either is, with an empty queue, or is not.
Status run_deferred(ThreadBlock &thread) noexcept {
    while (Deferred *call = take_deferred()) {
        const Deferred copy = *call;
        delete call;
        const gs_status_t answer = copy.fn(copy.arg);
        if (answer == GS_OK) continue;
        char said[48];
        const gs_status_t code = as_failure(answer, said);
        return fail(code, "deferred call number %u failed at initialisation with %s: %s", copy.number, said,
                    thread.last.status == answer ? thread.last.message : status_message(code));
    }
    return kOk;
}

} // namespace

Status use_backend(gs_backend_t kind, Backend **out) noexcept {
    if (kind == GS_BACKEND_DEFAULT) {
        if (Backend *known = g_default.load(std::memory_order_acquire)) {
            *out = known;
            return kOk;
        }
    }
    Backend *backend = nullptr;
    GS_TRY(start_backend(kind, &backend));
    Table &table = g_tables[backend->kind() - 1];
    GS_TRY(table.built.run([&]() noexcept { return build_table(*backend, table); }));
    if (kind == GS_BACKEND_DEFAULT) {
        g_default_devices.store(table.devices.load(std::memory_order_acquire), std::memory_order_relaxed);
        g_default_device_count.store(static_cast<uint32_t>(std::min(backend->device_count(), kMaxDevicesPerBackend)),
                                     std::memory_order_release);
        g_default.store(backend, std::memory_order_release);
    }
    *out = backend;
    return kOk;
}

Device *device_at(int32_t index) noexcept {
    Device *devices = g_tables[index / kMaxDevicesPerBackend].devices.load(std::memory_order_acquire);
    const int32_t ordinal = index % kMaxDevicesPerBackend;
    return devices && ordinal < devices->backend->device_count() ? &devices[ordinal] : nullptr;
}

Device *started_device(gs_backend_t kind, int32_t ordinal) noexcept {
    return &g_tables[kind - 1].devices.load(std::memory_order_acquire)[ordinal];
}

void guard_locks_in_fork() noexcept {
    static std::atomic<bool> done{false};
    if (done.load(std::memory_order_acquire)) return;
    // Outermost first. Two threads may both register: the second finds everything there.
    for (Mutex *mutex : {&g_init_mutex, &g_queue_mutex, &event_cache_mutex(), &event_slots().mutex()})
        register_fork_mutex(*mutex, ForkLock::BeforeStart);
    for (Mutex *mutex : {&stats_mutex(), &log_mutex()}) register_fork_mutex(*mutex, ForkLock::Always);
    done.store(true, std::memory_order_release);
}

bool is_initialized() noexcept { return g_initialized.load(std::memory_order_acquire) && !in_bad_fork(); }

Status initialize() noexcept {
    ThreadBlock *thread = this_thread();
    if (!thread) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the thread's state");
    // A deferred call that initialises again: the work is under way below us on this very stack.
    if (g_initializing.load(std::memory_order_relaxed) == thread->serial) return kOk;
    guard_locks_in_fork();
    MutexLock lock(g_init_mutex);
    if (g_initialized.load(std::memory_order_acquire)) return kOk;
    g_initializing.store(thread->serial, std::memory_order_relaxed);
    Backend *backend = nullptr;
    Status status = use_backend(GS_BACKEND_DEFAULT, &backend);
    if (status.ok()) status = run_deferred(*thread);
    g_initializing.store(0, std::memory_order_relaxed);
    return status;
}

Status initialize_for(gs_device_t number) noexcept {
    const Status status = initialize();
    const bool by_backend = number >= 0 && number >> 16 != GS_BACKEND_DEFAULT;
    // A default backend that did start leaves a deferred call to have failed, which every device waits for; one that was
    // initialised before a fork leaves nothing to be used.
    if (status.ok() || !by_backend || fixed_default_backend() != GS_BACKEND_DEFAULT || in_bad_fork()) return status;
    return kOk;
}

Status call_on_init(gs_status_t (*fn)(void *), void *arg) noexcept {
    guard_locks_in_fork();
    {
        MutexLock lock(g_queue_mutex);
        if (!g_initialized.load(std::memory_order_acquire)) {
            auto *call = new (std::nothrow) Deferred{fn, arg, g_queued + 1, nullptr};
            if (!call) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to queue the deferred call");
            ++g_queued;
            *g_queue_tail = call;
            g_queue_tail = &call->next;
            return kOk;
        }
    }
    const gs_status_t answer = fn(arg);
    if (answer == GS_OK) return kOk;
    char said[48];
    const gs_status_t code = as_failure(answer, said);
    return fail(code, "the call failed with %s", said);
}

} // namespace gs
