// SPDX-License-Identifier: Apache-2.0
#include "base/sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace gs {
namespace {

template <typename T, typename... Less>
std::vector<T> sorted(std::vector<T> items, Less... less) {
    sort_elements(items.data(), items.size(), less...);
    return items;
}

template <typename T>
std::vector<T> expected(std::vector<T> items) {
    std::sort(items.begin(), items.end());
    return items;
}

TEST(Sort, NothingAndOneElementStayAsTheyAre) {
    sort_elements(static_cast<int *>(nullptr), 0);
    EXPECT_EQ(sorted(std::vector<int>{7}), std::vector<int>{7});
}

TEST(Sort, EveryOrderOfUpToSevenElements) {
    for (int size = 2; size <= 7; ++size) {
        std::vector<int> items;
        for (int i = 0; i < size; ++i) items.push_back(i / 2); // two of each
        const std::vector<int> wanted = items;
        do EXPECT_EQ(sorted(items), wanted);
        while (std::next_permutation(items.begin(), items.end()));
    }
}

TEST(Sort, ManyElementsAsStdSort) {
    std::mt19937_64 random(20261123);
    for (const size_t size : {8u, 63u, 64u, 65u, 1000u, 4097u}) {
        for (const uint64_t values : {uint64_t{1}, uint64_t{3}, uint64_t{500}, UINT64_MAX}) {
            std::vector<uint64_t> items(size);
            for (uint64_t &item : items) item = random() % values;
            EXPECT_EQ(sorted(items), expected(items)) << size << " elements of " << values << " values";
        }
    }
}

TEST(Sort, OrderedAndReversedElements) {
    std::vector<int> rising(1000), falling(1000);
    for (int i = 0; i < 1000; ++i) rising[static_cast<size_t>(i)] = i, falling[static_cast<size_t>(i)] = 999 - i;
    EXPECT_EQ(sorted(rising), rising);
    EXPECT_EQ(sorted(falling), rising);
    EXPECT_EQ(sorted(rising, std::greater<>()), falling);
}

TEST(Sort, TheOrderMayHaveStateAndElementsMayOwnMemory) {
    const std::vector<int> rank{2, 0, 3, 1};
    const std::vector<size_t> order =
        sorted(std::vector<size_t>{0, 1, 2, 3}, [&](size_t a, size_t b) { return rank[a] < rank[b]; });
    EXPECT_EQ(order, (std::vector<size_t>{1, 3, 0, 2}));
    const std::string far(100, 'z');
    EXPECT_EQ(sorted(std::vector<std::string>{far, "b", "a"}), (std::vector<std::string>{"a", "b", far}));
}

} // namespace
} // namespace gs
