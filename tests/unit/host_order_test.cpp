// SPDX-License-Identifier: Apache-2.0
// Random programs compared with the ordering rules, also with many threads at once.
#include <gmock/gmock.h>

#include <map>
#include <random>
#include <set>
#include <thread>

#include "unit/host_support.hpp"

namespace gs::host {
namespace {

// The model: which marks must have run before a mark of a stream may run.
class Model {
public:
    struct State {
        std::set<int> before;
        bool blocking = false;
    };

    explicit Model(std::vector<bool> blocking) { // stream 0 is the default stream
        for (const bool joins : blocking) streams_.push_back({{}, joins});
    }
    void mark(size_t stream, int what) {
        join(stream);
        must_precede_[what] = streams_[stream].before;
        streams_[stream].before.insert(what);
    }
    void record(size_t stream, size_t event) {
        join(stream);
        events_[event] = streams_[stream].before;
    }
    void wait(size_t stream, size_t event) {
        if (!events_.count(event)) return; // before its first record it is not even an action in the default stream
        join(stream);
        streams_[stream].before.insert(events_[event].begin(), events_[event].end());
    }
    const std::set<int> &before(int what) { return must_precede_[what]; }

private:
    // Work of the default stream comes after all earlier work of blocking streams, and before all later work of them.
    void join(size_t stream) {
        if (stream != 0 && streams_[stream].blocking)
            streams_[stream].before.insert(streams_[0].before.begin(), streams_[0].before.end());
        if (stream != 0) return;
        for (const State &other : streams_)
            if (other.blocking) streams_[0].before.insert(other.before.begin(), other.before.end());
    }

    std::vector<State> streams_;
    std::map<size_t, std::set<int>> events_;
    std::map<int, std::set<int>> must_precede_;
};

class HostOrder : public HostEngineTest, public ::testing::WithParamInterface<int> {
protected:
    HostOrder() : HostEngineTest(GetParam()) {}

    void random_program(unsigned seed) {
        std::mt19937 random(seed);
        std::vector<Stream *> streams{&engine_->legacy_stream(device())};
        std::vector<bool> blocking{true};
        for (int i = 0; i < 5; ++i) {
            blocking.push_back(i % 2 == 0);
            streams.push_back(&stream(-static_cast<int>(random() % 6), blocking.back()));
        }
        std::vector<Event *> events;
        for (int i = 0; i < 4; ++i) events.push_back(&event({random() % 2 == 0, false, false}));
        Model model(blocking);
        const int first = next_mark_;
        for (int step = 0; step < 120; ++step) {
            const size_t s = random() % streams.size(), e = random() % events.size();
            switch (random() % 5) {
            case 0:
                model.record(s, e);
                ASSERT_EQ(engine_->event_record(*events[e], *streams[s], false), Result::Ok);
                break;
            case 1:
                model.wait(s, e);
                ASSERT_EQ(engine_->stream_wait(*streams[s], *events[e], false), Result::Ok);
                break;
            case 2: ASSERT_EQ(engine_->sleep(*streams[s], random() % 20000), Result::Ok); break;
            default: model.mark(s, next_mark_); mark(*streams[s], next_mark_++);
            }
        }
        ASSERT_EQ(engine_->device_synchronize(device()), Result::Ok);
        check(model, first, seed);
        for (size_t i = 1; i < streams.size(); ++i) engine_->stream_destroy(*streams[i]);
        for (Event *e : events) engine_->event_destroy(*e);
    }

    void check(Model &model, int first, unsigned seed) {
        const std::vector<int> order = trace_.entries();
        std::set<int> seen;
        for (const int what : order) {
            if (what < first) {
                seen.insert(what);
                continue;
            }
            ASSERT_TRUE(seen.insert(what).second) << "ran twice: " << what << ", seed " << seed;
            for (const int earlier : model.before(what))
                ASSERT_TRUE(seen.count(earlier)) << what << " ran before " << earlier << ", seed " << seed;
        }
        ASSERT_EQ(seen.size(), static_cast<size_t>(next_mark_)) << "seed " << seed;
    }

    int next_mark_ = 0;
};

TEST_P(HostOrder, RandomProgramsKeepTheRules) {
    for (unsigned seed = 1; seed <= 200 && !HasFatalFailure(); ++seed) random_program(seed);
}

// Each thread's waits bind to some record that was current during the call, so all of them end.
TEST_P(HostOrder, OneEventIsUsedByManyThreads) {
    constexpr int kThreads = 8, kRounds = 300;
    Event &shared = event({true, false, false});
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        Stream &own = stream(0, t % 2 == 0);
        threads.emplace_back([this, &own, &shared, t] {
            for (int round = 0; round < kRounds; ++round) {
                if (round % 7 == t % 7) {
                    EXPECT_EQ(engine_->sleep(own, 2000), Result::Ok);
                }
                EXPECT_EQ(engine_->event_record(shared, own, false), Result::Ok);
                EXPECT_EQ(engine_->stream_wait(own, shared, false), Result::Ok);
                const Result state = engine_->event_query(shared);
                EXPECT_TRUE(state == Result::Ok || state == Result::NotReady);
                if (round % 16 == 0) {
                    EXPECT_EQ(engine_->event_synchronize(shared), Result::Ok);
                }
                if (t == 0 && round % 32 == 0) {
                    EXPECT_EQ(engine_->event_record(shared, engine_->legacy_stream(device()), false), Result::Ok);
                }
            }
            EXPECT_EQ(engine_->stream_synchronize(own), Result::Ok);
            engine_->stream_destroy(own);
        });
    }
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(engine_->event_synchronize(shared), Result::Ok);
    EXPECT_EQ(engine_->event_query(shared), Result::Ok);
}

// A query that returned true does so again until the next record.
TEST_P(HostOrder, CompletionIsForGood) {
    Event &e = event();
    Stream &s = stream();
    for (int round = 0; round < 2000; ++round) {
        mark(s, next_mark_++);
        ASSERT_EQ(engine_->event_record(e, s, false), Result::Ok);
        while (engine_->event_query(e) == Result::NotReady) std::this_thread::yield();
        ASSERT_EQ(engine_->event_query(e), Result::Ok);
        ASSERT_EQ(engine_->stream_query(s), Result::Ok) << "nothing else is in the stream";
        ASSERT_EQ(trace_.entries().size(), static_cast<size_t>(next_mark_));
    }
}

INSTANTIATE_TEST_SUITE_P(Workers, HostOrder, ::testing::Values(1, 3),
                         [](const auto &param) { return std::to_string(param.param) + "Workers"; });

} // namespace
} // namespace gs::host
