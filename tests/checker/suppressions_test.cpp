// SPDX-License-Identifier: Apache-2.0
// Which texts the patterns of suppressions match.
#include <gtest/gtest.h>

#include "tools/check/race.hpp"

namespace gs::check::test {
namespace {

bool left_out(const std::string &line, const std::string &label) {
    Suppressions all;
    EXPECT_TRUE(parse_suppressions(line, &all).ok());
    Race race;
    race.later.label = label;
    return is_suppressed(all, race);
}

// Only '*' and '?' stand for something else.
TEST(Suppressions, TakeBracketsAndBackslashesAsTheyAre) {
    EXPECT_TRUE(left_out("label:buffer[0]", "buffer[0]"));
    EXPECT_FALSE(left_out("label:buffer[0]", "buffer0"));
    EXPECT_TRUE(left_out("label:*operator[]*", "box::operator[](int)+0x4"));
    EXPECT_TRUE(left_out("label:a\\*", "a\\b"));
    EXPECT_FALSE(left_out("label:a\\*", "a*"));
}

TEST(Suppressions, MatchTheWholeText) {
    EXPECT_TRUE(left_out("label:*a*b?", "xaxbxaabc"));
    EXPECT_FALSE(left_out("label:*a*b?", "xaxbxaab"));
    EXPECT_FALSE(left_out("label:step", "steps"));
    EXPECT_TRUE(left_out("label:step**", "step"));
    EXPECT_FALSE(left_out("label:*", "")) << "what has no label";
    EXPECT_TRUE(left_out("label:?t?", "\xC3\xA9t\xC3\xA9")) << "two letters of two bytes";
    EXPECT_TRUE(left_out("label:?", "\xFF"));
}

// In time: each '*' is tried at each place once.
TEST(Suppressions, OfManyStarsComeToAnEnd) {
    std::string pattern = "label:";
    for (int i = 0; i < 60; ++i) pattern += "a*";
    EXPECT_FALSE(left_out(pattern + "b", std::string(4000, 'a')));
}

} // namespace
} // namespace gs::check::test
