// SPDX-License-Identifier: Apache-2.0
// --check: what the driver's calls access, for the ordering checker (tools/check).
#include <algorithm>
#include <atomic>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "core/seam/core_services.hpp"
#include "front/checked_order.hpp"
#include "front/copied_memory.hpp"
#include "front/driver.hpp"
#include "front/learnt_uses.hpp"
#include "front/run_settings.hpp"
#include "front/watch.hpp"
#include "tools/check/race.hpp"
#include "tools/leaks/leaks.hpp"

namespace gs::front {
namespace {

using check::AccessKind;
using check::StreamFacts;

PointerTable g_pool_memory; // 1: cuMemFree does not wait for its work
std::atomic<size_t> g_races{0};

struct OneAccess {
    AccessKind kind;
    check::Range range;
    SourceOrder order;
};
struct Accesses {
    std::vector<OneAccess> all;
    bool is_done = false; // once the call has returned, and all ahead of it in the stream
    void add(AccessKind kind, uint64_t address, uint64_t bytes, SourceOrder order = SourceOrder::Stream) {
        if (address != 0 && bytes != 0) all.push_back({kind, {address, address + bytes}, order});
    }
};

// Pageable memory is the host's own: the driver has read it, or written it, when the call returns.
Accesses accesses_of_copy(const Call &call) {
    Accesses found;
    size_t left = kMostRows;
    for (const Transfer &transfer : transfers_of(call)) {
        const Memory from = memory_of(transfer.from.address), to = memory_of(transfer.to.address);
        const auto add = [&](AccessKind kind, const Region &region, SourceOrder order = SourceOrder::Stream) {
            for_each_part(region, &left,
                          [&](uint64_t address, uint64_t bytes) { found.add(kind, address, bytes, order); });
        };
        if (from >= Memory::Pinned) add(AccessKind::Read, transfer.from, transfer.order);
        if (to >= Memory::Pinned) add(AccessKind::Write, transfer.to);
        const bool of_host =
            call.row->kind == DriverCall::Fill ? to != Memory::Device : from != Memory::Device || to != Memory::Device;
        found.is_done = found.is_done || to == Memory::Pageable || (of_host && !call.row->has_stream);
    }
    return found;
}

// What is written elsewhere than at the address may be another launch's part of the memory. A word that held no address while the kernel
// was learnt may be padding with what the stack had there, or the end of an array. What works in place gets one address in several words,
// and writes there.
void add_words(const Call &launch, Accesses *out) {
    const std::string kernel = g_settings.learnt[0] != '\0' ? name_of_kernel(launch) : "";
    std::vector<std::pair<uint64_t, Use>> words;
    for (const KernelWord &word : words_of(launch)) words.emplace_back(word.value, use_of(kernel, word));
    for (const auto &word : words) {
        const auto [address, use] = word;
        if (use == Use::NoAddress) continue;
        const bool in_place = use == Use::OneOfSeveral && std::count(words.begin(), words.end(), word) > 1;
        const AccessKind kind = use == Use::Read                    ? AccessKind::Read
                                : use == Use::WriteHere || in_place ? AccessKind::Write
                                                                    : AccessKind::Unknown;
        out->add(kind, address, 1);
    }
}

Accesses accesses_of_call(const Call &call) {
    Accesses found;
    switch (call.row->kind) {
    case DriverCall::Kernel:
        if (watches(kCheckKernels)) add_words(call, &found);
        return found;
    case DriverCall::Allocate: found.add(AccessKind::Allocate, call.object, call.bytes); return found;
    case DriverCall::Free: found.add(AccessKind::Free, call.object, 1); return found;
    default: return accesses_of_copy(call);
    }
}

void add_work(ThreadBlock &thread, const Call &call) {
    const Accesses found = accesses_of_call(call);
    const StreamFacts facts = facts_of(thread, call);
    const OfCall what = found.all.empty() ? OfCall::Order : OfCall::Access;
    with_host(thread, what, [&](Checker &checker, const Caller &host, Checker::Races &races) {
        check::StreamLine &stream = checker.order().stream(facts);
        checker.order().submit(checker.thread(host), stream);
        for (const auto &[kind, range, order] : found.all) {
            if (kind == AccessKind::Allocate)
                checker.allocate(host, facts, range, call.row->symbol, races);
            else if (order != SourceOrder::Stream)
                checker.read_early(host, facts, order == SourceOrder::DuringCall, range, call.row->symbol, races);
            else if (call.row->kind != DriverCall::Kernel || checker.is_allocated(range.begin))
                checker.access(host, facts, kind, range, call.row->symbol, races);
        }
        if (found.is_done) checker.order().know_stream(checker.thread(host), stream);
    });
}

// What a capture records happens at the launches of its graph. What copies and fills access is asked of the driver; this is where they
// came from.
void add_captured(ThreadBlock &thread, const Call &call) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUgraph graph = nullptr;
    const CUgraphNode *nodes = nullptr;
    size_t count = 0;
    if (!g_real.get_capture || g_real.get_capture(reinterpret_cast<CUstream>(driver_stream(call)), &status, nullptr,
                                                  &graph, &nodes, &count) != CUDA_SUCCESS)
        return;
    const auto of = reinterpret_cast<uintptr_t>(graph);
    if (call.row->kind == DriverCall::BeginCapture) // its address may have been an earlier graph's
        return with_host(thread, OfCall::Order,
                         [of](Checker &checker, const Caller &, Checker::Races &) { checker.graphs().forget(of); });
    const Accesses found = accesses_of_call(call);
    if (found.all.empty() || count != 1) return;
    const auto node = reinterpret_cast<uintptr_t>(*nodes);
    with_host(thread, OfCall::Access, [&](Checker &checker, const Caller &host, Checker::Races &) {
        for (const auto &[kind, range, order] : found.all)
            if (call.row->kind != DriverCall::Kernel || checker.is_allocated(range.begin))
                checker.graphs().add(of, node, checker.plan_access(host, kind, range, call.row->symbol));
    });
}

bool is_of_nodes(DriverCall kind) noexcept {
    return kind == DriverCall::Copy || kind == DriverCall::Fill || kind == DriverCall::Kernel ||
           kind == DriverCall::Allocate || kind == DriverCall::Free || kind == DriverCall::BeginCapture;
}

void set_plan(ThreadBlock &thread, const Call &call) {
    check::GraphPlan plan;
    std::vector<uint64_t> events;
    const bool known = read_driver_plan(call.other, &plan, &events);
    for (const uint64_t event : events) share_event(thread, event);
    with_host(thread, OfCall::Order, [&](Checker &checker, const Caller &, Checker::Races &) {
        if (!known) return checker.graphs().end_exec(call.object);
        checker.graphs().complete(plan);
        for (size_t i = 0; i < plan.nodes.size(); ++i) plan.nodes[i].node = i + 1; // for people
        checker.graphs().set_plan(call.object, std::move(plan));
    });
}

void add_launch(ThreadBlock &thread, const Call &call) {
    const StreamFacts facts = facts_of(thread, call);
    with_host(thread, OfCall::Access, [&](Checker &checker, const Caller &host, Checker::Races &races) {
        checker.launch(host, facts, call.object, races);
    });
}

void add_memory(ThreadBlock &thread, const Call &call) {
    set_word(g_pool_memory, call.object, 0);
    if (call.bytes == 0) return; // a pitch has it
    with_host(thread, OfCall::Order, [&](Checker &checker, const Caller &, Checker::Races &) {
        checker.allocate_host(call.object, call.bytes);
    });
}

// Ahead of the driver, which may give the memory to another thread before it returns.
void end_memory(ThreadBlock &thread, const Call &call) {
    if (call.object == 0) return;
    const bool waits = word_of(g_pool_memory, call.object) == 0;
    const uint64_t context = device_of_thread();
    with_host(thread, OfCall::Access, [&](Checker &checker, const Caller &host, Checker::Races &races) {
        if (waits) checker.order().know_device(checker.thread(host), context);
        checker.free_host(host, call.object, call.row->symbol, races);
    });
}

void free_in_stream(ThreadBlock &thread, Call &call) {
    if (call.object == 0 || is_captured(call)) return;
    const StreamFacts facts = facts_of(thread, call);
    with_host(thread, OfCall::Access, [&](Checker &checker, const Caller &host, Checker::Races &races) {
        call.bytes = checker.free(host, facts, call.object, call.row->symbol, races);
    });
}

void withdraw_free(ThreadBlock &thread, const Call &call) {
    with_host(thread, OfCall::Order, [&](Checker &checker, const Caller &, Checker::Races &) {
        checker.withdraw_free(call.object, call.bytes);
    });
}

void end_graph(ThreadBlock &thread, const Call &call) {
    if (call.other != 0) share_event(thread, call.other);
    with_host(thread, OfCall::Order, [&](Checker &checker, const Caller &, Checker::Races &) {
        if (call.row->kind == DriverCall::EndGraph) return checker.graphs().forget(call.object);
        checker.graphs().end_exec(call.object); // its launches then have any order, and no accesses that are known
    });
}

void begin_call(ThreadBlock &thread, Call &call) {
    switch (call.row->kind) {
    case DriverCall::HostFunction: return is_captured(call) ? void() : add_order(thread, call);
    case DriverCall::Free: return free_in_stream(thread, call);
    case DriverCall::FreeNow: return end_memory(thread, call);
    case DriverCall::EndStream: return end_checked_stream(thread, call.object);
    case DriverCall::EndEvent: return renew_event(thread, call.object, false);
    case DriverCall::EndGraph:
    case DriverCall::ChangeExec: return end_graph(thread, call);
    default: return;
    }
}

void end_call(ThreadBlock &thread, const Call &call) {
    if (call.result != CUDA_SUCCESS) {
        if (call.row->kind == DriverCall::Free && call.bytes != 0) withdraw_free(thread, call);
        return;
    }
    if (is_captured(call)) return is_of_nodes(call.row->kind) ? add_captured(thread, call) : void();
    switch (call.row->kind) {
    case DriverCall::Allocate: set_word(g_pool_memory, call.object, 1); return add_work(thread, call);
    case DriverCall::Kernel:
    case DriverCall::Copy:
    case DriverCall::CopyNow:
    case DriverCall::Fill: return add_work(thread, call);
    case DriverCall::GraphLaunch: return add_launch(thread, call);
    case DriverCall::AllocateNow:
    case DriverCall::AllocateHost: return add_memory(thread, call);
    case DriverCall::Record:
    case DriverCall::Wait:
    case DriverCall::WaitValue:
    case DriverCall::Write:
    case DriverCall::SyncStream:
    case DriverCall::QueryStream:
    case DriverCall::SyncEvent:
    case DriverCall::QueryEvent:
    case DriverCall::SyncContext: return add_order(thread, call);
    case DriverCall::MakeStream: return end_checked_stream(thread, call.object);
    case DriverCall::MakeEvent: return renew_event(thread, call.object, (call.other & CU_EVENT_INTERPROCESS) == 0);
    case DriverCall::Instantiate:
    case DriverCall::UpdateExec: return set_plan(thread, call);
    default: return;
    }
}

template <typename Body>
void on_checked(Body &&body) noexcept {
    ThreadBlock *thread = check::is_checking() ? this_thread() : nullptr;
    if (!thread) return;
    try {
        body(*thread);
    } catch (const std::bad_alloc &) {
        check::stop_checker();
        leave_unchecked("has ended: ", "no memory");
    }
}

// As the library writes it, so that `gpustream explain` can draw it.
void report_race(void *, const char *text, const char *) {
    if (g_races.fetch_add(1, std::memory_order_relaxed) == 0) leave_mark(".raced");
    write_report(std::string("gpustream: ") + text);
}

} // namespace

void begin_check() noexcept {
    check::set_report_function(report_race, nullptr);
    try {
        if (g_settings.learnt[0] != '\0') read_uses(g_settings.learnt);
    } catch (const std::bad_alloc &) {
        log_message(GS_LOG_ERROR, "no memory to read '%s'", g_settings.learnt);
    }
    if (check::start_checker(GS_CHECK_STACKS).ok()) return;
    leave_unchecked("does not start: ", pending_text());
}

void before_checked(Call &call) noexcept {
    on_checked([&](ThreadBlock &thread) { begin_call(thread, call); });
}

void saw_checked(const Call &call) noexcept {
    on_checked([&](ThreadBlock &thread) { end_call(thread, call); });
}

void write_races() noexcept {
    try {
        write_report(report_head(("check: " + count_text(g_races.load(std::memory_order_relaxed), "race")).c_str()));
    } catch (const std::bad_alloc &) {
        write_report("gpustream: no memory for the number of races\n");
    }
}

} // namespace gs::front

namespace gs {

// For the checker, which asks the core elsewhere.
void call_application(void (*body)(void *context), void *context) noexcept { body(context); }

} // namespace gs
