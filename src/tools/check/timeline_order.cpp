// SPDX-License-Identifier: Apache-2.0
#include "tools/check/stream_order.hpp"

namespace gs::check {

VectorClock TimelineOrder::before(uint64_t timeline, uint64_t value) const {
    VectorClock clock;
    const auto found = timelines_.find(timeline);
    if (found == timelines_.end()) return clock;
    clock = found->second.older;
    for (const Signal &signal : found->second.signals)
        if (signal.value < value) clock.merge(signal.clock);
    clock.settle();
    return clock;
}

// One that is announced must stay until its end; it is among the newest, as a rule.
void TimelineOrder::drop_old(Timeline &timeline) {
    while (timeline.signals.size() > kMostSignals && timeline.signals.front().happens) {
        timeline.older.merge(timeline.signals.front().clock);
        timeline.older.settle();
        timeline.signals.erase(timeline.signals.begin());
    }
}

uint64_t TimelineOrder::announce(uint64_t timeline, uint64_t value, const VectorClock &clock, bool *out_late) {
    Timeline &found = timelines_[timeline];
    drop_old(found);
    auto place = found.signals.begin();
    while (place != found.signals.end() && place->value < value) ++place;
    *out_late = place != found.signals.end();
    found.signals.insert(place, {value, ++last_number_, false, clock});
    return last_number_;
}

// A signal that itself comes after the wait is not the one that meets it.
void TimelineOrder::meet(Timeline &timeline, const Signal &signal) {
    for (const std::shared_ptr<OpenWait> &wait : timeline.waits) {
        if (wait->met || wait->value > signal.value) continue;
        VectorClock clock = signal.clock;
        clock.settle();
        if (clock.carries(*wait)) continue;
        wait->before = std::move(clock);
        wait->met = true;
    }
    std::erase_if(timeline.waits, [](const auto &wait) { return wait->met; });
}

void TimelineOrder::end(uint64_t timeline, uint64_t number, bool happens) {
    const auto found = timelines_.find(timeline);
    if (found == timelines_.end()) return; // closed in between
    auto &signals = found->second.signals;
    const auto signal =
        std::find_if(signals.begin(), signals.end(), [&](const Signal &one) { return one.number == number; });
    if (signal == signals.end()) return;
    if (!happens) {
        signals.erase(signal);
        return;
    }
    signal->happens = true;
    meet(found->second, *signal);
}

void TimelineOrder::wait(uint64_t timeline, const OpenWait &wait, bool reached, VectorClock &clock) {
    Timeline &found = timelines_[timeline];
    bool announced = false;
    for (const Signal &signal : found.signals) {
        if (signal.value < wait.value) continue;
        announced = true;
        if (!signal.happens) continue;
        clock.merge(signal.clock);
        clock.settle();
        return;
    }
    if (reached && !announced) { // by its first value, or signals that are older than what is known
        clock.merge(found.older);
        clock.settle();
        return;
    }
    auto open = std::make_shared<OpenWait>(wait);
    found.waits.push_back(open);
    clock.add_open(std::move(open));
}

VectorClock TimelineOrder::reached(uint64_t timeline, uint64_t value, bool exact) const {
    VectorClock clock;
    const auto found = timelines_.find(timeline);
    if (found == timelines_.end()) return clock;
    clock = found->second.older;
    for (const Signal &signal : found->second.signals) {
        if (exact && signal.value > value) break;
        clock.merge(signal.clock);
        if (signal.value >= value && signal.happens) break;
    }
    clock.settle();
    return clock;
}

void TimelineOrder::close(uint64_t timeline, const VectorClock &all) {
    const auto found = timelines_.find(timeline);
    if (found == timelines_.end()) return;
    for (const std::shared_ptr<OpenWait> &wait : found->second.waits) {
        wait->before = all;
        wait->met = true;
    }
    timelines_.erase(found);
}

} // namespace gs::check
