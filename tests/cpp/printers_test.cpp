// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <gpustream.hpp>
#include <sstream>
#ifdef FMT_HEADER_ONLY
#include <gpustream/fmt.hpp>
#endif

using namespace gpustream;

namespace {

template <typename T>
std::string printed(const T &value) {
    std::ostringstream out;
    out << value;
    return out.str();
}

TEST(Printers, SayWhatItIs) {
    const stream work = stream::create(1);
    EXPECT_EQ(printed(work), "stream(id=" + std::to_string(work.id()) + ", device(1))");
    EXPECT_EQ(printed(stream_ref(work)), printed(work));
    EXPECT_EQ(printed(stream()), "stream(invalid)");
    const event mark = event::create();
    EXPECT_EQ(printed(mark), "event(id=" + std::to_string(mark.id()) + ")");
    EXPECT_EQ(printed(timed_event()), "event(invalid)");
    EXPECT_EQ(printed(device::of(backend::host, 1)), "device(host:1)");
    EXPECT_EQ(printed(device::current()), "device(current)");
    EXPECT_EQ(printed(device::none()), "device(none)");
    EXPECT_EQ(printed(status::full), "GS_ERROR_FULL");
}

#ifdef FMT_HEADER_ONLY
TEST(Printers, OfFmtSayTheSame) {
    const stream work = stream::create();
    const event mark = event::create();
    EXPECT_EQ(fmt::format("{}", work), printed(work));
    EXPECT_EQ(fmt::format("{:>20}", stream_ref()), "     stream(invalid)");
    EXPECT_EQ(fmt::format("{} {}", mark, status::ok), printed(mark) + " GS_OK");
    EXPECT_EQ(fmt::format("{}", device::none()), "device(none)");
}
#else
TEST(Printers, OfFmtSayTheSame) { GTEST_SKIP() << "the library fmt is not here"; }
#endif

} // namespace
