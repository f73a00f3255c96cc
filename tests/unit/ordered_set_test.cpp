// SPDX-License-Identifier: Apache-2.0
#include "base/ordered_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace gs {
namespace {

struct Number : Ordered<Number> {
    uint64_t value = 0;
    uint64_t key() const noexcept { return value; }
};

size_t depth_of(const Number *node) { return node ? 1 + std::max(depth_of(node->left), depth_of(node->right)) : 0; }

uint64_t value_of(const Number *node) { return node ? node->value : UINT64_MAX; }

} // namespace

TEST(OrderedSet, AnswersAsAStandardSet) {
    std::mt19937_64 random(7);
    std::vector<Number> numbers(500);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i].value = 2 * i;
    OrderedSet<Number> set;
    std::set<uint64_t> wanted;
    for (int step = 0; step < 20'000; ++step) {
        Number &number = numbers[random() % numbers.size()];
        if (wanted.insert(number.value).second) {
            set.insert(number);
        } else {
            set.erase(number);
            wanted.erase(number.value);
        }
        const uint64_t asked = random() % 1'001;
        const auto from = wanted.lower_bound(asked);
        ASSERT_EQ(set.size(), wanted.size());
        ASSERT_EQ(set.empty(), wanted.empty());
        ASSERT_EQ(value_of(set.first_from(asked)), from == wanted.end() ? UINT64_MAX : *from);
        ASSERT_EQ(value_of(set.last_before(asked)), from == wanted.begin() ? UINT64_MAX : *std::prev(from));
        ASSERT_EQ(set.find(asked) != nullptr, wanted.count(asked) != 0);
        ASSERT_EQ(value_of(set.first()), wanted.empty() ? UINT64_MAX : *wanted.begin());
        ASSERT_EQ(value_of(set.last()), wanted.empty() ? UINT64_MAX : *wanted.rbegin());
        const Number *const first = set.first();
        if (first) ASSERT_EQ(value_of(set.after(*first)), wanted.size() < 2 ? UINT64_MAX : *std::next(wanted.begin()));
    }
}

// Keys that come in their order, or the other way round, make it no deeper.
TEST(OrderedSet, IsAsFlatInEveryOrder) {
    for (const bool up : {true, false}) {
        std::vector<Number> numbers(100'000);
        OrderedSet<Number> set;
        for (size_t i = 0; i < numbers.size(); ++i) {
            numbers[i].value = up ? i : numbers.size() - i;
            set.insert(numbers[i]);
        }
        EXPECT_LE(depth_of(set.top()), 64u);
    }
}

} // namespace gs
