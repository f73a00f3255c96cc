// SPDX-License-Identifier: Apache-2.0
// Accesses to memory that are remembered.
#pragma once

#include <cstdint>
#include <vector>

namespace gs::check {

// The numbers of lines of execution, which are the places of vector clocks. A line is what runs in its own order: a
// stream, or a thread that accesses memory itself.
//
// The number of a line that has ended is used again once no remembered access refers to it; its epochs go on, so that what
// others know of the old line does not order the new one.

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

// Unknown: it may read or write. It counts as a read, so two of them are no race.
enum class AccessKind : uint8_t { Read, Write, Allocate, Free, Unknown };

inline bool writes(AccessKind kind) noexcept { return kind != AccessKind::Read && kind != AccessKind::Unknown; }

struct Access {
    uint32_t line = 0;             // whose
    uint64_t epoch = 0, first = 0; // its own one, and the first of the line's
    uint64_t number = 0;           // in the order of the checker's accesses, from 1
    uint64_t stream = 0;           // its handle; 0: the thread itself
    uint64_t thread = 0;           // the operating system's number
    uintptr_t begin = 0, end = 0;
    uint32_t label = 0; // of Texts
    uint32_t stack = 0; // of Stacks; 0: not kept
    AccessKind kind = AccessKind::Read;
    bool early = false;  // it does not wait for the earlier work of its stream
    uint64_t launch = 0; // of a graph, by number from 1; 0: none
    uint64_t node = 0;   // of that graph; 0: unknown, or no graph
};

// Accesses by number, as long as some range refers to them.
class Accesses {
public:
    explicit Accesses(Lines &lines) noexcept : lines_(lines) {}
    // Held once by the caller.
    uint32_t add(const Access &access) {
        uint32_t place = 0;
        if (free_.empty()) {
            free_.reserve(all_.size() + 1); // so that release() needs no memory
            all_.push_back({access, 1});
            place = static_cast<uint32_t>(all_.size() - 1);
        } else {
            place = free_.back();
            free_.pop_back();
            all_[place] = {access, 1};
        }
        lines_.hold(access.line);
        return place;
    }
    void hold(uint32_t place) noexcept { ++all_[place].holds; }
    void release(uint32_t place) noexcept {
        Held &held = all_[place];
        if (--held.holds != 0) return;
        lines_.release(held.access.line);
        free_.push_back(place);
    }
    const Access &at(uint32_t place) const noexcept { return all_[place].access; }

private:
    struct Held {
        Access access;
        uint32_t holds = 0;
    };
    Lines &lines_;
    std::vector<Held> all_;
    std::vector<uint32_t> free_;
};

} // namespace gs::check
