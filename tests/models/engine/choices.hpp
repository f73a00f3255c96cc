// SPDX-License-Identifier: Apache-2.0
// The decisions of one run, as a path in the tree of all runs, depth first.
#pragma once

#include <vector>

namespace gs::models {

class Choices {
public:
    void begin_run() noexcept { depth_ = 0; }
    // 0 <= result < count, count > 1.
    int choose(int count) {
        if (depth_ == path_.size()) path_.push_back({count, 0});
        return path_[depth_++].taken;
    }
    // Moves on to the next path; false: there is none.
    bool next() {
        path_.resize(depth_);
        while (!path_.empty() && path_.back().taken == path_.back().count - 1) path_.pop_back();
        if (path_.empty()) return false;
        ++path_.back().taken;
        return true;
    }
    void restart() noexcept { path_.clear(); }

private:
    struct Choice {
        int count;
        int taken;
    };
    std::vector<Choice> path_;
    size_t depth_ = 0;
};

} // namespace gs::models
