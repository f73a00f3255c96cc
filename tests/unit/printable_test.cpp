// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "base/log.hpp"

namespace gs {
namespace {

std::string made(std::string text) {
    make_printable(text.data());
    return text.c_str();
}

TEST(Printable, TextStaysAsItIs) {
    for (const char *text : {"", "plain", "two\nlines\tand a tab", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x9a\x80",
                             "a\xc3\xa9\xe2\x82\xacz", "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf"})
        EXPECT_EQ(made(text), text);
}

TEST(Printable, OtherBytesAreReplaced) {
    EXPECT_EQ(made("a\xff\x80z"), "a??z");
    EXPECT_EQ(made("\xc3(\xa9"), "?(?") << "a second byte is wrong";
    EXPECT_EQ(made("\xc0\xafz"), "??z") << "an overlong form";
    EXPECT_EQ(made("\xe0\x80\xafz"), "???z") << "an overlong form";
    EXPECT_EQ(made("\xed\xa0\x80z"), "???z") << "a surrogate";
    EXPECT_EQ(made("\xf4\x90\x80\x80z"), "????z") << "beyond the last character";
    EXPECT_EQ(made("\xe2\x82z\xac"), "??z?");
}

TEST(Printable, ControlBytesAreReplaced) {
    EXPECT_EQ(made("a\x1b[2Jz\x7f\r\b"), "a?[2Jz???");
    EXPECT_EQ(made("a\xc2\x9b"
                   "2Jz"),
              "a??2Jz")
        << "the control sequence introducer of eight bits";
    EXPECT_EQ(made("\xc2\xa0"), "\xc2\xa0") << "the first character behind the controls";
    EXPECT_EQ(printable("one\nline\t.", Lines::One), "one?line?.");
}

TEST(Printable, ACutCharacterGoes) {
    EXPECT_EQ(made("ab\xc3"), "ab");
    EXPECT_EQ(made("ab\xe2\x82"), "ab");
    EXPECT_EQ(made("ab\xf0\x9f\x9a"), "ab");
    EXPECT_EQ(made("ab\xe0\x80"), "ab??") << "it began none";
}

TEST(Printable, MessagesOfTheLog) {
    std::string seen;
    set_log_function([](void *out, int32_t, const char *text) { *static_cast<std::string *>(out) = text; }, &seen);
    log_message(GS_LOG_WARNING, "'%s'", "\xff\xc3\xa9");
    EXPECT_EQ(seen, "'?\xc3\xa9'");
    std::string longest;
    for (int i = 0; i < 400; ++i) longest += "\xc3\xa9";
    log_message(GS_LOG_WARNING, "%s", longest.c_str());
    EXPECT_EQ(seen, longest.substr(0, 598)); // 599 bytes fit, which would be half of a character
    set_log_function(nullptr, nullptr);
}

} // namespace
} // namespace gs
