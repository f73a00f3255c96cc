// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "base/log.hpp"

namespace gs {
namespace {

std::string made(std::string text) {
    make_utf8(text.data());
    return text.c_str();
}

TEST(Utf8, TextStaysAsItIs) {
    for (const char *text : {"", "plain", "\x7f", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x9a\x80",
                             "a\xc3\xa9\xe2\x82\xacz", "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf"})
        EXPECT_EQ(made(text), text);
}

TEST(Utf8, OtherBytesAreReplaced) {
    EXPECT_EQ(made("a\xff\x80z"), "a??z");
    EXPECT_EQ(made("\xc3(\xa9"), "?(?") << "a second byte is wrong";
    EXPECT_EQ(made("\xc0\xafz"), "??z") << "an overlong form";
    EXPECT_EQ(made("\xe0\x80\xafz"), "???z") << "an overlong form";
    EXPECT_EQ(made("\xed\xa0\x80z"), "???z") << "a surrogate";
    EXPECT_EQ(made("\xf4\x90\x80\x80z"), "????z") << "beyond the last character";
    EXPECT_EQ(made("\xe2\x82z\xac"), "??z?");
}

TEST(Utf8, ACutCharacterGoes) {
    EXPECT_EQ(made("ab\xc3"), "ab");
    EXPECT_EQ(made("ab\xe2\x82"), "ab");
    EXPECT_EQ(made("ab\xf0\x9f\x9a"), "ab");
    EXPECT_EQ(made("ab\xe0\x80"), "ab??") << "it began none";
}

TEST(Utf8, MessagesOfTheLog) {
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
