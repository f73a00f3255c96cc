// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_LEAKS: the memory of pools that is allocated when a process exits. GPUSTREAM_POISON: what is freed shows it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <regex>

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
    const std::regex wanted(
        "gpustream: memory of pools that is allocated at exit: 3 blocks, 5796 bytes\n"
        "  4096 bytes at 0x[0-9a-f]+ on host device 0, of the default pool, allocated in stream "
        "0x[0-9a-f]+ \\(\"upload\"\\)\n"
        "  1000 bytes at 0x[0-9a-f]+ on host device 0, of pool 0x[0-9a-f]+, allocated in stream "
        "0x[0-9a-f]+\n"
        "  700 bytes at 0x[0-9a-f]+ on host device 0, of a pool that has ended, allocated in stream "
        "0x[0-9a-f]+\n");
    EXPECT_TRUE(std::regex_search(outcome.output, wanted)) << outcome.output;
}

TEST(Leaks, OnlyIfAskedAndIfThereAreAny) {
    const Outcome freed = run_self_as("leaking", {"free"}, kLeaks);
    EXPECT_TRUE(freed.clean() && freed.output.find("memory of pools") == std::string::npos) << describe(freed);
    const Outcome silent = run_self_as("leaking", {"keep"}, {{"GPUSTREAM_LEAKS", "0"}});
    EXPECT_TRUE(silent.clean() && silent.output.find("at exit") == std::string::npos) << describe(silent);
}

TEST(Leaks, ForkedChildrenReportNothing) {
    const Outcome forked = run_self_as("leaking", {"fork"}, kLeaks);
    EXPECT_TRUE(forked.clean() && forked.output.find("memory of pools") == std::string::npos) << describe(forked);
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
