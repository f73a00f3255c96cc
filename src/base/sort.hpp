// SPDX-License-Identifier: Apache-2.0
// A sort of few instructions: std::sort brings 2,000 to 10,000 bytes for each type and order, and only cold code
// sorts.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

namespace gs {

// Heap sort: in place, O(n log n) in the worst case, without memory of its own. Equal elements may change places, so orders
// that show in results must be total.
template <typename T, typename Less = std::less<>>
__attribute__((noinline)) void sort_elements(T *items, size_t count, Less less = {}) {
    const auto sink = [&](size_t hole, size_t end) {
        for (size_t child; (child = 2 * hole + 1) < end; hole = child) {
            if (child + 1 < end && less(items[child], items[child + 1])) ++child;
            if (!less(items[hole], items[child])) return;
            std::swap(items[hole], items[child]);
        }
    };
    // First the heap grows from its end, then the largest element moves behind the heap, again and again.
    size_t start = count / 2, end = count;
    while (end > 1) {
        if (start > 0) {
            --start;
        } else {
            --end;
            std::swap(items[0], items[end]);
        }
        sink(start, end);
    }
}

} // namespace gs
