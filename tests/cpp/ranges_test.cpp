// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <gpustream.hpp>
#include <string>

using namespace gpustream;

namespace {

gs_status_t append(void *text, const char *part, size_t bytes) {
    static_cast<std::string *>(text)->append(part, bytes);
    return GS_OK;
}

TEST(Ranges, EndWithTheirBlockAndAreInTheTrace) {
    uint64_t trace = 0;
    ASSERT_EQ(gs_trace_begin(nullptr, &trace), GS_OK);
    {
        const range outer("outer range");
        EXPECT_EQ(outer.status(), status::ok);
        {
            const range inner("inner range");
            mark("a moment");
        }
        EXPECT_EQ(gs_range_pop(), GS_OK) << "the outer one was still open";
    }
    EXPECT_EQ(gs_range_pop(), GS_ERROR_SCOPE);
    ASSERT_EQ(gs_trace_end(trace), GS_OK);
    std::string text;
    ASSERT_EQ(gs_trace_write(trace, append, &text), GS_OK);
    for (const char *name : {"outer range", "inner range", "a moment"})
        EXPECT_NE(text.find(name), std::string::npos) << name;
}

TEST(Ranges, ANameIsWanted) {
    EXPECT_THROW(range(nullptr), error);
    EXPECT_THROW(mark(nullptr), error);
    EXPECT_EQ(gs_range_pop(), GS_ERROR_SCOPE);
}

} // namespace
