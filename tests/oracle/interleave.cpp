// SPDX-License-Identifier: Apache-2.0
#include "oracle/interleave.hpp"

namespace gs::oracle {
namespace {

constexpr int kInterruptPercent = 30;
thread_local Interleaver *t_running = nullptr; // a program runs on one thread

bool renews(Kind kind) { return kind == Kind::RenewEvent || kind == Kind::RenewStream; }

} // namespace

Interleaver::Interleaver(Session &session, Engine &engine)
    : session_(session), engine_(engine), random_(session.program().seed ^ 0x5DEECE66Du) {}

void Interleaver::on_yield(testing::Yield) {
    // The library's own threads yield too; the host engine's worker never does inside these calls.
    Interleaver *self = t_running;
    if (self && self->depth_ < kDeepest && self->random_.percent(kInterruptPercent)) self->step();
}

void Interleaver::collect(int phase) {
    const auto &ops = session_.program().ops;
    for (auto &queue : queues_) queue.clear();
    for (size_t i = ops.size(); i-- > 0;)
        if (ops[i].phase == phase) queues_[ops[i].thread].push_back(i);
}

// A thread that has work here, or -1.
int Interleaver::pick_thread() {
    std::array<int, kMaxThreads> ready{};
    int count = 0;
    for (int t = 0; t < kMaxThreads; ++t) {
        const auto &queue = queues_[static_cast<size_t>(t)];
        if (queue.empty() || inside_[static_cast<size_t>(t)]) continue;
        if (depth_ > 0 && renews(session_.program().ops[queue.back()].kind)) continue;
        ready[static_cast<size_t>(count++)] = t;
    }
    return count == 0 ? -1 : ready[static_cast<size_t>(random_.below(count))];
}

void Interleaver::execute(size_t op) {
    const Kind kind = session_.program().ops[op].kind;
    const bool blocks = kind == Kind::SyncEvent || kind == Kind::SyncStream;
    if (blocks) engine_.release();
    session_.execute(op);
    if (!blocks) return;
    engine_.settle(count_waits(session_.program()));
    engine_.hold();
}

bool Interleaver::step() {
    const int thread = pick_thread();
    if (thread < 0) return false;
    auto &queue = queues_[static_cast<size_t>(thread)];
    const size_t op = queue.back();
    queue.pop_back();
    inside_[static_cast<size_t>(thread)] = true;
    // While an object is being replaced there is no handle that other threads could use.
    const int deeper = renews(session_.program().ops[op].kind) ? kDeepest : 1;
    depth_ += deeper;
    execute(op);
    depth_ -= deeper;
    inside_[static_cast<size_t>(thread)] = false;
    return true;
}

void Interleaver::run_phase(int phase) {
    collect(phase);
    t_running = this;
    testing::yield_hook.store(on_yield); // stays: other threads may be in programs of their own
    while (step()) {}
    t_running = nullptr;
}

} // namespace gs::oracle
