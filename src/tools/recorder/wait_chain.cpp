// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/wait_chain.hpp"

namespace gs::recorder {
WaitChain::WaitChain(const Evidence &evidence, const LogIndex &log, uint64_t stream, Work &work) noexcept
    : evidence_(evidence), log_(log), steps_(work.steps), kept_(work.kept), searched_(work.searched),
      levels_(work.levels) {
    if (search(stream) || kept_count_ == 0) return;
    found_ = Found::MayWait;
    for (count_ = 0; count_ < kept_count_; ++count_) steps_[count_] = kept_[count_];
}

// From the oldest wait on: what has been searched once, from here or by another way, is not searched again. Each step leads to
// a level of its own; without recursion, as the stack may be small.
bool WaitChain::search(uint64_t stream) noexcept {
    open_level(stream, UINT64_MAX);
    for (;;) {
        Level &level = levels_[count_];
        LogEntry wait;
        const bool any = count_ < kMostSteps && next_wait(level.stream, *level.until, level.before, &wait);
        if (!any || closes_circle(wait)) { // the level has ended
            if (found_ == Found::Circle) return true;
            if (count_ == 0) return false;
            if (finish_step()) return true;
            continue;
        }
        Step &step = steps_[count_];
        step = {wait};
        level.met = look(step);
        if (level.met == Met::Yes) {
            pass(wait);
            continue;
        }
        ++count_;
        if (step.next != 0)
            open_level(step.next, step.before);
        else if (finish_step())
            return true;
    }
}

void WaitChain::open_level(uint64_t stream, uint64_t before) noexcept {
    Level &level = levels_[count_];
    level.stream = stream;
    level.before = before;
    level.own = 0;
    level.until = searched_until(stream);
    if (!level.until) level.until = &level.own;
    if (*level.until == 0) *level.until = log_.seen_idle(stream);
}

// The last step leads no further. True: it is what holds the stream up.
bool WaitChain::finish_step() noexcept {
    if (levels_[count_ - 1].met == Met::No) {
        found_ = Found::Waits;
        return true;
    }
    keep();
    --count_;
    pass(steps_[count_].wait);
    return false;
}

void WaitChain::pass(const LogEntry &wait) noexcept {
    uint64_t &until = *levels_[count_].until;
    if (until < wait.time_ns) until = wait.time_ns;
}

uint64_t *WaitChain::searched_until(uint64_t stream) noexcept {
    for (size_t i = 0; i < searched_count_; ++i)
        if (searched_[i].stream == stream) return &searched_[i].until;
    if (searched_count_ == kMostSearched) return nullptr;
    searched_[searched_count_] = {stream, 0};
    return &searched_[searched_count_++].until;
}

// The first wait of the stream between the two times.
bool WaitChain::next_wait(uint64_t stream, uint64_t after, uint64_t before, LogEntry *out) noexcept {
    if (log_.empty()) return after == 0 && evidence_.last_wait(stream, out);
    const LogEntry *wait = log_.first_wait(stream, after, before);
    if (wait) *out = *wait;
    return wait != nullptr;
}

Met WaitChain::look(Step &step) noexcept {
    const LogEntry &wait = step.wait;
    if (wait.call == LogCall::WaitWord) return Met::Unknown;
    if (wait.call == LogCall::WaitTimeline) {
        uint64_t value = 0;
        const Met met = evidence_.has_reached(wait, &value);
        if (met != Met::Yes) find_signal(step);
        return met;
    }
    if (wait.call == LogCall::Wait) {
        if (evidence_.is_complete(wait)) return Met::Yes;
        find_recorder(step);
        if (step.before == 0) return Met::Yes; // a thread has seen it
    } else {
        step.next = wait.object;
        step.before = log_.empty() ? UINT64_MAX : wait.time_ns;
    }
    return log_.seen_idle(step.next) > step.before ? Met::Yes : Met::Unknown;
}

// before becomes 0 if the log says that the event is complete.
void WaitChain::find_recorder(Step &step) noexcept {
    step.before = UINT64_MAX;
    if (log_.empty()) {
        step.next = evidence_.recorder_of(step.wait.value);
        return;
    }
    bool seen = false;
    if (const LogEntry *record = log_.record_of(step.wait.object, step.wait.value, &seen)) {
        step.next = record->stream;
        step.before = record->time_ns;
    }
    if (seen) step.before = 0;
}

void WaitChain::find_signal(Step &step) noexcept {
    const LogEntry *signal = log_.signal_of(step.wait.object, step.wait.value);
    if (!signal) return;
    step.next = signal->stream;
    step.before = signal->time_ns;
}

// The same wait is on the way already. Each step but those to signals goes back in time, so with the log that is a circle;
// without it, the waits may have been for earlier records.
bool WaitChain::closes_circle(const LogEntry &wait) noexcept {
    for (circle_ = 0; circle_ < count_; ++circle_) {
        const LogEntry &other = steps_[circle_].wait;
        if (other.stream != wait.stream || other.time_ns != wait.time_ns || other.object != wait.object) continue;
        if (!log_.empty()) found_ = Found::Circle;
        return true;
    }
    return false;
}

void WaitChain::keep() noexcept {
    const uint64_t last = kept_count_ != 0 ? kept_[0].wait.time_ns : 0;
    if (steps_[0].wait.time_ns == last ? count_ <= kept_count_ : steps_[0].wait.time_ns < last) return;
    for (kept_count_ = 0; kept_count_ < count_; ++kept_count_) kept_[kept_count_] = steps_[kept_count_];
}

void WaitChain::write(TextSink &out) const noexcept {
    if (found_ == Found::Nothing) {
        out << "has no known wait";
        return;
    }
    const char *const waits = found_ == Found::MayWait ? "may wait for " : "waits for ";
    for (size_t i = 0; i < count_; ++i) {
        const Step &step = steps_[i];
        out << (i == 0 ? "" : ", which ") << waits;
        const bool is_timeline = step.wait.call == LogCall::WaitTimeline;
        switch (step.wait.call) {
        case LogCall::WaitWord: out << "a word of memory"; break;
        case LogCall::Wait: out.object("event", step.wait.object, evidence_.name(step.wait.object)); break;
        case LogCall::WaitStream: out.object("stream", step.wait.object, evidence_.name(step.wait.object)); break;
        default:
            out.object("timeline", step.wait.object, evidence_.name(step.wait.object))
                << " to reach " << step.wait.value;
        }
        constexpr uint64_t kNone = UINT64_MAX; // values are smaller
        uint64_t value = kNone;
        if (is_timeline) (void)evidence_.has_reached(step.wait, &value);
        if (value != kNone) out << " (it is at " << value << ")";
        if (step.next != 0 && step.wait.call != LogCall::WaitStream)
            out.object(is_timeline ? ", signalled in stream" : ", recorded in stream", step.next,
                       evidence_.name(step.next));
    }
    if (found_ == Found::Circle) {
        out.object(", which waits for the above: a circle that begins with stream", steps_[circle_].wait.stream,
                   evidence_.name(steps_[circle_].wait.stream));
        return;
    }
    const Step &last = steps_[count_ - 1];
    if (last.wait.call == LogCall::WaitTimeline && last.next == 0 && !log_.empty())
        out << ", and nothing in the log signals that";
    else if (found_ == Found::Waits && last.next != 0)
        out << ", which has no known wait";
}

} // namespace gs::recorder
