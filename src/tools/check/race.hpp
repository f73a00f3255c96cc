// SPDX-License-Identifier: Apache-2.0
// A race that was found, as texts for people and programs.
#pragma once

#include <string>

#include "core/names.hpp"
#include "tools/check/access.hpp"
#include "tools/check/texts.hpp"

namespace gs::check {

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

} // namespace gs::check
