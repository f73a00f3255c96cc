// SPDX-License-Identifier: Apache-2.0
// Dumps have each kind of operation that the log has, and what streams wait for: words of memory, too.
#include <gmock/gmock.h>

#include <atomic>

#include "dumps/dumped.hpp"
#include "traces/operations.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DumpLog, NamesEachKindOfOperation) {
    Operations operations;
    std::string text; // a dump has the newest ones of each stream
    operations.do_all([&] { text += dumped(); });
    for (const char *part :
         {": allocates", ": fills", ": copies", ": frees", ": a host function", ": launches", ": work",
          ": waits for a word of memory", ": records event ", ": waits for event ", ": waits for stream ",
          ": signals timeline ", ": waits for timeline ", "the thread has seen it idle"})
        EXPECT_THAT(text, HasSubstr(part));
}

// Of a word that the program writes, the dump can say that a stream waits for it and not whether it is there.
TEST(DumpLog, AWaitForAWordMayStillWait) {
    const Stream stream = named_stream("waits"), behind = named_stream("behind");
    void *word = nullptr;
    ASSERT_OK(gs_malloc_host(8, &word));
    auto &value = *static_cast<std::atomic<uint64_t> *>(word);
    value = 0;
    ASSERT_OK(gs_stream_wait_value(stream, word, 1, GS_VALUE_GEQ));
    ASSERT_OK(gs_stream_wait_stream(behind, stream));
    std::string text = dumped();
    EXPECT_THAT(line_about(text, "waits"), HasSubstr("may wait for a word of memory"));
    EXPECT_THAT(line_about(text, "behind"), HasSubstr("may wait for"));
    const Stream writer = make_stream(0);
    ASSERT_OK(gs_stream_write_value(writer, word, 1, 0));
    ASSERT_OK(gs_stream_synchronize(behind));
    ASSERT_OK(gs_stream_synchronize(stream));
    text = dumped();
    EXPECT_THAT(line_about(text, "waits"), Not(HasSubstr("a word")));
    EXPECT_EQ(line_about(text, "behind"), "stream  (\"behind\") has no known wait");
    ASSERT_OK(gs_free_host(word));
}

} // namespace
} // namespace gs::check::test
