// SPDX-License-Identifier: Apache-2.0
// Expecting statuses: a failed expectation shows the text of gs_last_error.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "gpustream.h"

namespace gs::test {

inline gs_error_info_t last_error() {
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    EXPECT_EQ(gs_last_error(&info), GS_OK);
    return info;
}

inline std::string last_text() { return last_error().message; }

inline ::testing::AssertionResult has_status(const char *expression, gs_status_t actual, gs_status_t wanted) {
    if (actual == wanted) return ::testing::AssertionSuccess();
    auto failure = ::testing::AssertionFailure() << expression << " gave " << gs_status_name(actual) << " (" << actual
                                                 << "), expected " << gs_status_name(wanted);
    if (actual != GS_OK && actual != GS_NOT_READY) {
        const gs_error_info_t info = last_error();
        failure << "\n  last error: " << gs_status_name(info.status) << " in " << info.function << ": " << info.message;
        if (info.native_code != 0) failure << "\n  native: " << info.native_function << " gave " << info.native_code;
        if (info.origin[0] != '\0') failure << "\n  first seen: " << info.origin;
    }
    return failure;
}

// The status, and an error record that names the function and holds `part` in its text.
inline ::testing::AssertionResult fails_with(const char *expression, gs_status_t actual, gs_status_t wanted,
                                             const char *function, const std::string &part) {
    if (auto same = has_status(expression, actual, wanted); !same) return same;
    const gs_error_info_t info = last_error();
    if (info.status != wanted)
        return ::testing::AssertionFailure() << expression << ": the record has status " << gs_status_name(info.status);
    if (std::string(info.function) != function)
        return ::testing::AssertionFailure()
               << expression << ": the record names the function '" << info.function << "', not '" << function << "'";
    const std::string text = info.message;
    if (text.rfind(std::string(function) + ": ", 0) != 0)
        return ::testing::AssertionFailure() << expression << ": the text does not begin with the function: " << text;
    if (text.find(part) == std::string::npos)
        return ::testing::AssertionFailure() << expression << ": '" << part << "' is not in the text: " << text;
    return ::testing::AssertionSuccess();
}

} // namespace gs::test

#define EXPECT_STATUS(wanted, call) EXPECT_TRUE(::gs::test::has_status(#call, (call), (wanted)))
#define ASSERT_STATUS(wanted, call) ASSERT_TRUE(::gs::test::has_status(#call, (call), (wanted)))
#define EXPECT_OK(call) EXPECT_STATUS(GS_OK, call)
#define ASSERT_OK(call) ASSERT_STATUS(GS_OK, call)
// function is the name of the gs_* function that the record must name.
#define EXPECT_FAILS(wanted, function, part, ...)                                                                      \
    EXPECT_TRUE(                                                                                                       \
        ::gs::test::fails_with(#function "(" #__VA_ARGS__ ")", function(__VA_ARGS__), (wanted), #function, (part)))
