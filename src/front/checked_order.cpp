// SPDX-License-Identifier: Apache-2.0
#include "front/checked_order.hpp"

#include "front/driver.hpp"
#include "front/driver_log.hpp"
#include "front/stream_context.hpp"
#include "front/watch.hpp"

namespace gs::front {
namespace {

using check::Order;
using check::StreamLine;
using check::ThreadLine;

constexpr uint64_t kMadeStream = 3; // kinds of keys: that of a default stream is the driver's word for it
constexpr uint64_t kBlocking = 1, kAsked = 2;

PointerTable g_made_streams; // its context, with the bits above; 0: the driver has not been asked
PointerTable g_own_events;   // 1: all its records are seen

uint64_t ask_for_stream(uint64_t stream) noexcept {
    const Relaxed relaxed;
    CUcontext context = nullptr;
    unsigned flags = 0;
    // The function does not know streams of green contexts.
    if (!g_real.get_stream_context ||
        g_real.get_stream_context(reinterpret_cast<CUstream>(stream), &context) != CUDA_SUCCESS)
        context = current_context();
    if (g_real.get_stream_flags) g_real.get_stream_flags(reinterpret_cast<CUstream>(stream), &flags);
    const uint64_t blocking = (flags & CU_STREAM_NON_BLOCKING) != 0 ? 0 : kBlocking;
    set_word(g_made_streams, stream, reinterpret_cast<uintptr_t>(context) | kAsked | blocking);
    return reinterpret_cast<uintptr_t>(context) | kAsked | blocking;
}

void add_order_of_stream(const Call &call, bool foreign, Order &order, ThreadLine &host, StreamLine &stream) {
    switch (call.row->kind) {
    case DriverCall::Record: return order.record(host, stream, call.object, foreign);
    case DriverCall::Wait: return order.wait(host, stream, call.object, foreign);
    case DriverCall::WaitValue: return order.wait_word(host, stream);
    case DriverCall::Write:
        order.leave_note(host, stream);                                   // a thread may look at the word
        return call.object == 0 ? order.wait_word(host, stream) : void(); // several, which may be waits
    case DriverCall::HostFunction: return order.leave_note(host, stream);
    default: return order.know_stream(host, stream);
    }
}

} // namespace

uint64_t device_of_thread() noexcept { return reinterpret_cast<uintptr_t>(current_context()); }

check::StreamFacts facts_of(ThreadBlock &thread, const Call &call) noexcept {
    const uint64_t stream = driver_stream(call);
    check::StreamFacts facts;
    facts.handle = logged_stream(thread, call);
    if (stream <= 2) {
        facts.device = device_of_thread();
        facts.legacy = stream == 1;
        facts.blocking = true;
        facts.key = {stream, facts.device, 0, facts.legacy ? 0 : thread.serial};
        return facts;
    }
    uint64_t word = word_of(g_made_streams, stream);
    if (word == 0) word = ask_for_stream(stream);
    facts.device = word & ~(kBlocking | kAsked);
    facts.blocking = (word & kBlocking) != 0;
    facts.key = {kMadeStream, stream};
    return facts;
}

void end_checked_stream(ThreadBlock &thread, uint64_t stream) noexcept {
    set_word(g_made_streams, stream, 0);
    with_host(thread, OfCall::Order, [stream](Checker &checker, const Caller &, Checker::Races &) {
        checker.order().end_stream({kMadeStream, stream});
    });
}

void renew_event(ThreadBlock &thread, uint64_t event, bool own) noexcept {
    set_word(g_own_events, event, own ? 1 : 0);
    with_host(thread, OfCall::Order,
              [event](Checker &checker, const Caller &, Checker::Races &) { checker.order().end_event(event); });
}

void share_event(ThreadBlock &thread, uint64_t event) noexcept {
    set_word(g_own_events, event, 0);
    with_host(thread, OfCall::Order,
              [event](Checker &checker, const Caller &, Checker::Races &) { checker.order().share_event(event); });
}

void add_order(ThreadBlock &thread, const Call &call) noexcept {
    const DriverCall kind = call.row->kind;
    const bool foreign = word_of(g_own_events, call.object) == 0;
    const check::StreamFacts facts = call.row->has_stream ? facts_of(thread, call) : check::StreamFacts{};
    const uint64_t context = call.object != 0 ? call.object : device_of_thread();
    with_host(thread, OfCall::Order, [&](Checker &checker, const Caller &caller, Checker::Races &) {
        ThreadLine &host = checker.thread(caller);
        if (call.row->has_stream)
            add_order_of_stream(call, foreign, checker.order(), host, checker.order().stream(facts));
        else if (kind == DriverCall::SyncContext)
            checker.order().know_device(host, context);
        else
            checker.order().know_event(host, call.object, foreign);
    });
}

} // namespace gs::front
