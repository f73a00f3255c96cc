// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/unwritten_signals.hpp"

#include "base/clock.hpp"
#include "base/futex.hpp"
#include "core/completion/scanner.hpp"
#include "core/lookup.hpp"
#include "core/timeline/signals.hpp"
#include "core/timeline/stream_use.hpp"

namespace gs {
namespace {

constexpr uint32_t kAskAbout = 32; // that one of the signals, so that so many records serve again
constexpr uint64_t kFreeAsks = 16; // looks at the value that ask the driver; more of them count against the signals

// One question. Inside a callback of the program's own the driver refuses it.
Status ask_about(ThreadBlock &thread, const TimelineSignal &signal, bool *out_done) noexcept {
    const CallMark mark(thread); // a reset of the device waits for the question
    Device &device = *signal.done_device;
    GS_TRY(check_health(device));
    return device.backend->event_query(thread, device.ordinal, signal.done, out_done);
}

// Looks for the largest signal that has happened. They happen in the order of their values, so the largest of all is asked
// about first, then the smallest, then the middle of what is left.
class ValueSearch {
public:
    TimelineSignal *next(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex) {
        const uint64_t known = current_value(slot);
        uint32_t left = 0;
        for (const TimelineSignal *signal = slot.signals; signal && signal->value < pending_; signal = signal->next)
            left += is_unknown(*signal, known);
        if (left == 0) return nullptr;
        uint32_t place = asked_ == 0 ? left - 1 : asked_ == 1 ? 0 : left / 2;
        ++asked_;
        TimelineSignal *signal = slot.signals;
        while (!is_unknown(*signal, known) || place-- != 0) signal = signal->next;
        return signal;
    }
    // It has not happened, so those behind it have not either.
    void is_pending(const TimelineSignal &signal) noexcept { pending_ = signal.value; }
    uint32_t asked() const noexcept { return asked_; }

private:
    static bool is_unknown(const TimelineSignal &signal, uint64_t known) noexcept {
        return signal.submitted && !signal.written && signal.value > known;
    }
    uint64_t pending_ = UINT64_MAX;
    uint32_t asked_ = 0;
};

// A timeline whose value is read about as often as it is signalled is better off with a word that streams write.
void count_ask(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex) {
    if (++slot.asked > kFreeAsks + slot.accepted / 4) slot.writes = true;
}

struct ScannerPass : Point {
    ThreadBlock *waiting = nullptr;
    std::atomic<bool> over{false};
};

void on_scanner_pass(Point &point, bool) noexcept {
    auto &pass = static_cast<ScannerPass &>(point);
    ThreadBlock &waiting = *pass.waiting;
    // What the scanner has written comes with both, as in model first_record_is_seen_whole. Then the pass may be gone.
    pass.over.store(true, std::memory_order_release);
    waiting.signal.fetch_add(1, std::memory_order_acq_rel);
    futex_wake(waiting.signal, 1);
}

// Inside a host function no driver can be called. Before the scanner reports a point that was reached when it was added, it
// asks about all that was added earlier, and the signals are.
Status learn_by_scanner(ThreadBlock &thread, uint64_t handle) noexcept {
    Device *device = nullptr;
    GS_TRY(with_timeline(handle, [&](TimelineSlot &slot) GS_UNANALYSED -> Status {
        slot.writes = true;
        watch_signals(slot);
        device = slot.device;
        return kOk;
    }));
    ScannerPass pass;
    pass.device = device;
    pass.waiting = &thread;
    pass.added_ns = monotonic_ns();
    pass.reached = on_scanner_pass;
    watch_point(pass);
    for (;;) {
        // As model first_record_is_seen_whole.
        const uint32_t seen = thread.signal.load(std::memory_order_acquire);
        if (pass.over.load(std::memory_order_acquire)) return kOk;
        futex_wait(thread.signal, seen);
    }
}

} // namespace

Status learn_value(ThreadBlock &thread, uint64_t handle) noexcept {
    if (thread.callback_depth > 0) return learn_by_scanner(thread, handle);
    ValueSearch search;
    for (;;) {
        TimelineSlot *slot = nullptr;
        TimelineSignal *signal = nullptr;
        const Status looked = with_timeline(handle, [&](TimelineSlot &found) GS_UNANALYSED -> Status {
            GS_TRY(check_aborted(found));
            if (search.asked() == 0) count_ask(found);
            signal = search.next(found);
            if (!signal) return kOk;
            ++signal->pins;
            ++found.inside;
            slot = &found;
            return kOk;
        });
        GS_TRY(looked);
        if (!signal) return kOk;
        TimelineUse use(*slot);
        bool done = false;
        const Status status = ask_about(thread, *signal, &done);
        if (!done) search.is_pending(*signal);
        use.finish([&]() GS_UNANALYSED {
            --signal->pins;
            if (done) {
                write_happened(*slot, *signal);
                retire_signals(*slot);
            }
        });
        if (done) wake_streams(*slot);
        if (status.code == GS_ERROR_NOT_PERMITTED) return learn_by_scanner(thread, handle);
        GS_TRY(status);
    }
}

TimelineSignal *old_signal(TimelineSlot &slot) noexcept {
    if (unwritten_signals(slot) < slot.ask_at) return nullptr;
    slot.ask_at = unwritten_signals(slot) + kAskAbout; // unless it has happened
    TimelineSignal *signal = slot.signals;
    for (uint32_t passed = 1; signal; signal = signal->next)
        if (signal->submitted && !signal->written && passed++ == kAskAbout) break;
    if (signal) ++signal->pins;
    return signal;
}

Status ask_about_old(ThreadBlock &thread, TimelineSlot &slot, TimelineSignal &signal) noexcept {
    bool done = false;
    const Status status = ask_about(thread, signal, &done);
    {
        BriefGuard lock(slot.mutex);
        --signal.pins;
        if (done) {
            write_happened(slot, signal);
            retire_signals(slot);
            slot.ask_at = kFirstAskAt;
        }
        watch_signals(slot);
    }
    if (done) wake_streams(slot);
    return status;
}

} // namespace gs
