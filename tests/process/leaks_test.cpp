// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_LEAKS: the memory of pools in the report of what is live when a process exits. GPUSTREAM_POISON: what is freed
// shows it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iterator>
#include <regex>
#include <thread>

#include "gpustream.h"
#include "support/child_process.hpp"

namespace gs::test {
namespace {

const Variables kLeaks = {{"GPUSTREAM_LEAKS", "1"}};

// Allocates 4096 bytes in a named stream, 1000 from a pool, 700 from one that ends, and frees 2000.
GS_CHILD(leaking) {
    gs_stream_t stream = nullptr, other = nullptr;
    gs_pool_t pool = nullptr, ended = nullptr;
    void *kept = nullptr, *of_pool = nullptr, *of_ended = nullptr, *freed = nullptr;
    CHILD_REQUIRE(gs_stream_create(0, 0, 0, &stream) == GS_OK && gs_stream_create(0, 0, 0, &other) == GS_OK);
    CHILD_REQUIRE(gs_stream_set_name(stream, "upload") == GS_OK);
    CHILD_REQUIRE(gs_pool_create(0, nullptr, &pool) == GS_OK && gs_pool_create(0, nullptr, &ended) == GS_OK);
    CHILD_REQUIRE(gs_malloc_async(2000, stream, &freed) == GS_OK && gs_free_async(freed, stream) == GS_OK);
    CHILD_REQUIRE(gs_pool_malloc(pool, 1000, other, &of_pool) == GS_OK);
    CHILD_REQUIRE(gs_malloc_async(4096, stream, &kept) == GS_OK);
    CHILD_REQUIRE(gs_pool_malloc(ended, 700, other, &of_ended) == GS_OK && gs_pool_destroy(ended) == GS_OK);
    if (arguments[0] == "free") {
        CHILD_REQUIRE(gs_free_async(kept, stream) == GS_OK && gs_free_async(of_pool, other) == GS_OK);
        CHILD_REQUIRE(gs_free_async(of_ended, other) == GS_OK);
    }
    if (arguments[0] == "fork") {
        if (fork() == 0) exit(0); // says nothing: the memory is the parent's
        _exit(0);
    }
    return 0;
}

TEST(Leaks, MemoryIsNamedAtExit) {
    const Outcome outcome = run_self_as("leaking", {"keep"}, kLeaks);
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
    const std::string frames = "\n    gs_(?:pool_malloc|malloc_async)\\+.*\n(?:    .*\n)+";
    const std::regex wanted(
        "gpustream: live at exit: 3 objects, 3 blocks of pools with 5796 bytes\n"
        "(?:  (?:stream|pool) 0x.*, made by thread [0-9]+\n(?:    .*\n)+){3}"
        "  4096 bytes at 0x[0-9a-f]+ on host device 0, of the default pool, allocated by thread ([0-9]+) in stream "
        "0x[0-9a-f]+ \\(\"upload\"\\), which thread \\1 made" +
        frames +
        "  1000 bytes at 0x[0-9a-f]+ on host device 0, of pool 0x[0-9a-f]+, allocated by thread \\1 in stream "
        "0x[0-9a-f]+, which thread \\1 made" +
        frames +
        "  700 bytes at 0x[0-9a-f]+ on host device 0, of a pool that has ended, allocated by thread \\1 in stream "
        "0x[0-9a-f]+, which thread \\1 made" +
        frames);
    EXPECT_TRUE(std::regex_search(outcome.output, wanted)) << outcome.output;
    const size_t first = outcome.output.find("live at exit");
    EXPECT_EQ(outcome.output.find("live at exit", first + 1), std::string::npos) << "one report: " << outcome.output;
}

TEST(Leaks, OnlyIfAskedAndIfThereAreAny) {
    const Outcome freed = run_self_as("leaking", {"free"}, kLeaks);
    EXPECT_TRUE(freed.clean() && freed.output.find("live at exit: 3 objects\n") != std::string::npos)
        << describe(freed);
    const Outcome silent = run_self_as("leaking", {"keep"}, {{"GPUSTREAM_LEAKS", "0"}});
    EXPECT_TRUE(silent.clean() && silent.output.find("at exit") == std::string::npos) << describe(silent);
}

// A stream for frees behind others, the events of a trace, and a pool that is current: the program has none of them.
GS_CHILD(leaking_nothing) {
    gs_stream_t stream = nullptr;
    gs_pool_t pool = nullptr;
    void *memory = nullptr;
    CHILD_REQUIRE(gs_pool_create(0, nullptr, &pool) == GS_OK && gs_set_current_pool(pool) == GS_OK);
    CHILD_REQUIRE(gs_pool_destroy(pool) == GS_OK);
    CHILD_REQUIRE(gs_stream_create(0, 0, 0, &stream) == GS_OK && gs_malloc_async(512, stream, &memory) == GS_OK);
    CHILD_REQUIRE(gs_free_after(memory, &stream, 1) == GS_OK);
    const gs_trace_options_t options{sizeof options, GS_TRACE_DEVICE_TIMES, 0};
    uint64_t trace = 0;
    CHILD_REQUIRE(gs_trace_begin(&options, &trace) == GS_OK && gs_range_push("step") == GS_OK);
    CHILD_REQUIRE(gs_range_pop() == GS_OK && gs_trace_end(trace) == GS_OK);
    CHILD_REQUIRE(gs_stream_synchronize(stream) == GS_OK && gs_stream_destroy(stream) == GS_OK);
    return 0;
}

TEST(Leaks, WhatIsTheLibrarysOwnIsNotNamed) {
    const Outcome outcome = run_self_as("leaking_nothing", {}, kLeaks);
    EXPECT_TRUE(outcome.clean() && outcome.output.find("at exit") == std::string::npos) << describe(outcome);
}

TEST(Leaks, ForkedChildrenReportNothing) {
    const Outcome forked = run_self_as("leaking", {"fork"}, kLeaks);
    EXPECT_TRUE(forked.clean() && forked.output.find("at exit") == std::string::npos) << describe(forked);
}

// A name is an allocation's: memory that is given out again has none.
GS_CHILD(names_blocks) {
    gs_stream_t stream = nullptr;
    void *kept = nullptr, *renamed = nullptr, *before = nullptr, *again = nullptr;
    CHILD_REQUIRE(gs_stream_create(0, 0, 0, &stream) == GS_OK && gs_malloc_async(4096, stream, &kept) == GS_OK);
    CHILD_REQUIRE(gs_memory_set_name(kept, "weights\n") == GS_OK);
    CHILD_REQUIRE(gs_malloc_async(2048, stream, &renamed) == GS_OK && gs_memory_set_name(renamed, "a") == GS_OK);
    CHILD_REQUIRE(gs_memory_set_name(renamed, "b") == GS_OK && gs_memory_set_name(renamed, "") == GS_OK);
    CHILD_REQUIRE(gs_malloc_async(1000, stream, &before) == GS_OK && gs_memory_set_name(before, "old") == GS_OK);
    CHILD_REQUIRE(gs_free_async(before, stream) == GS_OK);
    CHILD_REQUIRE(gs_memory_set_name(before, "late") == GS_ERROR_INVALID_ARGUMENT);
    CHILD_REQUIRE(gs_malloc_async(1000, stream, &again) == GS_OK && again == before);
    CHILD_REQUIRE(gs_memory_set_name(static_cast<char *>(kept) + 256, "x") == GS_ERROR_INVALID_ARGUMENT);
    CHILD_REQUIRE(gs_memory_set_name(nullptr, "x") == GS_ERROR_INVALID_ARGUMENT);
    return 0;
}

TEST(Leaks, BlocksHaveTheirNames) {
    const Outcome outcome = run_self_as("names_blocks", {}, kLeaks);
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
    const std::string lines = "[^]*";
    const std::regex wanted("  4096 bytes at 0x[0-9a-f]+ \\(\"weights\\?\"\\) on host device 0, of the default pool" +
                            lines + "  2048 bytes at 0x[0-9a-f]+ on host device 0" + lines +
                            "  1000 bytes at 0x[0-9a-f]+ on host device 0");
    EXPECT_TRUE(std::regex_search(outcome.output, wanted)) << outcome.output;
    EXPECT_EQ(outcome.output.find("old"), std::string::npos) << outcome.output;
}

[[gnu::noinline]] void *allocate_here(gs_stream_t stream) {
    void *memory = nullptr;
    return gs_malloc_async(512, stream, &memory) == GS_OK ? memory : nullptr;
}

// A block of the front cache is its new owner's. 120 are left; the stream has ended, the default one has no maker.
GS_CHILD(leaking_blocks) {
    gs_stream_t stream = nullptr;
    CHILD_REQUIRE(gs_stream_create(0, 0, 0, &stream) == GS_OK && gs_stream_set_name(stream, "gone") == GS_OK);
    std::thread([&] {
        void *memory = nullptr;
        if (gs_malloc_async(512, stream, &memory) == GS_OK) (void)gs_free_async(memory, stream);
    }).join();
    for (int i = 0; i < 119; ++i) CHILD_REQUIRE(allocate_here(stream));
    void *large = nullptr;
    gs_stream_t standard = nullptr;
    CHILD_REQUIRE(gs_default_stream(0, &standard) == GS_OK && gs_malloc_async(1024, standard, &large) == GS_OK);
    CHILD_REQUIRE(gs_stream_destroy(stream) == GS_OK);
    std::printf("thread %ld\n", static_cast<long>(gettid()));
    return 0;
}

TEST(Leaks, TheMakerIsThatOfTheLastAllocation) {
    const Outcome outcome = run_self_as("leaking_blocks", {}, kLeaks);
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
    std::smatch thread;
    ASSERT_TRUE(std::regex_search(outcome.output, thread, std::regex("thread ([0-9]+)\n"))) << outcome.output;
    EXPECT_NE(outcome.output.find("live at exit: 120 blocks of pools with 61952 bytes\n"), std::string::npos);
    EXPECT_NE(outcome.output.find("\n  and 20 more blocks\n"), std::string::npos) << outcome.output;
    const std::regex line("512 bytes at .*, allocated by thread ([0-9]+) in stream 0x[0-9a-f]+ \\(\"gone\"\\), which "
                          "thread ([0-9]+) made\n");
    std::sregex_iterator at(outcome.output.begin(), outcome.output.end(), line), end;
    EXPECT_EQ(std::distance(at, end), 99);
    for (; at != end; ++at) {
        EXPECT_EQ((*at)[1], thread[1]);
        EXPECT_EQ((*at)[2], thread[1]);
    }
    EXPECT_TRUE(std::regex_search(outcome.output,
                                  std::regex("\n  1024 bytes at .* in stream 0x[0-9a-f]+\n    gs_malloc_async")))
        << outcome.output;
}

GS_CHILD(poisoned) {
    gs_stream_t stream = nullptr;
    gs_pool_t pool = nullptr;
    void *memory = nullptr;
    unsigned char seen[4] = {};
    gs_pool_stats_t stats{};
    stats.struct_size = sizeof stats;
    CHILD_REQUIRE(gs_stream_create(0, 0, 0, &stream) == GS_OK && gs_pool_default(0, &pool) == GS_OK);
    CHILD_REQUIRE(gs_pool_get_stats(pool, &stats) == GS_OK && (stats.flags & GS_POOL_POISON) != 0);
    CHILD_REQUIRE(gs_malloc_async(4096, stream, &memory) == GS_OK);
    CHILD_REQUIRE(gs_memset_async(memory, 1, 4096, stream) == GS_OK && gs_free_async(memory, stream) == GS_OK);
    // A late reader: the stream still has the block.
    CHILD_REQUIRE(gs_memcpy_async(seen, memory, sizeof seen, stream) == GS_OK);
    CHILD_REQUIRE(gs_stream_synchronize(stream) == GS_OK && std::memcmp(seen, "\xDD\xDD\xDD\xDD", 4) == 0);
    return 0;
}

TEST(Leaks, PoisonOfAllPools) {
    const Outcome outcome = run_self_as("poisoned", {}, {{"GPUSTREAM_POISON", "1"}});
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
}

} // namespace
} // namespace gs::test
