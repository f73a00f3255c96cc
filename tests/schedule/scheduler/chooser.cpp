// SPDX-License-Identifier: Apache-2.0
#include "schedule/scheduler/chooser.hpp"

#include <algorithm>
#include <cstdlib>

namespace gs::schedule {
namespace {

bool independent(const Access &a, const Access &b) {
    if (a.object == kAlwaysShared || b.object == kAlwaysShared) return false;
    const bool both_strict = a.strict && b.strict;
    if (a.object != b.object) return !both_strict || (a.object != kFence && b.object != kFence);
    return !a.write && !b.write && !both_strict;
}

} // namespace

void Search::begin() {
    position_ = 0;
    diverged_ = false;
}

void Search::restart() {
    decisions_.clear();
    begin();
}

bool Search::next() {
    while (!decisions_.empty()) {
        Decision &last = decisions_.back();
        if (++last.chosen < last.options) return true;
        decisions_.pop_back();
    }
    return false;
}

size_t Search::decide(size_t options, bool voluntary) {
    if (position_ == decisions_.size()) {
        decisions_.push_back({options, 0, voluntary});
    } else if (decisions_[position_].options != options || decisions_[position_].voluntary != voluntary) {
        // The library did not repeat itself. The search goes on with what this run does.
        diverged_ = true;
        decisions_.resize(position_);
        decisions_.push_back({options, 0, voluntary});
    }
    return decisions_[position_++].chosen;
}

void Systematic::begin() {
    Search::begin();
    preemptions_ = 0;
}

size_t Systematic::choose(const Point &point) {
    if (point.voluntary && preemptions_ == bound_) return 0;
    const size_t chosen = decide(point.options.size(), point.voluntary);
    if (point.voluntary && chosen != 0) ++preemptions_;
    return chosen;
}

void Exhaustive::begin() {
    Search::begin();
    sleeping_ = 0;
    cut_short_ = false;
}

size_t Exhaustive::choose(const Point &point) {
    std::vector<size_t> awake;
    for (size_t i = 0; i < point.options.size(); ++i) {
        if (*point.options[i].next->doing == '\0') return i; // nothing depends on the way to its first access
        if ((sleeping_ >> point.options[i].thread & 1) == 0) awake.push_back(i);
    }
    cut_short_ |= awake.empty();
    if (cut_short_) return 0; // to its end, in any way
    const size_t taken = awake.size() == 1 ? 0 : decide(awake.size(), true);
    for (size_t i = 0; i < taken; ++i) sleeping_ |= 1u << point.options[awake[i]].thread;
    const Access &access = *point.options[awake[taken]].next;
    for (const Option &option : point.options)
        if (!independent(*option.next, access)) sleeping_ &= ~(1u << option.thread);
    return awake[taken];
}

size_t Exhaustive::pick(size_t count) { return cut_short_ ? 0 : decide(count, false); }

Random::Random(uint64_t seed, int changes, uint64_t expected_points) : random_(seed) {
    for (int i = 0; i < changes; ++i) changes_.push_back(random_() % std::max<uint64_t>(expected_points, 1));
}

int64_t &Random::priority_of(int thread) {
    while (priorities_.size() <= static_cast<size_t>(thread))
        priorities_.push_back(static_cast<int64_t>(random_() >> 1));
    return priorities_[static_cast<size_t>(thread)];
}

size_t Random::choose(const Point &point) {
    const uint64_t number = points_++;
    for (const Option &option : point.options) priority_of(option.thread); // in the order of their numbers
    if (point.voluntary && std::find(changes_.begin(), changes_.end(), number) != changes_.end())
        priority_of(point.options[0].thread) = --lowest_;
    const bool keep = (random_() & 1) != 0;
    size_t best = 0;
    for (size_t i = 1; i < point.options.size(); ++i) {
        const Option &here = point.options[i];
        const Option &there = point.options[best];
        const bool higher = priority_of(here.thread) > priority_of(there.thread);
        if (higher || (here.thread == there.thread && here.keep == keep)) best = i;
    }
    return best;
}

std::string text_of(const std::vector<Choice> &choices) {
    std::string text;
    for (const Choice &choice : choices) {
        if (!text.empty()) text += ',';
        text += std::to_string(choice.step) + ':' + std::to_string(choice.thread) + (choice.keep ? "~" : "");
    }
    return text.empty() ? "default" : text;
}

std::string text_of(const std::vector<Option> &options) {
    std::string text;
    for (const Option &option : options) text += ' ' + std::to_string(option.thread) + (option.keep ? "~" : "");
    return text;
}

Replay::Replay(const std::string &text) {
    const char *at = text.c_str();
    while (*at >= '0' && *at <= '9') {
        char *end = nullptr;
        const uint64_t step = std::strtoull(at, &end, 10);
        if (*end != ':') break;
        const int thread = static_cast<int>(std::strtol(end + 1, &end, 10));
        const bool keep = *end == '~';
        choices_.push_back({step, thread, keep});
        at = end + (keep ? 1 : 0);
        if (*at == ',') ++at;
    }
}

size_t Replay::choose(const Point &point) {
    if (used_up() || choices_[next_].step != point.step) return 0;
    const Choice &choice = choices_[next_];
    for (size_t i = 0; i < point.options.size(); ++i) {
        if (point.options[i].thread != choice.thread || point.options[i].keep != choice.keep) continue;
        ++next_;
        return i;
    }
    return 0;
}

} // namespace gs::schedule
