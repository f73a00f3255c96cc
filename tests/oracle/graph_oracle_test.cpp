// SPDX-License-Identifier: Apache-2.0
// Random programs of captures and replays against the model, on host and on the CUDA backend over the fake driver.
//
// GPUSTREAM_TEST_FULL=1 runs a million. A failure prints its seed; GPUSTREAM_ORACLE_SEED=<seed> runs only that one.
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "core/event/event_hot.hpp"
#include "oracle/graph_session.hpp"
#include "support/long_form.hpp"
#include "support/seeded_bug.hpp"

namespace gs::oracle {
namespace {

// The threads of programs: one operation runs at a time, so that a program means the same each time.
class Threads {
public:
    Threads() {
        for (int t = 1; t < kMaxThreads; ++t) threads_.emplace_back([this, t] { serve(t); });
    }
    ~Threads() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            ended_ = true;
        }
        changed_.notify_all();
        for (std::thread &thread : threads_) thread.join();
    }
    Threads(const Threads &) = delete;
    Threads &operator=(const Threads &) = delete;

    void run(GraphSession &session, const GraphProgram &program) {
        for (size_t i = 0; i < program.ops.size();) {
            const int thread = program.ops[i].thread;
            size_t next = i + 1;
            while (next < program.ops.size() && program.ops[next].thread == thread) ++next;
            if (thread == 0)
                execute(session, i, next);
            else
                hand_over(thread, session, i, next);
            i = next;
        }
    }

private:
    static void execute(GraphSession &session, size_t first, size_t last) {
        for (size_t i = first; i < last; ++i) session.execute(i);
    }
    void hand_over(int thread, GraphSession &session, size_t first, size_t last) {
        std::unique_lock<std::mutex> lock(mutex_);
        session_ = &session;
        first_ = first;
        last_ = last;
        turn_ = thread;
        changed_.notify_all();
        changed_.wait(lock, [this] { return turn_ == 0; });
    }
    void serve(int self) {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return ended_ || turn_ == self; });
            if (ended_) return;
            execute(*session_, first_, last_);
            turn_ = 0;
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool ended_ = false;
    int turn_ = 0;
    GraphSession *session_ = nullptr;
    size_t first_ = 0, last_ = 0;
    std::vector<std::thread> threads_;
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
    uint64_t seed = 1, count = test::long_form() ? 1'000'000 : 10'000;
    if (const char *one = std::getenv("GPUSTREAM_ORACLE_SEED")) {
        seed = std::strtoull(one, nullptr, 0);
        count = 1;
    }
    uint64_t failed = 0;
    const std::string trouble = run_graphs(seed, count, &failed);
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
    testing::seeded_bug.store(GetParam());
    const std::string trouble = run_graphs(1, 100'000, &seed);
    testing::seeded_bug.store(SeededBug::None);
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
