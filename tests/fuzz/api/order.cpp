// SPDX-License-Identifier: Apache-2.0
#include "fuzz/api/order.hpp"

#include <sched.h>

#include <algorithm>

#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

void join(Order::Clock &into, const Order::Clock &from) {
    if (into.size() < from.size()) into.resize(from.size());
    for (size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

} // namespace

void Order::Work::run(void *opaque) {
    const Work &work = *static_cast<Work *>(opaque);
    const std::string detail = "function " + std::to_string(work.number) + " of stream " + std::to_string(work.stream);
    const uint32_t earlier = work.order->over_[work.stream].load();
    FUZZ_REQUIRE(earlier + 1 == work.number, detail + " ran after function " + std::to_string(earlier));
    work.order->require(work.before, detail);
    work.order->over_[work.stream].store(work.number);
}

uint32_t Order::place(Name stream) {
    const auto found = places_.find(stream);
    if (found != places_.end()) return found->second;
    if (places_.size() == kMostStreams) return kNone;
    const auto next = static_cast<uint32_t>(places_.size());
    return places_[stream] = next;
}

Order::Work *Order::next(Name stream) {
    const uint32_t at = place(stream);
    if (at == kNone) return nullptr;
    works_.push_back({this, at, issued_[at] + 1, promised_[at]});
    return &works_.back();
}

void Order::launched(Work *work) {
    issued_[work->stream] = work->number;
    Clock &promised = promised_[work->stream];
    if (promised.size() <= work->stream) promised.resize(work->stream + 1);
    promised[work->stream] = work->number;
}

void Order::record(uint64_t event, Name stream) {
    const uint32_t at = place(stream);
    records_[event] = at == kNone ? Clock{} : promised_[at];
}

void Order::wait_event(Name stream, uint64_t event) {
    if (const uint32_t at = place(stream); at != kNone) join(promised_[at], records_[event]);
}

void Order::wait_stream(Name stream, Name other) {
    const uint32_t at = place(stream), from = place(other);
    if (at != kNone && from != kNone) join(promised_[at], Clock(promised_[from]));
}

void Order::require(const Clock &clock, const std::string &detail) const {
    for (uint32_t i = 0; i < clock.size(); ++i)
        FUZZ_REQUIRE(over_[i].load() >= clock[i], detail + ": of stream " + std::to_string(i) + " only " +
                                                      std::to_string(over_[i].load()) + " functions of " +
                                                      std::to_string(clock[i]) + " are over");
}

void Order::check_stream(Name stream, const std::string &detail) {
    if (const uint32_t at = place(stream); at != kNone) require(promised_[at], detail);
}

void Order::check_event(uint64_t event, const std::string &detail) { require(records_[event], detail); }

void Order::check_all(const std::string &detail) { require(Clock(issued_, issued_ + kMostStreams), detail); }

void Order::finish() {
    check_all("at the end");
    for (uint32_t i = 0; i < kMostStreams; ++i)
        FUZZ_REQUIRE(over_[i].load() == issued_[i], "a function ran that was refused");
    while (notified.load() < notifications) sched_yield(); // a lost one shows as an input that never ends
    FUZZ_REQUIRE(notified.load() == notifications, "a notification ran twice, or was refused and ran");
}

} // namespace gs::fuzz
