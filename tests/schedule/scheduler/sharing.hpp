// SPDX-License-Identifier: Apache-2.0
// Which objects several threads use, at least one of them writing. Only the order of accesses to those can make a
// difference.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace gs::schedule {

class Sharing {
public:
    // Notes an access. Returns true if the object is shared; *grew is set if it was not known to be before.
    bool note(uintptr_t object, int thread, bool write, bool *grew) {
        for (const Array &array : arrays_)
            if (object - array.begin < array.bytes) object = array.alike + (object - array.begin) % array.stride;
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
    // Objects that are used in an order which changes from run to run: what is shared of one is shared of all. They are
    // the elements of an array; `alike`: they are treated as those of the array that begins there.
    void treat_alike(uintptr_t begin, size_t bytes, size_t stride, uintptr_t alike) {
        for (const Array &array : arrays_)
            if (array.begin == begin) return;
        arrays_.push_back({begin, bytes, stride, alike});
    }

private:
    struct Use {
        int first;
        bool several;
        bool written;
    };
    struct Array {
        uintptr_t begin;
        size_t bytes;
        size_t stride;
        uintptr_t alike;
    };
    std::unordered_map<uintptr_t, Use> uses_;
    std::vector<Array> arrays_;
};

} // namespace gs::schedule
