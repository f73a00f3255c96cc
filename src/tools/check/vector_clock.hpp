// SPDX-License-Identifier: Apache-2.0
// What is known to have happened: for each line of execution, how far. Changing one may throw std::bad_alloc.
//
// A wait can be met by a signal that is submitted later. What comes after such a wait carries it: while it is not known to be
// met, the clock says too little.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <vector>

namespace gs::check {

struct OpenWait;

class VectorClock {
public:
    uint64_t at(uint32_t line) const noexcept { return line < epochs_.size() ? epochs_[line] : 0; }
    void set(uint32_t line, uint64_t epoch) {
        if (line >= epochs_.size()) epochs_.resize(line + 1, 0);
        epochs_[line] = epoch;
    }
    void merge(const VectorClock &other) {
        merge_epochs(other);
        if (other.open_.empty()) return;
        std::vector<std::shared_ptr<OpenWait>> both;
        both.reserve(open_.size() + other.open_.size());
        std::set_union(open_.begin(), open_.end(), other.open_.begin(), other.open_.end(), std::back_inserter(both));
        open_ = std::move(both);
    }
    void merge_epochs(const VectorClock &other) {
        if (other.epochs_.size() > epochs_.size()) epochs_.resize(other.epochs_.size(), 0);
        for (size_t i = 0; i < other.epochs_.size(); ++i) epochs_[i] = std::max(epochs_[i], other.epochs_[i]);
    }

    void add_open(std::shared_ptr<OpenWait> wait) {
        const auto place = std::lower_bound(open_.begin(), open_.end(), wait);
        open_.insert(place, std::move(wait));
    }
    const std::vector<std::shared_ptr<OpenWait>> &open() const noexcept { return open_; }
    bool carries(const OpenWait &wait) const noexcept {
        const auto place =
            std::lower_bound(open_.begin(), open_.end(), &wait, [](const auto &one, const OpenWait *wanted) {
                return std::less<const OpenWait *>()(one.get(), wanted);
            });
        return place != open_.end() && place->get() == &wait;
    }
    // Learns what came before the waits that are met by now. Whether there were any.
    bool settle();

private:
    std::vector<uint64_t> epochs_;
    std::vector<std::shared_ptr<OpenWait>>
        open_; // by address: hundreds may be pending in one stream, and clocks are merged often
};

// `before` never carries the wait itself: what meets a wait comes ahead of it.
struct OpenWait {
    uint64_t thread = 0; // that submitted it
    uint32_t line = 0;   // the stream's, with its epoch: a line is used again
    uint64_t epoch = 0;
    uint64_t value = 0; // of a timeline
    bool for_word = false;
    bool met = false;
    VectorClock before; // what had happened then, once it is met
};

inline bool VectorClock::settle() {
    bool any = false;
    for (;;) { // what one adds is looked at too
        const auto met = std::find_if(open_.begin(), open_.end(), [](const auto &one) { return one->met; });
        if (met == open_.end()) return any;
        const std::shared_ptr<OpenWait> wait = std::move(*met);
        open_.erase(met);
        merge(wait->before);
        any = true;
    }
}

} // namespace gs::check
