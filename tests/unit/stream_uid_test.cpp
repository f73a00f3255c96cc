// SPDX-License-Identifier: Apache-2.0
// The numbers of driver streams in the words of records: 24 bits, never given twice.
#include <gtest/gtest.h>

#include "core/stream/stream_slots.hpp"
#include "support/own_process.hpp"

namespace gs {
namespace {

TEST(StreamUid, EndsBeforeTheNumbersWithAMeaningAndStaysThere) {
    OWN_PROCESS();
    uint32_t last = new_stream_uid();
    EXPECT_NE(last, kUnknownStream);
    uint32_t given = 1;
    for (uint32_t uid; (uid = new_stream_uid()) != kUnknownStream; ++given) {
        if (uid != last + 1) FAIL() << uid << " after " << last;
        last = uid;
    }
    EXPECT_EQ(last, kLastStreamUid);
    EXPECT_EQ(last, kNeverRecorded - 1) << "a stream with this number would make its records look like none";
    EXPECT_EQ(given, last);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(new_stream_uid(), kUnknownStream);
}

} // namespace
} // namespace gs
