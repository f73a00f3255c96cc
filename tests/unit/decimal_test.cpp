// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <gtest/gtest.h>

namespace gs {
namespace {

TEST(Decimal, HasAllDigits) {
    for (const uint64_t number :
         {uint64_t{0}, uint64_t{9}, uint64_t{10}, uint64_t{1'234'567'890}, UINT64_MAX - 1, UINT64_MAX})
        EXPECT_EQ(decimal(number), std::to_string(number));
}

} // namespace
} // namespace gs
