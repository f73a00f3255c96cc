// SPDX-License-Identifier: Apache-2.0
// Why there is no slot for another object.
#include <gtest/gtest.h>

#include <string>

#include "base/status.hpp"
#include "base/thread_block.hpp"
#include "core/names.hpp"
#include "handle/slot_map.hpp"

namespace gs {
namespace {

TEST(NoSlot, SaysWhetherMemoryOrHandlesAreOut) {
    ASSERT_NE(this_thread(), nullptr);
    EXPECT_EQ(no_slot(Kind::Queue).code, GS_ERROR_OUT_OF_MEMORY);
    EXPECT_STREQ(pending_text(), "no memory for another queue");
    std::atomic<uint32_t> &highest = g_highest_index[static_cast<size_t>(Kind::Queue)];
    const uint32_t before = highest.exchange(kMaxIndex);
    EXPECT_EQ(no_slot(Kind::Queue).code, GS_ERROR_OUT_OF_MEMORY);
    highest = before;
    EXPECT_STREQ(pending_text(), "all 16777215 handles of the kind 'queue' are in use: destroy some");
}

} // namespace
} // namespace gs
