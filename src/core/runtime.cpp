// SPDX-License-Identifier: Apache-2.0
#include "core/runtime.hpp"

#include <cstdio>
#include <new>

#include "backend/registry.hpp"
#include "base/fork_state.hpp"
#include "base/log.hpp"
#include "core/device/device_table.hpp"
#include "core/fork_locks.hpp"

namespace gs {

std::atomic<bool> g_initialized{false};

namespace {

// A queued call of gs_call_on_init.
struct Deferred {
    gs_status_t (*fn)(void *);
    void *arg;
    uint32_t number; // in the order of the calls, from 1
    Deferred *next;
};

Deferred *g_queue_head GS_GUARDED_BY(g_queue_mutex) = nullptr;
Deferred **g_queue_tail GS_GUARDED_BY(g_queue_mutex) = &g_queue_head;
uint32_t g_queued GS_GUARDED_BY(g_queue_mutex) = 0;

std::atomic<uint64_t> g_initializing{0}; // serial of the thread that holds g_init_mutex

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

// The status that is reported for a function that returned `code`: GS_NOT_READY, which is a success, and numbers that
// are no status become INVALID_ARGUMENT. out_said: the returned number as text.
gs_status_t as_failure(gs_status_t code, char (&out_said)[48]) noexcept {
    if (code != GS_NOT_READY && is_status(code)) {
        std::snprintf(out_said, sizeof out_said, "%s", status_name(code));
        return code;
    }
    std::snprintf(out_said, sizeof out_said, "%d (a failure was expected)", code);
    return GS_ERROR_INVALID_ARGUMENT;
}

// Of queued functions and of those that run at once, so that the same calls are refused in both.
gs_status_t run_one(ThreadBlock &thread, gs_status_t (*fn)(void *), void *arg) noexcept {
    const auto before = static_cast<uint8_t>(thread.may_not_block & kInitializing);
    thread.may_not_block |= kInitializing;
    const gs_status_t answer = fn(arg);
    thread.may_not_block = static_cast<uint8_t>((thread.may_not_block & ~kInitializing) | before);
    return answer;
}

// Runs the queued calls in order. A call that fails leaves the queue and its status is returned; the next attempt runs the
// rest. The library is initialised when the queue is empty. The thread holds no lock of the queue while a call runs.
Status run_deferred(ThreadBlock &thread) noexcept {
    while (Deferred *call = take_deferred()) {
        const Deferred copy = *call;
        delete call;
        const gs_status_t answer = run_one(thread, copy.fn, copy.arg);
        if (answer == GS_OK) continue;
        char said[48];
        const gs_status_t code = as_failure(answer, said);
        return fail(code, "deferred call number %u failed at initialisation with %s: %s", copy.number, said,
                    thread.last.status == answer ? thread.last.message : status_message(code));
    }
    return kOk;
}

} // namespace

bool is_initialized() noexcept { return g_initialized.load(std::memory_order_acquire) && !in_bad_fork(); }

Status initialize() noexcept {
    ThreadBlock *thread = this_thread();
    if (!thread) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the thread's state");
    // It is known since this call has attached the thread (attach_thread): another call would not have come here.
    if (in_bad_fork())
        return fail(GS_ERROR_BAD_FORK, "the process was forked while another thread made the first calls of gpustream");
    // A deferred call initialises again: initialisation is already running on this thread's stack.
    if (g_initializing.load(std::memory_order_relaxed) == thread->serial) return kOk;
    guard_locks_in_fork();
    LaterMessages later;
    MutexLock lock(g_init_mutex);
    if (g_initialized.load(std::memory_order_acquire)) return kOk;
    g_initializing.store(thread->serial, std::memory_order_relaxed);
    arm_bad_fork(); // the search for devices may load a driver, long before a backend starts
    Backend *backend = nullptr;
    Status status = use_backend(GS_BACKEND_DEFAULT, &backend);
    if (status.ok()) status = run_deferred(*thread);
    disarm_bad_fork(); // a backend that has started is armed by itself
    g_initializing.store(0, std::memory_order_relaxed);
    return status;
}

Status initialize_for(gs_device_t number) noexcept {
    const Status status = initialize();
    const bool by_backend = number >= 0 && number >> 16 != GS_BACKEND_DEFAULT;
    // If the default backend did start, a deferred call failed, which matters to every device. In a bad fork no device can be
    // used.
    if (status.ok() || !by_backend || fixed_default_backend() != GS_BACKEND_DEFAULT || in_bad_fork()) return status;
    return kOk;
}

Status call_on_init(ThreadBlock &thread, gs_status_t (*fn)(void *), void *arg) noexcept {
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
    const gs_status_t answer = run_one(thread, fn, arg);
    if (answer == GS_OK) return kOk;
    char said[48];
    const gs_status_t code = as_failure(answer, said);
    return fail(code, "the call failed with %s", said);
}

} // namespace gs
