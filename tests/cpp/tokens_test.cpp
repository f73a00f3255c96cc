// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <gpustream.hpp>
#include <string>

#include "cpp/failure_of.hpp"

using namespace gpustream;
using gpustream::test::failure_of;

static_assert(std::is_trivially_copyable_v<token> && sizeof(token) == 128);
static_assert(!std::is_convertible_v<gs_token_t, token>);

namespace {

TEST(Tokens, OrderStreams) {
    const stream producer = stream::create(0);
    const stream consumer = stream::create(1);
    std::atomic<bool> open{false};
    producer.launch_host([&] {
        while (!open.load()) usleep(100);
    });
    const token point = token::create(producer);
    EXPECT_FALSE(point.query());
    token(point.get()).wait(consumer);
    EXPECT_FALSE(consumer.query());
    open = true;
    consumer.synchronize();
    EXPECT_TRUE(producer.query());
}

TEST(Tokens, AreData) {
    const stream work = stream::create();
    const token point = token::create(work);
    EXPECT_EQ(point, token(point.get()));
    EXPECT_NE(point, token());
    EXPECT_NE(point, token(token::create(work)));
    EXPECT_EQ(failure_of([&] { token().wait(work); }), status::invalid_argument);
    EXPECT_EQ(failure_of([&] { static_cast<void>(token().query()); }), status::invalid_argument);
    EXPECT_EQ(failure_of([&] { point.wait(stream_ref()); }), status::invalid_handle);
    EXPECT_EQ(failure_of([&] { static_cast<void>(token::create(stream_ref())); }), status::invalid_handle);
    const capture begun(work);
    EXPECT_EQ(failure_of([&] { static_cast<void>(token::create(work)); }), status::capturing);
    EXPECT_EQ(failure_of([&] { point.wait(work); }), status::capturing);
}

/// A program of its own that makes a token of work which never ends, writes it to descriptor 3, and ends.
[[noreturn]] void leave_a_token() {
    const stream work = stream::create();
    work.launch_host([] {
        for (;;) pause();
    });
    const token point = token::create(work);
    _exit(write(3, &point, sizeof point) == static_cast<ssize_t>(sizeof point) ? 0 : 1);
}

TEST(Tokens, OfAProcessThatEnded) {
    if (const char *part = std::getenv("GPUSTREAM_TEST_LEAVE_A_TOKEN"); part && *part == '1') leave_a_token();
    char program[4096] = "";
    ASSERT_GT(readlink("/proc/self/exe", program, sizeof program - 1), 0);
    const std::string command = "GPUSTREAM_TEST_LEAVE_A_TOKEN=1 '" + std::string(program) +
                                "' --gtest_filter=Tokens.OfAProcessThatEnded 3>&1 >/dev/null";
    FILE *said = popen(command.c_str(), "r");
    ASSERT_NE(said, nullptr);
    gs_token_t bytes{};
    const size_t read = std::fread(&bytes, 1, sizeof bytes, said);
    EXPECT_EQ(pclose(said), 0);
    ASSERT_EQ(read, sizeof bytes);
    const stream work = stream::create();
    status seen = status::ok;
    while (seen == status::ok) // not yet known for at most 100 ms
        seen = failure_of([&] { EXPECT_FALSE(token(bytes).query()); });
    EXPECT_EQ(seen, status::peer_lost);
    EXPECT_EQ(failure_of([&] { token(bytes).wait(work); }), status::peer_lost);
}

} // namespace
