// SPDX-License-Identifier: Apache-2.0
// What a call stack calls a function. tests/leaks/mangled.c is a process without a C++ library.
#include "tools/call_stack.hpp"

#include <gtest/gtest.h>

namespace gs {
namespace {

TEST(Demangle, NamesFunctionsAsPeopleDo) {
    EXPECT_EQ(demangle("_ZN5space7creatorEi"), "space::creator(int)");
    EXPECT_EQ(demangle("_Z1fv"), "f()");
}

TEST(Demangle, LeavesOtherSymbolsAlone) {
    for (const char *symbol : {"", "f", "main", "gs_stream_create", "_Z", "_Z!", "_ZN5space7crea", "_RNvC1a4main"})
        EXPECT_EQ(demangle(symbol), symbol);
}

} // namespace
} // namespace gs
