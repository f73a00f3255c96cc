// SPDX-License-Identifier: Apache-2.0
// Whether a call tells anyone what it does: the ordering checker or the log is on, or may be. Then they decide.
#pragma once

#include "base/rare_state.hpp"

namespace gs::check {

inline bool observed() noexcept {
    constexpr uint32_t observers = kRareChecked | kRareCheckUndecided | kRareLogged | kRareLogUndecided |
                                   kRareListened | kRareDefaultStream | kRareNamesKept;
    return (g_rare_state.load(std::memory_order_relaxed) & observers) != 0;
}
inline bool may_be_checked() noexcept {
    return (g_rare_state.load(std::memory_order_relaxed) & (kRareChecked | kRareCheckUndecided)) != 0;
}

} // namespace gs::check
