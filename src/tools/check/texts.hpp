// SPDX-License-Identifier: Apache-2.0
// Labels and call stacks of accesses, each kept once. Number 0 is none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/call_stack.hpp"

namespace gs::check {

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

} // namespace gs::check
