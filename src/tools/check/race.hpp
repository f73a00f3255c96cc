// SPDX-License-Identifier: Apache-2.0
// A race that was found, as texts for people and programs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "core/names.hpp"
#include "tools/call_stack.hpp"
#include "tools/check/access.hpp"

namespace gs::check {

// Labels and call stacks of accesses, each kept once. Number 0 is none.

class Texts {
public:
    uint32_t label(const char *text) {
        if (!text || *text == '\0') return 0;
        const auto [found, made] = labels_.try_emplace(text, static_cast<uint32_t>(labels_.size() + 1));
        if (made) by_label_.push_back(&found->first);
        return found->second;
    }
    uint32_t stack(const CallSite &site) {
        if (site.frames.empty()) return 0;
        const auto [found, made] = stacks_.try_emplace(site, static_cast<uint32_t>(stacks_.size() + 1));
        if (made) by_stack_.push_back(&found->first);
        return found->second;
    }
    std::string label_text(uint32_t number) const { return number == 0 ? std::string() : *by_label_[number - 1]; }
    CallSite stack_site(uint32_t number) const { return number == 0 ? CallSite() : *by_stack_[number - 1]; }

private:
    std::map<std::string, uint32_t> labels_; // nodes do not move
    std::vector<const std::string *> by_label_;
    std::map<CallSite, uint32_t> stacks_;
    std::vector<const CallSite *> by_stack_;
};

struct RaceSide {
    Access access;
    std::string label;
    CallSite site;
    std::vector<std::string> stack; // filled in when it is delivered
    std::string stream_name;
};

struct Race {
    RaceSide earlier, later; // by the order of the calls
    // The later side's stream or thread has waited for the earlier one's, but for a point before that access.
    bool waited_before = false;
    // Some thread has seen that the earlier access is done, and the library did not allocate the memory: an allocator may have
    // given it to another thread since.
    bool may_have_moved = false;
};

std::string race_as_text(const Race &race);
std::string race_as_json(const Race &race); // one line

// Where reports go: the callback or stderr, and the file of JSON; which of them are not wanted.

using ReportFunction = void (*)(void *arg, const char *text, const char *json);
void set_report_function(ReportFunction fn, void *arg) noexcept;

// Opens the files that the environment names, once. INVALID_ARGUMENT: a line of the suppressions that is malformed.
Status prepare_delivery() noexcept;

// No lock may be held. Aborts the process after a report if that is asked for.
void deliver(Race &race, bool abort_after) noexcept;

// Reports that are not wanted: a file of lines "label:PATTERN", "stream:PATTERN" and "stack:PATTERN". A race is suppressed if
// a label, the name of a stream or a frame of either side matches; * and ? in a pattern match as in file names. Empty lines
// and those that begin with # do not count.

struct Suppression {
    enum class Of : uint8_t { Label, Stream, Stack } of;
    std::string pattern;
};
using Suppressions = std::vector<Suppression>;

// INVALID_ARGUMENT with the number of the line that is malformed. May throw std::bad_alloc.
Status parse_suppressions(const std::string &text, Suppressions *out);
bool is_suppressed(const Suppressions &all, const Race &race) noexcept;

} // namespace gs::check
