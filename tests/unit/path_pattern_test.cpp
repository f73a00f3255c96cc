// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/log_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace gs::recorder {
namespace {

// In memory that was in use before.
std::string expanded(const std::string &path) {
    char out[PATH_MAX];
    std::fill(std::begin(out), std::end(out), '#');
    return expand_path(path.c_str(), out) ? std::string(out, std::find(std::begin(out), std::end(out), '\0'))
                                          : "too long";
}

TEST(PathPattern, HasTheNumberOfTheProcess) {
    const std::string number = std::to_string(getpid());
    EXPECT_EQ(expanded(""), "");
    EXPECT_EQ(expanded("/tmp/log"), "/tmp/log");
    EXPECT_EQ(expanded("%p"), number);
    EXPECT_EQ(expanded("/tmp/%p-%p.log"), "/tmp/" + number + "-" + number + ".log");
    EXPECT_EQ(expanded("100%% of %p"), "100% of " + number);
    EXPECT_EQ(expanded("%%p"), "%p");
    EXPECT_EQ(expanded("%x%"), "%x%") << "anything else stands for itself";
}

TEST(PathPattern, IsNeverCut) {
    EXPECT_EQ(expanded(std::string(4000, 'x')), std::string(4000, 'x'));
    EXPECT_EQ(expanded(std::string(PATH_MAX, 'x')), "too long");
    EXPECT_EQ(expanded(std::string(PATH_MAX - 8, 'x') + "%p"), "too long");
}

} // namespace
} // namespace gs::recorder
