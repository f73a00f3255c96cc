// SPDX-License-Identifier: Apache-2.0
// The numbers of lines of execution, which are the places of vector clocks. A line is what runs in its own order: a
// stream, or a thread that accesses memory itself.
//
// The number of a line that has ended is used again once no remembered access refers to it; its epochs go on, so that what
// others know of the old line does not order the new one.
#pragma once

#include <cstdint>
#include <vector>

namespace gs::check {

class Lines {
public:
    struct Start {
        uint32_t line;
        uint64_t epoch; // the first one of its own
    };
    Start begin() {
        if (free_.empty()) {
            free_.reserve(lines_.size() + 1); // so that end() and release() need no memory
            lines_.push_back({});
            return {static_cast<uint32_t>(lines_.size() - 1), 1};
        }
        const uint32_t line = free_.back();
        free_.pop_back();
        lines_[line].ended = false;
        return {line, lines_[line].epoch + 1};
    }
    void end(uint32_t line, uint64_t epoch) noexcept {
        lines_[line].ended = true;
        lines_[line].epoch = epoch;
        if (lines_[line].accesses == 0) free_.push_back(line);
    }
    void hold(uint32_t line) noexcept { ++lines_[line].accesses; }
    void release(uint32_t line) noexcept {
        Line &found = lines_[line];
        if (--found.accesses == 0 && found.ended) free_.push_back(line);
    }

private:
    struct Line {
        uint64_t epoch = 0; // the last one, once it has ended
        uint32_t accesses = 0;
        bool ended = false;
    };
    std::vector<Line> lines_;
    std::vector<uint32_t> free_;
};

} // namespace gs::check
