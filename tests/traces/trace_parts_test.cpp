// SPDX-License-Identifier: Apache-2.0
// What the parts of a trace are, of entries whose times are given.
#include <gtest/gtest.h>

#include "support/objects.hpp"
#include "tools/trace/trace_parts.hpp"

namespace gs::check::test {
namespace {

using recorder::LogCall;
using recorder::LogEntry;

LogEntry mark(uint64_t time_ns, uint32_t thread) {
    LogEntry entry;
    entry.call = LogCall::Mark;
    entry.time_ns = time_ns;
    entry.thread = thread;
    return entry;
}

TEST(TraceParts, AMomentEndsWithTheNextOneOfItsLane) {
    trace::Snapshot snapshot;
    snapshot.entries = {mark(1'000, 1), mark(1'100, 2), mark(1'400, 1), mark(9'000, 1)};
    const trace::Parts parts = trace::make_parts(snapshot, {});
    ASSERT_EQ(parts.lanes.size(), 2u);
    ASSERT_EQ(parts.spans.size(), 4u);
    EXPECT_EQ(parts.spans[0].until_ns, 1'400);
    EXPECT_EQ(parts.spans[1].until_ns, 2'100) << "alone on its lane";
    EXPECT_EQ(parts.spans[2].until_ns, 2'400) << "the next one is far away";
    EXPECT_EQ(parts.spans[3].until_ns, 10'000) << "the last one";
}

} // namespace
} // namespace gs::check::test
