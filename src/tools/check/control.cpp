// SPDX-License-Identifier: Apache-2.0
#include "tools/check/checker.hpp"

#include <cstring>
#include <new>
#include <utility>

#include "base/env.hpp"
#include "base/fork_state.hpp"
#include "base/log.hpp"
#include "base/status.hpp"
#include "tools/check/race.hpp"
#include "tools/tool_locks.hpp"

namespace gs::check {

namespace {

Checker *g_checker GS_GUARDED_BY(g_check_mutex) = nullptr;
std::atomic<bool> g_keeps_sites{false};           // of accesses
bool g_lost GS_GUARDED_BY(g_check_mutex) = false; // for want of memory; the next call says so
bool g_abort GS_GUARDED_BY(g_check_mutex) = false;
bool g_asked_for GS_GUARDED_BY(g_check_mutex) = false; // by a call, which the environment does not overrule

void forget_heap(void *memory, size_t bytes) noexcept;

void set_observed(bool on) noexcept {
    if (on)
        g_rare_state.fetch_or(kRareChecked, std::memory_order_relaxed);
    else
        g_rare_state.fetch_and(~uint32_t{kRareChecked}, std::memory_order_relaxed);
    g_heap_listener.store(on ? forget_heap : nullptr, std::memory_order_relaxed);
}

// What the thread knew goes to all others: they are taken to have joined it.
void on_checked_thread_exit(ThreadBlock &ending) {
    if (!is_checking() || in_bad_fork()) return;
    with_checker(ending, [](Checker &checker, const Caller &caller, Checker::Races &) {
        checker.order().end_thread(caller.serial);
    });
}

Status start(uint32_t flags) noexcept GS_REQUIRES(g_check_mutex) {
    g_keeps_sites.store((flags & GS_CHECK_STACKS) != 0, std::memory_order_relaxed);
    if (!g_checker) {
        if (!add_thread_exit_hook(on_checked_thread_exit)) // one-sided: the table has room for all hooks
            return fail(GS_ERROR_INTERNAL, "too many thread exit hooks");
        g_checker = new (std::nothrow) Checker;
        if (!g_checker) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the ordering checker");
    }
    g_abort = (flags & GS_CHECK_ABORT) != 0;
    set_observed(true);
    return kOk;
}

void give_up() noexcept GS_REQUIRES(g_check_mutex) {
    delete g_checker;
    g_checker = nullptr;
    set_observed(false);
}

// It logs nothing: logging may call a function of the program, and the engine may hold a lock.
void forget_heap(void *memory, size_t bytes) noexcept {
    if (in_bad_fork()) return;
    guard_tool_locks();
    MutexLock lock(g_check_mutex);
    try {
        if (g_checker) g_checker->give_back(reinterpret_cast<uintptr_t>(memory), bytes);
    } catch (const std::bad_alloc &) {
        give_up();
        g_lost = true;
    }
}

// No lock may be held.
CallSite site_of_caller() noexcept {
    try {
        return capture_call_site();
    } catch (const std::bad_alloc &) {
        return {}; // a report without it is better than none
    }
}

} // namespace

void with_checker(ThreadBlock &thread, OfCall what, Body body, void *context) noexcept {
    Caller caller;
    caller.serial = thread.serial;
    caller.os_id = os_id(thread);
    caller.reads_notes = thread.is_library || thread.callback_depth > 0;
    if (what == OfCall::Access && g_keeps_sites.load(std::memory_order_relaxed)) caller.site = site_of_caller();
    Checker::Races races;
    bool abort_after = false;
    bool lost = false;
    guard_tool_locks();
    {
        MutexLock lock(g_check_mutex);
        abort_after = g_abort;
        try {
            if (g_checker) body(context, *g_checker, caller, races);
        } catch (const std::bad_alloc &) {
            give_up();
            g_lost = true;
        }
        lost = std::exchange(g_lost, false);
    }
    if (lost) log_message(GS_LOG_ERROR, "the ordering checker has ended: no memory");
    for (Race &race : races) {
        if (race.later.site.frames.empty()) race.later.site = site_of_caller();
        deliver(race, abort_after);
    }
}

Status start_checker(uint32_t flags) noexcept {
    guard_tool_locks();
    GS_TRY(prepare_delivery());
    MutexLock lock(g_check_mutex);
    g_asked_for = true;
    return start(flags);
}

void stop_checker() noexcept {
    guard_tool_locks();
    MutexLock lock(g_check_mutex);
    g_asked_for = true;
    give_up();
}

void read_checker_environment() noexcept {
    const char *text = env_text(Variable::Check);
    if (!text || *text == '\0') return;
    const bool abort = std::strcmp(text, "abort") == 0;
    if (!abort && std::strcmp(text, "report") != 0)
        return log_message(GS_LOG_WARNING, "%s='%s' is ignored: it is neither report nor abort",
                           name_of(Variable::Check), text);
    if (!prepare_delivery().ok()) log_message(GS_LOG_ERROR, "the ordering checker: %s", pending_text());
    guard_tool_locks();
    bool started = true;
    {
        MutexLock lock(g_check_mutex);
        if (!g_asked_for) started = start(GS_CHECK_STACKS | (abort ? uint32_t{GS_CHECK_ABORT} : 0u)).ok();
    }
    if (!started) log_message(GS_LOG_ERROR, "the ordering checker does not start");
}

void hand_over(ThreadBlock &thread, uint64_t *clock) noexcept {
    with_checker(thread, [clock](Checker &checker, const Caller &caller, Checker::Races &) {
        checker.order().hand_over(checker.thread(caller), clock);
    });
}

} // namespace gs::check
