// SPDX-License-Identifier: Apache-2.0
#include "core/births.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "base/env.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/thread_block.hpp"
#include "core/call_stack.hpp"
#include "core/names.hpp"

namespace gs {
namespace {

struct Birth {
    const SlotBase *slot = nullptr; // slots stay
    uint64_t handle = 0;
    uint64_t thread = 0;
    Frames frames;
};

constexpr size_t kMostShown = 100;

Mutex g_births_mutex;
// By place, which the next object of the slot takes over. Never freed: threads may run until the very end.
std::map<uint64_t, Birth> *g_births GS_GUARDED_BY(g_births_mutex) = nullptr;
std::atomic<bool> g_births_decided{false};
pid_t g_births_process = 0; // set before the function at exit
std::atomic<bool> g_births_short_of_memory{false};

const char *kind_text(uint64_t handle) noexcept {
    switch (handle_kind(handle)) {
    case Kind::Graph: return "graph";
    case Kind::Stream: return "stream";
    case Kind::GraphExec: return "executable graph";
    case Kind::Event: return "event";
    case Kind::Queue: return "queue";
    case Kind::Module: return "module";
    case Kind::Timeline: return "timeline";
    case Kind::Pool: return "pool";
    default: return nullptr; // kernels end with their module; the others are the library's own
    }
}

uint64_t birth_place(uint64_t handle) noexcept {
    return static_cast<uint64_t>(handle_kind(handle)) << 32 | handle_index(handle);
}

// Live, and some caller's. It may end while this is read: slots stay, and what is read of them is atomic.
bool is_held(const Birth &birth) noexcept {
    return birth.slot->handle.load(std::memory_order_relaxed) == birth.handle &&
           birth.slot->users.load(std::memory_order_relaxed) != 0;
}

void write_all(const std::string &text) noexcept {
    for (size_t at = 0; at < text.size();) {
        const ssize_t done = ::write(STDERR_FILENO, text.data() + at, text.size() - at);
        if (done <= 0) return; // at the exit no caller is left that could get an error
        at += static_cast<size_t>(done);
    }
}

std::vector<Birth> held_objects() {
    MutexLock lock(g_births_mutex);
    std::vector<Birth> held;
    for (const auto &[place, birth] : *g_births)
        if (is_held(birth)) held.push_back(birth);
    return held;
}

// Asks no driver: it may have shut down.
void report_leaks() {
    if (getpid() != g_births_process) return; // a forked child
    try {
        const std::vector<Birth> held = held_objects();
        if (held.empty()) return;
        std::string text = "gpustream: objects that are live at exit: " + std::to_string(held.size()) + "\n";
        for (size_t i = 0; i < held.size() && i < kMostShown; ++i) {
            text += std::string("  ") + kind_text(held[i].handle) + " " + describe_object(held[i].handle).text +
                    ", made by thread " + std::to_string(held[i].thread) + "\n";
            for (const std::string &frame : describe_call_stack(held[i].frames)) text += "    " + frame + "\n";
        }
        if (held.size() > kMostShown) text += "  and " + std::to_string(held.size() - kMostShown) + " more\n";
        write_all(text);
    } catch (const std::bad_alloc &) {
        write_all("gpustream: no memory to report the objects that are live at exit\n");
    }
}

void decide_births() noexcept {
    if (g_births_decided.exchange(true, std::memory_order_relaxed)) return;
    if (env_number(Variable::Leaks, 0, 0, 1) != 0) {
        g_births_process = getpid();
        if (std::atexit(report_leaks) == 0)
            g_rare_state.fetch_or(kRareBirths, std::memory_order_relaxed);
        else
            log_message(GS_LOG_WARNING, "%s is ignored: no memory for a function at exit", name_of(Variable::Leaks));
    }
    g_rare_state.fetch_and(~uint32_t{kRareBirthsUndecided}, std::memory_order_relaxed);
}

void keep_birth(const SlotBase &slot, uint64_t handle) {
    ThreadBlock *thread = this_thread();
    Birth birth{&slot, handle, thread ? os_id(*thread) : 0, capture_call_stack()};
    MutexLock lock(g_births_mutex);
    if (!g_births) g_births = new std::map<uint64_t, Birth>;
    (*g_births)[birth_place(handle)] = std::move(birth);
}

} // namespace

void note_birth_slowly(const SlotBase &slot, uint64_t handle) noexcept {
    if ((g_rare_state.load(std::memory_order_relaxed) & kRareBirthsUndecided) != 0) decide_births();
    if ((g_rare_state.load(std::memory_order_relaxed) & kRareBirths) == 0 || !kind_text(handle)) return;
    try {
        keep_birth(slot, handle);
    } catch (const std::bad_alloc &) {
        if (!g_births_short_of_memory.exchange(true, std::memory_order_relaxed))
            log_message(GS_LOG_WARNING, "no memory to remember who made an object: it is not reported at exit");
    }
}

} // namespace gs
