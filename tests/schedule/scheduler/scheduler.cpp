// SPDX-License-Identifier: Apache-2.0
#include "schedule/scheduler/scheduler.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "schedule/scheduler/memory.hpp"
#include "schedule/scheduler/real_calls.hpp"
#include "schedule/scheduler/report.hpp"
#include "schedule/scheduler/sharing.hpp"

namespace gs::schedule {
namespace {

constexpr uint64_t kMostSteps = 2'000'000;     // of one run: more is a livelock
constexpr uint64_t kMostWithoutSwitch = 5'000; // a thread that spins lets the others run

thread_local Thread *t_self = nullptr;

std::vector<Thread *> g_threads; // never shrinks; all of this is used by the running thread only
Thread *g_current = nullptr;
Chooser *g_chooser = nullptr; // nullptr: nothing is chosen now
Settings g_settings;
bool g_in_child = false;
const bool g_trace = std::getenv("GPUSTREAM_SCHEDULE_TRACE") != nullptr;
size_t g_jobs_left = 0;
uint64_t g_step = 0;
uint64_t g_since_switch = 0;
uint64_t g_now = 1'000'000'000;
Run g_run;
Sharing g_sharing;
std::vector<Option> g_options;

void wait_for_turn(Thread &thread) noexcept {
    while (thread.turn.exchange(0, std::memory_order_acquire) == 0)
        real_syscall(SYS_futex, &thread.turn, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
}

void give_turn(Thread &thread) noexcept {
    g_current = &thread;
    g_since_switch = 0;
    thread.turn.store(1, std::memory_order_release);
    real_syscall(SYS_futex, &thread.turn, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void switch_to(Thread &from, Thread &to) noexcept {
    if (&from == &to) return;
    give_turn(to);
    wait_for_turn(from);
}

std::string describe_run() { return "  schedule: " + text_of(g_run.choices) + "\n" + describe_threads(); }

// Under weak memory, the last thread that can go on may be one whose run was made before.
bool is_choice() noexcept { return g_options.size() > (g_settings.memory ? 0 : 1); }

// Thread 0 runs when the jobs have ended, or when no other can. Another turn of a loop that yields makes no difference
// unless something has changed since the last one.
bool may_run(const Thread &thread) noexcept {
    if (thread.state != State::Ready) return false;
    if (thread.id == 0) return g_jobs_left == 0;
    return !thread.waits_for_news || g_settings.memory->has_news(thread.id);
}

Thread *next_ready(int after) noexcept {
    const size_t count = g_threads.size();
    for (size_t i = 1; i <= count; ++i) {
        Thread *thread = g_threads[(static_cast<size_t>(after) + i) % count];
        if (may_run(*thread)) return thread;
    }
    return nullptr;
}

Thread &ask(bool voluntary, Thread &from) {
    ++g_run.points;
    const size_t index = g_chooser->choose({g_step, voluntary, g_options});
    const Option &chosen = g_options[index];
    if (g_trace)
        trace_point(std::to_string(g_step) + " thread " + std::to_string(from.id) + ' ' + from.at.doing, from.at.code,
                    text_of(g_options), index);
    if (index != 0) g_run.choices.push_back({g_step, chosen.thread, chosen.keep});
    if (chosen.thread != from.id && !chosen.keep) from.stores.drain();
    return *g_threads[static_cast<size_t>(chosen.thread)];
}

// The running thread has blocked or ended: another one must run, if only because time passes.
Thread &successor(Thread &from) {
    for (;;) {
        if (g_chooser && may_run(*g_threads[0])) return *g_threads[0]; // the run is over
        if (g_chooser && g_jobs_left > 0) {
            g_options.clear();
            for (const Thread *thread : g_threads)
                if (may_run(*thread)) g_options.push_back({thread->id, false, &thread->at});
            if (is_choice()) return ask(false, from);
        }
        if (Thread *thread = next_ready(from.id)) return *thread;
        Thread *first = nullptr;
        for (Thread *thread : g_threads)
            if (thread->state == State::Blocked && thread->wakes_at != 0 &&
                (!first || thread->wakes_at < first->wakes_at))
                first = thread;
        if (!first) give_up("deadlock: no thread can go on", describe_run());
        g_now = std::max(g_now, first->wakes_at);
        first->timed_out = true;
        first->state = State::Ready;
    }
}

void count_step() noexcept {
    if (++g_step > kMostSteps) give_up("livelock: the run does not end", describe_run());
}

void run_worker(Thread &thread) {
    for (;;) {
        thread.job();
        thread.job = nullptr;
        if (!thread.stores.empty()) access("returns", kAlwaysShared, true, nullptr);
        thread.stores.drain();
        thread.state = State::Idle;
        thread.at.doing = "returned";
        if (--g_jobs_left == 0) g_threads[0]->state = State::Ready;
        switch_to(thread, successor(thread));
    }
}

void *worker_main(void *opaque) {
    auto &thread = *static_cast<Thread *>(opaque);
    t_self = &thread;
    wait_for_turn(thread);
    run_worker(thread);
    return nullptr;
}

} // namespace

Thread *self() noexcept { return t_self; }

void take_over() {
    if (t_self) return;
    pthread_atfork(nullptr, nullptr, [] {
        g_in_child = true;
        g_chooser = nullptr;
    });
    catch_aborts(describe_run);
    t_self = add_thread();
    g_current = t_self;
    for (int i = 0; i < kJobThreads; ++i) {
        Thread *thread = add_thread();
        thread->state = State::Idle;
        if (real_pthread_create(&thread->os, nullptr, worker_main, thread) != 0) std::abort();
    }
}

bool access(const char *doing, uintptr_t object, bool write, const void *code, bool strict) noexcept {
    Thread &me = *t_self;
    me.at = {doing, object, write, code, strict};
    if (++g_since_switch > kMostWithoutSwitch && !g_in_child) yield(code);
    if (!g_chooser) return false;
    count_step();
    const bool shared = object <= kFence || g_sharing.note(object, me.id, write, &g_run.grew);
    if (!shared && !g_chooser->wants_every_point()) return false;
    g_options.assign(1, {me.id, false, &me.at});
    // Keeping stores back from before any later load is the same as not having made them yet.
    const bool both = me.stores.read_past();
    for (const Thread *thread : g_threads) {
        if (thread == &me || thread->id == 0 || !may_run(*thread)) continue;
        g_options.push_back({thread->id, false, &thread->at});
        if (both) g_options.push_back({thread->id, true, &thread->at});
    }
    if (is_choice()) switch_to(me, ask(true, me));
    return shared;
}

bool block(const char *doing, uintptr_t object, uint64_t wakes_at, const void *code) noexcept {
    if (g_in_child) _exit(kWouldBlock);
    Thread &me = *t_self;
    me.at = {doing, object, true, code};
    me.stores.drain();
    me.wakes_at = wakes_at;
    me.timed_out = false;
    me.state = State::Blocked;
    switch_to(me, successor(me));
    me.wakes_at = 0;
    return me.timed_out;
}

int wake(uintptr_t object, int count) noexcept {
    int woken = 0;
    for (Thread *thread : g_threads) {
        if (woken == count) break;
        if (thread->state != State::Blocked || thread->at.object != object) continue;
        thread->state = State::Ready;
        ++woken;
    }
    return woken;
}

void yield(const void *code) noexcept {
    Thread &me = *t_self;
    me.at = {"yields", kAlwaysShared, true, code};
    me.stores.drain();
    if (g_chooser) count_step();
    g_since_switch = 0;
    if (Memory *memory = settings().memory) {
        me.waits_for_news = true;
        if (!may_run(me))
            switch_to(me, successor(me));
        else
            access("yields", kAlwaysShared, true, code);
        me.waits_for_news = false;
        return memory->yielded(me.id);
    }
    g_now += 1'000; // a loop that waits for a time must see it pass
    for (Thread *thread : g_threads) {
        if (thread->state != State::Blocked || thread->wakes_at == 0 || thread->wakes_at > g_now) continue;
        thread->timed_out = true;
        thread->state = State::Ready;
    }
    if (Thread *next = next_ready(me.id)) switch_to(me, *next);
}

uint64_t now_ns() noexcept { return g_now; }

void drain_all_stores() noexcept {
    for (Thread *thread : g_threads) thread->stores.drain();
}

Settings settings() noexcept { return g_chooser ? g_settings : Settings{}; }

Thread *add_thread() noexcept {
    for (Thread *ended : g_threads) {
        if (!ended->reusable) continue;
        ended->reusable = false;
        ended->state = State::Ready;
        return ended;
    }
    auto *thread = new Thread;
    thread->id = static_cast<int>(g_threads.size());
    g_threads.push_back(thread);
    return thread;
}

void enter_thread(Thread &thread) noexcept {
    t_self = &thread;
    wait_for_turn(thread);
}

void end_thread(Thread &thread) noexcept {
    thread.stores.drain();
    thread.state = State::Done;
    thread.at.doing = "ended";
    wake(reinterpret_cast<uintptr_t>(&thread), INT_MAX);
    t_self = nullptr;
    give_turn(successor(thread));
}

Run run_jobs(const std::vector<std::function<void()>> &jobs, Chooser &chooser, Settings settings) {
    Thread &main = *t_self;
    for (size_t i = 0; i < jobs.size(); ++i) {
        g_threads[i + 1]->job = jobs[i];
        g_threads[i + 1]->at = {};
        g_threads[i + 1]->state = State::Ready;
    }
    g_jobs_left = jobs.size();
    g_run = {};
    g_step = 0;
    g_settings = settings;
    g_chooser = &chooser;
    main.state = State::Blocked;
    main.at = {"waits for the scenario's threads"};
    switch_to(main, successor(main));
    g_chooser = nullptr;
    drain_all_stores();
    return g_run;
}

void settle() { block("settles", reinterpret_cast<uintptr_t>(&g_threads), g_now + 10'000'000'000, nullptr); }

Sharing &sharing() noexcept { return g_sharing; }

std::string describe_threads() {
    std::string text;
    for (const Thread *thread : g_threads) {
        if (thread->id == 0 || thread->state == State::Idle || thread->state == State::Done) continue;
        char line[128];
        std::snprintf(line, sizeof line, "  thread %d, %s: %s %#zx ", thread->id,
                      thread->state == State::Blocked ? "blocked" : "ready", thread->at.doing,
                      static_cast<size_t>(thread->at.object));
        text += line + source_of(thread->at.code) + (thread == g_current ? " (running)\n" : "\n");
    }
    return text;
}

} // namespace gs::schedule
