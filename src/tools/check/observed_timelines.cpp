// SPDX-License-Identifier: Apache-2.0
// What the calls on timelines and on words of memory tell the checker.
#include "core/timeline/timeline_calls.hpp"
#include "core/timeline/timeline_slot.hpp"
#include "tools/check/facts.hpp"
#include "tools/recorder/log_notes.hpp"

namespace gs::check {
namespace {

// Then it proves no signal.
bool had_at_first(uint64_t timeline, uint64_t value) noexcept {
    uint64_t first = 0;
    return timeline_first_value(timeline, &first).ok() && value <= first;
}

} // namespace

uint64_t before_signal(uint64_t stream, uint64_t timeline, uint64_t value) noexcept {
    uint64_t number = 0;
    on_line(stream, [&](Checker &checker, ThreadLine &line, StreamLine &signalling) {
        number = checker.order().signal(line, signalling, timeline, value);
    });
    return number;
}

uint64_t before_host_signal(uint64_t timeline, uint64_t value) noexcept {
    uint64_t number = 0;
    with_order(observing_thread(), [&](Checker &checker, const Caller &caller) {
        number = checker.order().signal_by_host(checker.thread(caller), timeline, value);
    });
    return number;
}

void after_signal(uint64_t stream, uint64_t timeline, uint64_t value, uint64_t number, bool happens) noexcept {
    if (happens)
        recorder::note(stream != 0 ? recorder::LogCall::Signal : recorder::LogCall::HostSignal, stream, timeline,
                       value);
    with_order(number != 0 ? observing_thread() : nullptr,
               [&](Checker &checker, const Caller &) { checker.order().end_signal(timeline, number, happens); });
}

// The value is read first: a signal that raised it has been announced by then.
void saw_wait_timeline(uint64_t stream, uint64_t timeline, uint64_t value) noexcept {
    recorder::note(recorder::LogCall::WaitTimeline, stream, timeline, value);
    if (!is_checking()) return;
    if (had_at_first(timeline, value)) return check_submit(stream);
    uint64_t now = 0;
    ThreadBlock *thread = this_thread();
    if (!thread) return;
    const Status known = timeline_value(*thread, timeline, &now);
    // A semaphore of another API has a value that no thread can read: what has met the wait is known of own signals only.
    const bool lives = known.ok() || known.code == GS_ERROR_NOT_SUPPORTED;
    on_line(stream, [&](Checker &checker, ThreadLine &line, StreamLine &waiting) {
        if (lives)
            checker.order().wait_timeline(line, waiting, timeline, value, now >= value);
        else
            checker.order().wait_ended_timeline(line, waiting);
    });
}

void saw_timeline(uint64_t timeline, uint64_t value, bool exact) noexcept {
    recorder::note(recorder::LogCall::SeenTimeline, 0, timeline, value);
    ThreadBlock *thread = observing_thread();
    if (!thread || had_at_first(timeline, value)) return;
    with_order(thread, [&](Checker &checker, const Caller &caller) {
        checker.order().know_timeline(checker.thread(caller), timeline, value, exact);
    });
}

void saw_timeline_end(uint64_t timeline, bool aborted) noexcept {
    ThreadBlock *thread = observing_thread();
    const TimelineSlot *slot = find_timeline_slot(timeline);
    const bool lives = slot && slot->handle.load(std::memory_order_acquire) == timeline;
    if (!thread || (lives && !aborted)) return;
    with_order(thread, [&](Checker &checker, const Caller &) { checker.order().end_timeline(timeline); });
}

void saw_wait_word(uint64_t stream) noexcept {
    recorder::note(recorder::LogCall::WaitWord, stream);
    on_line(stream,
            [](Checker &checker, ThreadLine &line, StreamLine &waiting) { checker.order().wait_word(line, waiting); });
}

} // namespace gs::check
