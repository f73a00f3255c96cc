// SPDX-License-Identifier: Apache-2.0
// Delta debugging: parts of the set are left out as long as what is left fails.
#include <algorithm>

#include "front/shake.hpp"

namespace command {
namespace {

constexpr int kMostTests = 40;

// A race may be missed once: a set that does not fail is tried again.
bool fails(Shaker &shaker, const std::vector<LateCall> &calls, int tries) {
    for (int i = 0; i < tries; ++i)
        if (!shaker.run(plan_of(calls)).failure.empty()) return true;
    return false;
}

std::vector<LateCall> without(const std::vector<LateCall> &calls, size_t begin, size_t end) {
    std::vector<LateCall> rest(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(begin));
    rest.insert(rest.end(), calls.begin() + static_cast<std::ptrdiff_t>(end), calls.end());
    return rest;
}

} // namespace

std::vector<LateCall> smallest_failing(Shaker &shaker, const std::vector<LateCall> &all) {
    std::vector<LateCall> calls = all;
    if (calls.empty() || !fails(shaker, calls, 3)) return {};
    int tests = 0;
    for (size_t parts = 2; calls.size() > 1 && tests < kMostTests;) {
        const size_t size = (calls.size() + parts - 1) / parts;
        bool smaller = false;
        for (size_t begin = 0; begin < calls.size() && tests < kMostTests && !smaller; begin += size) {
            const size_t end = std::min(begin + size, calls.size());
            const std::vector<LateCall> part(calls.begin() + static_cast<std::ptrdiff_t>(begin),
                                             calls.begin() + static_cast<std::ptrdiff_t>(end));
            const std::vector<LateCall> rest = without(calls, begin, end);
            for (const std::vector<LateCall> *next : {&part, &rest}) {
                if (smaller || next->empty() || next->size() == calls.size() || (parts == 2 && next == &rest)) continue;
                ++tests;
                if (!fails(shaker, *next, 2)) continue;
                parts = next == &part ? 2 : std::max<size_t>(parts - 1, 2);
                calls = std::vector<LateCall>(*next);
                smaller = true;
            }
        }
        if (smaller) continue;
        if (parts >= calls.size()) break;
        parts = std::min(parts * 2, calls.size());
    }
    return calls;
}

} // namespace command
