// SPDX-License-Identifier: Apache-2.0
// Random programs of captures and replays against the model, on host and on the CUDA backend over the fake driver.
//
// GPUSTREAM_TEST_FULL=1 runs a million. A failure prints its seed; GPUSTREAM_ORACLE_SEED=<seed> runs only that one.
#include <gtest/gtest.h>

#include "core/event/event_hot.hpp"
#include "oracle/graph_session.hpp"
#include "support/logical_thread.hpp"
#include "support/seeded.hpp"
#include "support/seeds.hpp"

namespace gs::oracle {
namespace {

// One operation runs at a time, so that a program means the same each time. Thread 0 is the caller's.
class Threads {
public:
    void run(GraphSession &session, const GraphProgram &program) {
        for (size_t i = 0; i < program.ops.size();) {
            const int thread = program.ops[i].thread;
            size_t next = i + 1;
            while (next < program.ops.size() && program.ops[next].thread == thread) ++next;
            const auto execute = [&] {
                for (; i < next; ++i) session.execute(i);
            };
            if (thread == 0)
                execute();
            else
                others_[thread - 1].run(execute);
        }
    }

private:
    test::LogicalThread others_[kMaxThreads - 1];
};

// The seed and the text of the first failure; empty: none.
std::string run_graphs(uint64_t first_seed, uint64_t count, uint64_t *out_seed) {
    Threads threads;
    for (uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
        const GraphProgram program = generate_graphs(seed);
        g_elide.store(program.elide ? 1 : 0);
        GraphSession session(program);
        threads.run(session, program);
        const std::string trouble = session.finish();
        *out_seed = seed;
        if (!trouble.empty()) return trouble + "\n" + describe(program);
    }
    return {};
}

} // namespace

TEST(Graphs, ReplaysKeepTheOrderOfTheirCaptures) {
    const auto [first, count] = test::seeds("GPUSTREAM_ORACLE_SEED", 10'000, 1'000'000);
    uint64_t failed = 0;
    const std::string trouble = run_graphs(first, count, &failed);
    EXPECT_EQ(trouble, "") << "again with GPUSTREAM_ORACLE_SEED=" << failed;
}

using testing::SeededBug;
class GraphBugs : public ::testing::TestWithParam<SeededBug> {};

TEST_P(GraphBugs, AreFound) {
#if defined(__SANITIZE_ADDRESS__)
    // Work that runs after its launch has ended uses what the program has freed: AddressSanitizer ends the process.
    if (GetParam() == SeededBug::LaunchEndsEarly) return;
#endif
    uint64_t seed = 0;
    // The first few hundred find it; on a busy machine branches happen to run in the order that the bug forgets.
    const testing::Seeded seeded(GetParam());
    const std::string trouble = run_graphs(1, 100'000, &seed);
    EXPECT_NE(trouble, "");
}

INSTANTIATE_TEST_SUITE_P(, GraphBugs,
                         ::testing::Values(SeededBug::LaunchesOverlap, SeededBug::ForgetFork,
                                           SeededBug::ForgetEdgeBetweenLanes, SeededBug::LaunchEndsEarly,
                                           SeededBug::ForgetPredecessor, SeededBug::UpdateForgetsANode),
                         [](const auto &bug) {
                             switch (bug.param) {
                             case SeededBug::LaunchesOverlap: return "LaunchesOverlap";
                             case SeededBug::ForgetFork: return "ForgetFork";
                             case SeededBug::ForgetEdgeBetweenLanes: return "ForgetEdgeBetweenLanes";
                             case SeededBug::ForgetPredecessor: return "ForgetPredecessor";
                             case SeededBug::UpdateForgetsANode: return "UpdateForgetsANode";
                             default: return "LaunchEndsEarly";
                             }
                         });

} // namespace gs::oracle
