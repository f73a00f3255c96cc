// SPDX-License-Identifier: Apache-2.0
#include "oracle/timeline_program.hpp"

#include <algorithm>

namespace gs::oracle {
namespace {

constexpr int kFewest = 12, kMore = 60; // operations of a witness

constexpr Weighted<TimelineKind> kChoices[] = {
    {TimelineKind::Work, 24}, {TimelineKind::Signal, 14}, {TimelineKind::Wait, 18},     {TimelineKind::HostSignal, 4},
    {TimelineKind::Read, 5},  {TimelineKind::Record, 5},  {TimelineKind::WaitEvent, 5},
};

// Executes operations one after the other, and knows what each comes after.
class Witness {
public:
    explicit Witness(Random &random) : random_(random) {}

    std::vector<TimelineOp> make() {
        if (random_.percent(50)) {
            TimelineOp hold;
            hold.kind = TimelineKind::Hold;
            hold.stream = pick_stream();
            add(hold);
        }
        for (int count = kFewest + random_.below(kMore); count > 0; --count) step();
        return std::move(ops_);
    }
    uint16_t value(int timeline) const { return values_[timeline]; }

private:
    uint8_t pick_stream() { return static_cast<uint8_t>(random_.below(kTimelineStreams)); }

    void step() {
        TimelineOp op;
        op.kind = random_.pick(kChoices);
        op.stream = pick_stream();
        switch (op.kind) {
        case TimelineKind::Signal:
        case TimelineKind::Wait:
        case TimelineKind::HostSignal:
        case TimelineKind::Read: on_timeline(op); break;
        case TimelineKind::Record:
        case TimelineKind::WaitEvent:
            op.object = static_cast<uint8_t>(random_.below(kTimelineEvents));
            if (op.kind == TimelineKind::Record || recorded_[op.object]) add(op);
            break;
        default: add(op); break;
        }
    }

    void on_timeline(TimelineOp &op) {
        op.object = static_cast<uint8_t>(random_.below(kTimelines));
        const uint16_t now = values_[op.object];
        if (op.kind == TimelineKind::Wait) {
            op.value = static_cast<uint16_t>(1 + random_.below(now + 1));
            if (op.value > now) return; // none yet
        } else if (op.kind != TimelineKind::Read) {
            op.value = static_cast<uint16_t>(now + 1 + random_.below(2));
        }
        // A stage of a pipeline: the next value once this one is reached.
        if (op.kind == TimelineKind::Signal && now > 0 && random_.percent(60)) {
            TimelineOp wait = op;
            wait.kind = TimelineKind::Wait;
            wait.value = now;
            add(wait);
        }
        // The host would have to wait for the gate.
        if (op.kind == TimelineKind::HostSignal && last_signal_[op.object].test(0) &&
            ops_[0].kind == TimelineKind::Hold)
            return;
        add(op);
    }

    // The smallest signal that reaches the value comes first, and all others after it.
    TimelineSet reached_by(int timeline, uint16_t value) const {
        for (const TimelineOp &op : ops_) {
            const bool signals = op.kind == TimelineKind::Signal || op.kind == TimelineKind::HostSignal;
            if (signals && op.object == timeline && op.value >= value) return with(op);
        }
        return {};
    }
    static TimelineSet with(const TimelineOp &op) {
        TimelineSet set = op.before;
        return set.set(op.witness);
    }

    void add(TimelineOp op) {
        if (ops_.size() == kMostTimelineOps) return;
        op.witness = static_cast<uint16_t>(ops_.size());
        const bool of_host = op.kind == TimelineKind::HostSignal || op.kind == TimelineKind::Read;
        if (!of_host) op.before = streams_[op.stream];
        switch (op.kind) {
        case TimelineKind::Signal:
        case TimelineKind::HostSignal:
            op.before |= last_signal_[op.object];
            values_[op.object] = op.value;
            last_signal_[op.object] = with(op);
            break;
        case TimelineKind::Wait: op.before |= reached_by(op.object, op.value); break;
        case TimelineKind::Record:
            recorded_[op.object] = true;
            events_[op.object] = with(op);
            break;
        case TimelineKind::WaitEvent: op.before |= events_[op.object]; break;
        default: break;
        }
        if (!of_host) streams_[op.stream] = with(op);
        ops_.push_back(op);
    }

    Random &random_;
    std::vector<TimelineOp> ops_;
    TimelineSet streams_[kTimelineStreams], last_signal_[kTimelines], events_[kTimelineEvents];
    bool recorded_[kTimelineEvents] = {};
    uint16_t values_[kTimelines] = {};
};

// Submits a witness in another order.
class Shuffle {
public:
    Shuffle(Random &random, const std::vector<TimelineOp> &witness) : random_(random), witness_(witness) {}

