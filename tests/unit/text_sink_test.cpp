// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/text_sink.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace gs::recorder {
namespace {

std::string written(const std::function<void(TextSink &)> &write) {
    char text[256];
    TextSink sink(text, sizeof text);
    write(sink);
    EXPECT_TRUE(sink.finish());
    EXPECT_EQ(sink.bytes(), std::string(text).size());
    return text;
}

std::string hex(uint64_t number) {
    return written([=](TextSink &out) { out.hex(number); });
}
std::string decimal(uint64_t number) {
    return written([=](TextSink &out) { out << number; });
}
std::string thousandths(uint64_t number) {
    return written([=](TextSink &out) { out.thousandths(number); });
}

TEST(TextSink, WritesNumbersOfAnySize) {
    EXPECT_EQ(hex(0), "0x0");
    EXPECT_EQ(hex(15), "0xf");
    EXPECT_EQ(hex(16), "0x10");
    EXPECT_EQ(hex(0x0123456789ABCDEF), "0x123456789abcdef");
    EXPECT_EQ(hex(UINT64_MAX), "0xffffffffffffffff");
    EXPECT_EQ(decimal(0), "0");
    EXPECT_EQ(decimal(10), "10");
    EXPECT_EQ(decimal(UINT64_MAX), "18446744073709551615");
    EXPECT_EQ(thousandths(0), "0.000");
    EXPECT_EQ(thousandths(7), "0.007");
    EXPECT_EQ(thousandths(12'034), "12.034");
}

TEST(TextSink, NamesObjectsThatHaveNames) {
    EXPECT_EQ(written([](TextSink &out) { out.object("event", 0x20, {""}); }), "event 0x20");
    EXPECT_EQ(written([](TextSink &out) { out.object("stream", 0, {"a"}) << "."; }), "stream 0x0 (\"a\").");
}

} // namespace
} // namespace gs::recorder
