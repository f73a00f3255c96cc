// SPDX-License-Identifier: Apache-2.0
// Which objects several threads use, at least one of them writing. Only the order of accesses to those can make a
// difference.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace gs::schedule {

class Sharing {
public:
    // Notes an access. Returns true if the object is shared; *grew is set if it was not known to be before.
    bool note(uintptr_t object, int thread, bool write, bool *grew) {
        auto [found, fresh] = uses_.try_emplace(object, Use{thread, false, write});
        Use &use = found->second;
        const bool before = use.several && use.written;
        if (use.first != thread) use.several = true;
        use.written |= write;
        const bool after = use.several && use.written;
        if (after && !before) *grew = true;
        return after;
    }
    void forget() { uses_.clear(); }

private:
    struct Use {
        int first;
        bool several;
        bool written;
    };
    std::unordered_map<uintptr_t, Use> uses_;
};

} // namespace gs::schedule
