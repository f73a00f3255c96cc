// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/record.hpp"

#include <new>

#include "backend/host/engine/stream_queue.hpp"

namespace gs::host {

constinit Record g_done_record{Record::kDone};
constinit Record g_captured_record{};

namespace {

constexpr int kWaitSpins = 200;

// The end mark of a complete record's list of parked streams.
Stream *closed() noexcept { return reinterpret_cast<Stream *>(&g_done_record); }

Stream *reversed(Stream *list) noexcept {
    Stream *result = nullptr;
    while (list) {
        Stream *next = list->link;
        list->link = result;
        result = list;
        list = next;
    }
    return result;
}

} // namespace

void Record::release() noexcept {
    if (refs_.release()) pool_->give_back(this);
}

bool Record::park(Stream &stream) noexcept {
    Stream *first = parked_.load(std::memory_order_acquire);
    do {
        if (first == closed()) return false;
        stream.link = first;
    } while (!parked_.compare_exchange_weak(first, &stream, std::memory_order_acq_rel, std::memory_order_acquire));
    return true;
}

Stream *Record::complete(Result outcome, uint64_t stamp_ns) noexcept {
    outcome_ = outcome;
    stamp_ns_ = stamp_ns;
    const uint32_t bits = kDone | (outcome == Result::Ok ? 0 : kFailed);
    const uint32_t before = state_.fetch_or(bits, std::memory_order_acq_rel);
    Stream *parked = parked_.exchange(closed(), std::memory_order_acq_rel);
    Signal *signals = signals_.exchange(no_more(), std::memory_order_acq_rel);
    while (Signal *signal = signals) {
        signals = signal->next;
        ring(*signal->word);
        delete signal;
    }
    if ((before & kSleepers) != 0) futex_wake(state_, kWakeAll);
    return reversed(parked);
}

Record::Signal *Record::no_more() noexcept { return reinterpret_cast<Signal *>(&g_done_record); }

void Record::ring(std::atomic<uint32_t> &word) noexcept {
    word.fetch_add(1, std::memory_order_acq_rel);
    futex_wake(word, 1);
}

bool Record::signal(std::atomic<uint32_t> &word) noexcept {
    Signal *first = signals_.load(std::memory_order_acquire);
    Signal *made = nullptr;
    do {
        if (first == no_more()) {
            delete made;
            ring(word);
            return true;
        }
        if (!made) made = new (std::nothrow) Signal{&word, nullptr};
        if (!made) return false;
        made->next = first;
    } while (!signals_.compare_exchange_weak(first, made, std::memory_order_acq_rel, std::memory_order_acquire));
    return true;
}

bool Record::spin() const noexcept {
    for (int i = 0; i < kWaitSpins; ++i) {
        if (done()) return true;
        cpu_relax();
    }
    return false;
}

void Record::wait(uint32_t seen) noexcept {
    uint32_t state = state_.fetch_or(kSleepers, std::memory_order_acq_rel) | kSleepers;
    while ((state & kDone) == 0 && state / kPoke == seen) {
        futex_wait(state_, state);
        state = state_.load(std::memory_order_acquire);
    }
}

void Record::poke() noexcept {
    state_.fetch_add(kPoke, std::memory_order_acq_rel);
    futex_wake(state_, kWakeAll);
}

Record *RecordPool::take() noexcept {
    Record *record = nullptr;
    {
        TinyGuard guard(lock_);
        record = free_.pop();
    }
    if (!record) record = new (std::nothrow) Record;
    if (!record) return nullptr;
    record->chain = nullptr;
    record->pool_ = this;
    record->outcome_ = Result::Ok;
    record->stamp_ns_ = 0;
    record->parked_.store(nullptr, std::memory_order_relaxed);
    record->signals_.store(nullptr, std::memory_order_relaxed);
    record->state_.store(0, std::memory_order_relaxed);
    record->refs_.restart();
    return record;
}

void RecordPool::give_back(Record *record) noexcept {
    TinyGuard guard(lock_);
    free_.push(*record);
}

} // namespace gs::host