    std::vector<TimelineOp> make() {
        while (submitted_.count() < witness_.size()) {
            if (random_.percent(6)) circle();
            submit(next());
        }
        return std::move(order_);
    }

private:
    const TimelineOp &next() {
        std::vector<const TimelineOp *> ready;
        for (const TimelineOp &op : witness_)
            if (!submitted_.test(op.witness) && may_come_now(op)) ready.push_back(&op);
        const auto draw = [&] { return ready[static_cast<size_t>(random_.below(static_cast<int>(ready.size())))]; };
        const TimelineOp *drawn = draw();
        // Signals come late, so that more waits are first.
        for (int i = 0; i < 3 && is_signal(*drawn) && random_.percent(80); ++i) drawn = draw();
        return *drawn;
    }
    void submit(const TimelineOp &op) {
        submitted_.set(op.witness);
        order_.push_back(op);
    }

    static bool is_signal(const TimelineOp &op) {
        return op.kind == TimelineKind::Signal || op.kind == TimelineKind::HostSignal;
    }
    static bool of_host(const TimelineOp &op) {
        return op.kind == TimelineKind::HostSignal || op.kind == TimelineKind::Read;
    }
    // The first that is left may always come.
    bool may_come_now(const TimelineOp &op) const {
        for (const TimelineOp &earlier : witness_) {
            if (earlier.witness == op.witness) break;
            if (!submitted_.test(earlier.witness) && must_precede(earlier, op)) return false;
        }
        return true;
    }
    bool must_precede(const TimelineOp &earlier, const TimelineOp &op) const {
        if (!of_host(earlier) && !of_host(op) && earlier.stream == op.stream) return true;
        if (op.kind == TimelineKind::HostSignal && op.before.test(earlier.witness)) return true; // it waits for them
        if (earlier.object != op.object) return false;
        const auto is = [](const TimelineOp &one, TimelineKind a, TimelineKind b) {
            return one.kind == a || one.kind == b;
        };
        if (is(earlier, TimelineKind::Record, TimelineKind::WaitEvent) &&
            is(op, TimelineKind::Record, TimelineKind::WaitEvent))
            return true;
        return is_signal(earlier) && is_signal(op) && !waits_first(op, earlier.value);
    }
    // The signal's stream waits for at least that value before it: a smaller signal may be submitted later.
    bool waits_first(const TimelineOp &signal, uint16_t value) const {
        if (signal.kind != TimelineKind::Signal) return false;
        return std::any_of(witness_.begin(), witness_.end(), [&](const TimelineOp &op) {
            return op.kind == TimelineKind::Wait && op.stream == signal.stream && op.object == signal.object &&
                   op.witness < signal.witness && op.value >= value;
        });
    }

    // A stream that has submitted a wait for exactly the value of a signal that is still to be submitted cannot be the one
    // that makes it.
    void circle() {
        for (const TimelineOp &wait : order_) {
            if (wait.kind != TimelineKind::Wait) continue;
            for (const TimelineOp &signal : witness_) {
                if (!is_signal(signal) || submitted_.test(signal.witness) || signal.object != wait.object ||
                    signal.value != wait.value)
                    continue;
                TimelineOp op = wait;
                op.kind = TimelineKind::Circle;
                order_.push_back(op);
                return;
            }
        }
    }

    Random &random_;
    const std::vector<TimelineOp> &witness_;
    std::vector<TimelineOp> order_;
    TimelineSet submitted_;
};

constexpr const char *kTimelineOpNames[] = {"hold",   "work", "signal", "wait",      "host_signal",
                                            "circle", "read", "record", "wait_event"};

} // namespace

TimelineProgram generate_timelines(uint64_t seed) {
    Random random(seed);
    TimelineProgram program;
    program.seed = seed;
    Witness witness(random);
    const std::vector<TimelineOp> ops = witness.make();
    for (int t = 0; t < kTimelines; ++t) program.reached[t] = witness.value(t);
    program.ops = Shuffle(random, ops).make();
    return program;
}

std::string describe(const TimelineOp &op) {
    return std::to_string(op.witness) + ": " + kTimelineOpNames[static_cast<int>(op.kind)] + "(s" +
           std::to_string(op.stream) + ", " + std::to_string(op.object) + ", " + std::to_string(op.value) + ")";
}

std::string describe(const TimelineProgram &program) {
    std::string text = "seed " + std::to_string(program.seed) + "\n";
    for (const TimelineOp &op : program.ops) text += "  " + describe(op) + "\n";
    return text;
}

} // namespace gs::oracle
