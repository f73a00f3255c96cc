// SPDX-License-Identifier: Apache-2.0
// Delays ahead of calls, by the plan of `gpustream shake`.
#include <time.h>

#include <atomic>
#include <cstdio>

#include "base/log.hpp"
#include "base/thread_block.hpp"
#include "front/delays.hpp"
#include "front/driver.hpp"
#include "front/front_locks.hpp"
#include "front/pointer_table.hpp"
#include "front/run_settings.hpp"
#include "front/watch.hpp"

namespace gs::front {
namespace {

constexpr size_t kThreads = 4096;             // counters of threads, by the number of their block
constexpr uint64_t kMostNodes = 48;           // of each capture: more would cost more than they find
constexpr uint64_t kMostDelayUs = 20'000'000; // of a process, all together
constexpr uint32_t kOddsOfNodes = 50;         // percent of the replays in which a chosen node is late

struct Counter {
    uint64_t thread = 0, calls = 0;
};
Counter g_counters[kThreads]; // each by its thread only
uint64_t g_process_number = 0;
std::atomic<uint64_t> g_nodes{0}, g_delayed_us{0}, g_delays_refused{0};

PointerTable g_stream_numbers, g_site_numbers, g_site_calls; // by first use
uint64_t g_streams GS_GUARDED_BY(g_numbers_mutex) = 0;
uint64_t g_sites GS_GUARDED_BY(g_numbers_mutex) = 0;

// Work, and no record or wait: one that is late does what late work beside it does, and a report should name the work.
bool can_be_delayed(DriverCall kind) noexcept {
    switch (kind) {
    case DriverCall::Kernel:
    case DriverCall::GraphLaunch:
    case DriverCall::HostFunction:
    case DriverCall::WaitValue:
    case DriverCall::Write:
    case DriverCall::Copy:
    case DriverCall::CopyNow:
    case DriverCall::Fill: return true;
    default: return false;
    }
}

uint64_t number_in(PointerTable &table, uint64_t key, uint64_t &last) noexcept GS_REQUIRES(g_numbers_mutex) {
    std::atomic<uint64_t> *number = table.find(key, true);
    if (!number) return 0;
    if (number->load(std::memory_order_relaxed) == 0) number->store(++last, std::memory_order_relaxed);
    return number->load(std::memory_order_relaxed);
}

// The call's stream, its site, and how often that was called.
struct Numbers {
    uint64_t stream, site, nth;
};
Numbers numbers_of(const Call &call) noexcept {
    const uint64_t function = call.row->kind == DriverCall::Kernel ? call.object : 0;
    MutexLock lock(g_numbers_mutex);
    const uint64_t stream = number_in(g_stream_numbers, driver_stream(call), g_streams);
    const auto row = static_cast<uint64_t>(call.row - kCallRows);
    const uint64_t key = (function * 0x9E3779B97F4A7C15 ^ (row << 20 | stream)) | 1;
    const uint64_t known = g_sites, site = number_in(g_site_numbers, key, g_sites);
    std::atomic<uint64_t> *calls = g_site_calls.find(key, true);
    const uint64_t nth = calls ? calls->fetch_add(1, std::memory_order_relaxed) + 1 : 1;
    if (site > known)
        tell("site %llu %llu %s", static_cast<unsigned long long>(site), static_cast<unsigned long long>(stream),
             call.row->symbol);
    return {stream, site, nth};
}

CallName next_name(ThreadBlock &thread) noexcept {
    Counter &counter = g_counters[thread.id % kThreads];
    if (counter.thread != thread.serial) counter = {thread.serial, 0};
    return {g_process_number, thread.serial, ++counter.calls};
}

void sleep_us(uint64_t us) noexcept {
    timespec rest{static_cast<time_t>(us / 1'000'000), static_cast<long>(us % 1'000'000) * 1000};
    nanosleep(&rest, nullptr);
}

// The same node in each run, so that a graph has the same form; the plan decides when it is late.
void delay_in_capture(const Call &call, uint64_t us, const CallName &name) noexcept {
    if (g_nodes.fetch_add(1, std::memory_order_relaxed) >= kMostNodes) return;
    const auto place = static_cast<uint32_t>(name.call + name.thread * 64);
    const uint32_t odds = us == 0 ? 0 : g_plan.chosen_count != 0 ? kOddsOfNodes + 25 : kOddsOfNodes;
    if (!put_delay(driver_stream(call), us * 1000, odds, place))
        g_delays_refused.fetch_add(1, std::memory_order_relaxed);
}

void delay(const Call &call, uint64_t us) noexcept {
    if (g_delayed_us.fetch_add(us, std::memory_order_relaxed) > kMostDelayUs) return;
    if (!prepare_delay_kernel() || !put_delay(driver_stream(call), us * 1000, 100, 0))
        g_delays_refused.fetch_add(1, std::memory_order_relaxed);
}

void tell_delay(const Call &call, const CallName &name, const Numbers &numbers, uint64_t us) noexcept {
    using U = unsigned long long;
    tell("delay %llu %llu %llu %llu %llu %llu %s", U{name.process}, U{name.thread}, U{name.call}, U{us},
         U{numbers.stream}, U{numbers.site}, call.row->symbol);
    if (g_plan.follow) follow(call, name, numbers.stream);
}

} // namespace

uint64_t number_of_stream(const Call &call) noexcept {
    MutexLock lock(g_numbers_mutex);
    return number_in(g_stream_numbers, driver_stream(call), g_streams);
}

void begin_delays() noexcept {
    g_process_number = open_delay_file();
    if (!read_delay_plan(g_settings.delays)) log_message(GS_LOG_ERROR, "'%s' is no plan of delays", g_settings.delays);
}

void before_delayed(const Call &call) noexcept {
    const StreamContext context(call.row->has_stream && call.row->kind != DriverCall::AddNode ? driver_stream(call)
                                                                                              : 0);
    if (call.row->kind == DriverCall::BeginCapture) {
        prepare_delay_kernel();
        if (!any_capture()) g_nodes.store(0, std::memory_order_relaxed);
    }
    if (call.row->kind == DriverCall::AddNode) prepare_delay_kernel();
    ThreadBlock *thread = can_be_delayed(call.row->kind) ? this_thread() : nullptr;
    if (!thread || g_process_number == 0) return;
    const CallName name = next_name(*thread);
    const Numbers numbers = numbers_of(call);
    if (g_plan.seed == 0 && g_plan.chosen_count == 0) return; // the run that counts
    if (const uint64_t host = host_delay_of(name, numbers.nth)) sleep_us(host);
    const uint64_t us = delay_of(name, numbers.stream, numbers.site, numbers.nth);
    const bool captured = is_captured(call);
    if (captured) delay_in_capture(call, us, name);
    if (us == 0) return;
    if (!captured) delay(call, us);
    tell_delay(call, name, numbers, us);
}

// Nodes that are added one by one, behind the program's own, which then has one dependency more.
void saw_delayed(const Call &call) noexcept {
    if (g_plan.follow) saw_followed(call);
    if (call.row->kind != DriverCall::AddNode || call.result != CUDA_SUCCESS) return;
    ThreadBlock *thread = g_plan.seed != 0 || g_plan.chosen_count != 0 ? this_thread() : nullptr;
    if (!thread || g_process_number == 0) return;
    const CallName name = next_name(*thread);
    const Numbers numbers = numbers_of(call);
    const uint64_t us = delay_of(name, numbers.stream, numbers.site, numbers.nth);
    const auto place = static_cast<uint32_t>(name.call + name.thread * 64);
    if (!add_delay_node(reinterpret_cast<CUgraph>(call.stream), *reinterpret_cast<const CUgraphNode *>(call.object),
                        reinterpret_cast<const CUgraphNode *>(call.other), call.bytes, us * 1000,
                        us == 0 ? 0 : kOddsOfNodes, place))
        g_delays_refused.fetch_add(1, std::memory_order_relaxed);
    if (us != 0) tell_delay(call, name, numbers, us);
}

void write_delays() noexcept {
    tell("refused %llu", static_cast<unsigned long long>(g_delays_refused.load(std::memory_order_relaxed)));
}

} // namespace gs::front
