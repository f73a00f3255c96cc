// SPDX-License-Identifier: Apache-2.0
// The tests' part of each call: it is counted, and made to fail.
#include "fake_cuda/faults.hpp"

#include <condition_variable>

#include "simulated/driver_call.hpp"

namespace gs::simulated {
namespace {

std::atomic<uint64_t> g_calls[kFunctions];
thread_local std::string *t_trace = nullptr; // of a thread that requested one; kept

struct Plan {
    bool active = false;
    fake_cuda_fault_t fault{};
    Fn fn = Fn::Count; // of fault.function; Count: any
    uint64_t matched = 0;
    uint64_t injected = 0;
    std::string first;
    int late = 0; // waits for a query or synchronisation
};
std::mutex g_plan_mutex;
Plan g_plan;
std::atomic<bool> g_plan_active{false};

std::mutex g_lock_mutex;
std::condition_variable g_unlocked;
std::atomic<bool> g_locked{false}; // by a checkpoint

bool reports_late_errors(Fn fn) {
    switch (fn) {
    case Fn::StreamQuery:
    case Fn::StreamSynchronize:
    case Fn::EventQuery:
    case Fn::EventSynchronize:
    case Fn::CtxSynchronize: return true;
    default: return false;
    }
}

void break_device(int device, int code, const char *origin) {
    const auto &contexts = world().primary;
    if (device < static_cast<int>(contexts.size())) break_context(*contexts[static_cast<size_t>(device)], code, origin);
}

void deliver(const char *symbol) {
    if (g_plan.injected++ == 0) g_plan.first = symbol;
}

} // namespace

void lock_calls(bool locked) {
    {
        std::lock_guard<std::mutex> lock(g_lock_mutex);
        g_locked.store(locked, std::memory_order_release);
    }
    g_unlocked.notify_all();
}

void begin_for_tests(Call &call) {
    if (g_locked.load(std::memory_order_acquire)) {
        std::unique_lock<std::mutex> lock(g_lock_mutex);
        g_unlocked.wait(lock, [] { return !g_locked.load(); });
    }
    const Fn fn = call.fn;
    g_calls[static_cast<int>(fn)].fetch_add(1, std::memory_order_relaxed);
    // A query before the start has a fixed result, so it is not counted among the calls that can be made to fail.
    const bool too_early = call.refused == CUDA_ERROR_NOT_INITIALIZED;
    if (t_trace && !is_lookup(fn) && !too_early) *t_trace += std::string(info(fn).symbol) + '\n';
    if (call.refused != CUDA_SUCCESS) return;
    const Thread &self = thread();
    if (self.no_faults || !g_plan_active.load(std::memory_order_acquire)) return;

    int broken_device = -1;
    {
        std::lock_guard<std::mutex> lock(g_plan_mutex);
        if (g_plan.late != 0 && reports_late_errors(fn)) {
            call.refused = static_cast<CUresult>(g_plan.late);
            g_plan.late = 0;
            deliver(info(fn).symbol);
            return;
        }
        const fake_cuda_fault_t &fault = g_plan.fault;
        if (!g_plan.active || (g_plan.fn == Fn::Count ? is_lookup(fn) : g_plan.fn != fn)) return;
        if (fault.thread != 0 && fault.thread != self.id) return;
        if (++g_plan.matched < fault.nth) return;
        if (fault.mode == FAKE_CUDA_PERSISTENT)
            g_plan.fn = fn; // this function from now on
        else if (fault.mode == FAKE_CUDA_ENDED)
            world().ended.store(true, std::memory_order_release);
        if (fault.mode != FAKE_CUDA_PERSISTENT) g_plan.active = false;
        const auto code = static_cast<CUresult>(fault.code);
        if (fault.mode == FAKE_CUDA_STICKY)
            broken_device = fault.device >= 0 ? fault.device : self.current() ? self.current()->device : 0;
        switch (fault.phase) {
        case FAKE_CUDA_AFTER: call.after = code; break;
        case FAKE_CUDA_LATE: call.late = code; break;
        default: call.refused = code;
        }
        if (call.late == CUDA_SUCCESS || broken_device >= 0) deliver(info(fn).symbol);
    }
    if (call.late != CUDA_SUCCESS) {
        call.late_device = broken_device;
        return;
    }
    if (broken_device < 0) return;
    Lock lock(world().mutex);
    break_device(broken_device, call.refused != CUDA_SUCCESS ? call.refused : call.after, info(fn).symbol);
}

CUresult end_for_tests(const Call &call, CUresult result) {
    if (call.after != CUDA_SUCCESS && (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY)) {
        // The caller of a create or destroy got an error although it took effect.
        Thread &self = thread();
        if (self.made) self.made->orphan = true;
        if (self.made_block != 0)
            for (Context *context : world().primary) {
                if (auto block = context->memory.find(self.made_block); block != context->memory.end())
                    block->second.orphan = true;
                if (auto block = context->host_memory.find(self.made_block); block != context->host_memory.end())
                    block->second.orphan = true;
            }
        if (auto pool = world().pool_of.find(self.made_block); pool != world().pool_of.end())
            pool->second.orphan = true;
        if (auto green = world().green_contexts.find(self.made_block); green != world().green_contexts.end())
            green->second.orphan = true;
        if (auto found = world().semaphore_of.find(self.made_block); found != world().semaphore_of.end())
            found->second.orphan = true;
        if (self.destroyed != 0) world().excused.insert(self.destroyed);
        return call.after;
    }
    if (call.after != CUDA_SUCCESS) return call.after;
    if (call.late != CUDA_SUCCESS && call.late_device >= 0) {
        break_device(call.late_device, call.late, info(call.fn).symbol);
    } else if (call.late != CUDA_SUCCESS && result == CUDA_SUCCESS) {
        std::lock_guard<std::mutex> lock(g_plan_mutex);
        g_plan.late = call.late;
    }
    return result;
}

void set_fault(const fake_cuda_fault_t *fault) {
    std::lock_guard<std::mutex> lock(g_plan_mutex);
    g_plan = Plan{};
    if (fault) {
        g_plan.fault = *fault;
        g_plan.fn = fault->function ? function_of(fault->function) : Fn::Count;
        g_plan.fault.function = nullptr;
        g_plan.active = fault->nth > 0;
    }
    g_plan_active.store(fault != nullptr, std::memory_order_release);
}

uint64_t injected(std::string *first) {
    std::lock_guard<std::mutex> lock(g_plan_mutex);
    *first = g_plan.first;
    return g_plan.injected;
}

uint64_t calls_of(const char *symbol) {
    if (symbol) {
        const Fn fn = function_of(symbol);
        return fn == Fn::Count ? 0 : g_calls[static_cast<int>(fn)].load();
    }
    uint64_t sum = 0;
    for (int i = 0; i < kFunctions; ++i)
        if (!is_lookup(static_cast<Fn>(i))) sum += g_calls[i].load();
    return sum;
}

void start_trace() {
    if (!t_trace) t_trace = new std::string;
    t_trace->clear();
}

std::string trace() { return t_trace ? *t_trace : std::string(); }

void reset_calls() {
    for (auto &count : g_calls) count.store(0);
}

} // namespace gs::simulated
