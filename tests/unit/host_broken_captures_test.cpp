// SPDX-License-Identifier: Apache-2.0
// Captures that what they forbid breaks, as a driver's: what their streams are refused, and that all is usable after the end.
#include <gmock/gmock.h>

#include <atomic>
#include <functional>

#include "unit/host_graph_support.hpp"

namespace gs::host {
namespace {

class HostBrokenCaptures : public HostGraphTest {
protected:
    HostBrokenCaptures() {
        EngineOptions options;
        options.captures_break = true;
        engine_ = Engine::create(options);
    }
    void begin(Stream &on) { ASSERT_EQ(engine_->capture_begin(on, {}), Result::Ok); }
    void begin_to(Stream &on, Graph &into) { ASSERT_EQ(engine_->capture_begin(on, {.into = &into}), Result::Ok); }
    void begin_broken(Stream &on) {
        begin(on);
        ASSERT_EQ(engine_->stream_query(on), Result::StreamCapturing);
    }
    CaptureState state(Stream &of) {
        CaptureInfo info;
        EXPECT_EQ(engine_->capture_info(of, &info), Result::Ok);
        return info.state;
    }
    Graph &graph() {
        Graph *made = nullptr;
        EXPECT_EQ(engine_->graph_create(device(), &made), Result::Ok);
        return *made;
    }
    GraphNode &empty(Graph &in) {
        NodeBody body;
        body.device = &device();
        GraphNode *made = nullptr;
        EXPECT_EQ(engine_->graph_add(in, body, nullptr, 0, &made), Result::Ok);
        return *made;
    }
};

TEST_F(HostBrokenCaptures, RefuseAllWork) {
    Stream &s = stream();
    Event &e = event();
    GraphExec &exec = instantiate(graph());
    std::atomic<int> dropped{0};
    uint64_t node = 0;
    size_t count = 0;
    void *memory = nullptr;
    char bytes[2] = {};
    const Task task{[](void *) {}, [](void *arg) { ++*static_cast<std::atomic<int> *>(arg); }, &dropped};
    const std::function<Result()> calls[] = {
        [&] { return engine_->launch(s, task); },
        [&] { return engine_->sleep(s, 1); },
        [&] { return engine_->copy(s, bytes, bytes + 1, 1); },
        [&] { return engine_->fill(s, bytes, 1, 1); },
        [&] { return engine_->malloc_async(s, 8, &memory); },
        [&] { return engine_->event_record(e, s, false); },
        [&] { return engine_->event_record(e, s, true); },
        [&] { return engine_->stream_wait(s, e, true); },
        [&] { return engine_->exec_launch(exec, s); },
        [&] { return engine_->stream_query(s); },
        [&] { return engine_->stream_open(s); },
        [&] { return engine_->capture_nodes(s, &node, 1, &count); },
        [&] { return engine_->capture_set_nodes(s, nullptr, 0, true); },
    };
    begin_broken(s);
    EXPECT_EQ(state(s), CaptureState::Broken);
    int place = 0;
    for (const auto &call : calls) EXPECT_EQ(call(), Result::CaptureInvalidated) << place++;
    EXPECT_EQ(dropped, 0) << "what is refused stays the caller's";
    EXPECT_EQ(memory, nullptr);
    Graph *ended = nullptr;
    EXPECT_EQ(engine_->capture_end(s, 0, &ended), Result::CaptureInvalidated);
    EXPECT_EQ(ended, nullptr);
    EXPECT_EQ(engine_->launch(s, task), Result::Ok);
    launch(exec, s);
    sync(s);
    EXPECT_EQ(dropped, 1);
    engine_->exec_destroy(exec);
}

TEST_F(HostBrokenCaptures, EventsOfThem) {
    Stream &s = stream(), &joining = stream(), &other = stream();
    Event &inside = event(), &outside = event();
    ASSERT_EQ(engine_->event_record(outside, other, false), Result::Ok);
    begin(s);
    ASSERT_EQ(engine_->event_record(inside, s, false), Result::Ok);
    EXPECT_EQ(engine_->stream_wait(engine_->legacy_stream(device()), inside, false), Result::CaptureImplicit);
    EXPECT_EQ(state(s), CaptureState::Broken) << "the legacy stream cannot join";
    EXPECT_EQ(engine_->stream_wait(joining, inside, false), Result::CaptureInvalidated);
    EXPECT_EQ(Engine::capture_of(joining), 0u);
    EXPECT_EQ(engine_->event_query(inside), Result::CaptureEnded);
    EXPECT_EQ(engine_->stream_wait(s, outside, false), Result::CaptureInvalidated);
    ASSERT_EQ(engine_->capture_abort(s), Result::Ok);
    EXPECT_EQ(engine_->stream_wait(joining, inside, false), Result::CaptureEnded);
    begin_broken(s);
    EXPECT_EQ(engine_->stream_wait(s, inside, false), Result::CaptureInvalidated) << "of a capture that has ended";
    ASSERT_EQ(engine_->capture_abort(s), Result::Ok);
    ASSERT_EQ(engine_->event_record(inside, s, false), Result::Ok);
    EXPECT_EQ(engine_->event_synchronize(inside), Result::Ok) << "an ordinary event again";
}

TEST_F(HostBrokenCaptures, AWaitThatWouldMergeTwoBreaksBoth) {
    Stream &a = stream(), &b = stream();
    Event &e = event();
    begin(a);
    begin(b);
    ASSERT_EQ(engine_->event_record(e, a, false), Result::Ok);
    EXPECT_EQ(engine_->stream_wait(b, e, false), Result::CaptureMerge);
    for (Stream *of : {&a, &b}) {
        EXPECT_EQ(state(*of), CaptureState::Broken);
        EXPECT_EQ(engine_->capture_abort(*of), Result::Ok);
    }
}

TEST_F(HostBrokenCaptures, EndingItOnAStreamThatHasJoined) {
    Stream &s = stream(), &t = stream();
    Graph *ended = nullptr;
    begin(s);
    follow(t, s);
    EXPECT_EQ(engine_->capture_end(t, 0, &ended), Result::CaptureUnmatched);
    EXPECT_EQ(state(t), CaptureState::Broken);
    EXPECT_EQ(engine_->capture_end(s, 0, &ended), Result::CaptureInvalidated);
    EXPECT_EQ(Engine::capture_of(t), 0u);
}

// Work of a stream that has been destroyed can no longer be joined.
TEST_F(HostBrokenCaptures, AStreamThatIsDestroyed) {
    Stream &s = stream(), &t = stream();
    Graph *ended = nullptr;
    begin(s);
    follow(t, s);
    mark(t, 1);
    engine_->stream_destroy(t);
    EXPECT_EQ(state(s), CaptureState::Broken);
    EXPECT_EQ(engine_->capture_end(s, 0, &ended), Result::CaptureInvalidated);
    begin(s);
    Stream &again = stream();
    follow(again, s);
    engine_->stream_destroy(s); // where it began: that ends it for all
    EXPECT_EQ(Engine::capture_of(again), 0u);
    mark(again, 2);
    sync(again);
    EXPECT_THAT(trace_.entries(), ::testing::ElementsAre(2));
}

// As on CUDA, where cuda.core closes the streams that it has joined.
TEST_F(HostBrokenCaptures, AStreamThatIsDestroyedOnceItsWorkIsJoined) {
    Stream &s = stream(), &first = stream(), &second = stream(), &idle = stream();
    Graph *ended = nullptr;
    begin(s);
    for (Stream *of : {&first, &second, &idle}) follow(*of, s);
    mark(first, 1);
    follow(second, first);
    engine_->stream_destroy(first);
    engine_->stream_destroy(idle); // idle adds nothing to s
    EXPECT_EQ(state(s), CaptureState::Active) << "second waits for the work of first";
    mark(second, 2);
    follow(s, second);
    engine_->stream_destroy(second);
    ASSERT_EQ(engine_->capture_end(s, 0, &ended), Result::Ok);
    GraphExec &exec = instantiate(*ended);
    launch(exec, s);
    sync(s);
    EXPECT_THAT(trace_.entries(), ::testing::ElementsAre(1, 2));
    engine_->exec_destroy(exec);
}

TEST_F(HostBrokenCaptures, CallsThatNoStreamCaptures) {
    const auto begin_as = [&](Stream &on, CaptureMode mode) {
        ASSERT_EQ(engine_->capture_begin(on, {.mode = mode, .thread = 1}), Result::Ok);
    };
    const struct {
        CaptureMode mode;      // of the capture, begun by thread 1
        uint64_t thread;       // that makes the call
        CaptureMode call_mode; // of that thread
        Result result;
    } rows[] = {{CaptureMode::Global, 1, CaptureMode::Global, Result::StreamCapturing},
                {CaptureMode::Global, 2, CaptureMode::Global, Result::StreamCapturing},
                {CaptureMode::Global, 2, CaptureMode::ThreadLocal, Result::Ok},
                {CaptureMode::Global, 1, CaptureMode::Relaxed, Result::Ok},
                {CaptureMode::ThreadLocal, 1, CaptureMode::Global, Result::StreamCapturing},
                {CaptureMode::ThreadLocal, 2, CaptureMode::Global, Result::Ok},
                {CaptureMode::Relaxed, 1, CaptureMode::Global, Result::Ok},
                {CaptureMode::Relaxed, 2, CaptureMode::Global, Result::Ok}};
    for (const auto &row : rows) {
        Stream &s = stream();
        begin_as(s, row.mode);
        EXPECT_EQ(engine_->unsafe_call(row.thread, row.call_mode), row.result);
        EXPECT_EQ(state(s), row.result == Result::Ok ? CaptureState::Active : CaptureState::Broken);
        EXPECT_TRUE(engine_->captures_on(device(0)));
        EXPECT_FALSE(engine_->captures_on(device(1)));
        ASSERT_EQ(engine_->capture_abort(s), Result::Ok);
    }
    EXPECT_FALSE(engine_->captures_on(device(0)));
}

// Work in the legacy stream breaks captures of blocking streams of its device, and no others.
TEST_F(HostBrokenCaptures, TheLegacyStreamBreaksThoseOfBlockingStreams) {
    Stream &blocking = stream(0, true), &free = stream(), &elsewhere = stream(0, true, 1);
    for (Stream *on : {&blocking, &free, &elsewhere}) begin(*on);
    EXPECT_EQ(engine_->sleep(engine_->legacy_stream(device()), 1), Result::CaptureImplicit);
    EXPECT_EQ(state(blocking), CaptureState::Broken);
    EXPECT_EQ(state(free), CaptureState::Active);
    EXPECT_EQ(state(elsewhere), CaptureState::Active);
    engine_->break_captures(device(), false);
    EXPECT_EQ(state(free), CaptureState::Broken);
    EXPECT_EQ(state(elsewhere), CaptureState::Active);
    for (Stream *on : {&blocking, &free, &elsewhere}) EXPECT_EQ(engine_->capture_abort(*on), Result::Ok);
    EXPECT_EQ(engine_->sleep(engine_->legacy_stream(device()), 1), Result::Ok);
}

TEST_F(HostBrokenCaptures, NodesOfACaptureAreOfItsGraph) {
    Stream &s = stream();
    Graph &into = graph(), &other = graph();
    GraphNode *mine = &empty(into), *foreign = &empty(other);
    EXPECT_EQ(engine_->capture_begin(s, {.after = &mine, .count = 1}), Result::InvalidValue) << "into a new graph";
    EXPECT_EQ(engine_->capture_begin(s, {.into = &into, .after = &foreign, .count = 1}), Result::InvalidValue);
    EXPECT_EQ(Engine::capture_of(s), 0u);
    uint64_t found = 0;
    size_t count = 0;
    EXPECT_EQ(engine_->capture_nodes(s, &found, 1, &count), Result::NotCapturing);
    EXPECT_EQ(engine_->capture_set_nodes(s, &mine, 1, false), Result::NotCapturing);
    begin_to(s, into);
    EXPECT_EQ(engine_->capture_set_nodes(s, &foreign, 1, true), Result::InvalidValue);
    ASSERT_EQ(engine_->capture_set_nodes(s, &mine, 1, true), Result::Ok);
    ASSERT_EQ(engine_->capture_nodes(s, &found, 1, &count), Result::Ok);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(found, mine->id);
    EXPECT_EQ(capture_end(s), &into);
}

// A graph that is destroyed while streams are captured into it goes when they end, unless an end gives it to its caller.
TEST_F(HostBrokenCaptures, IntoAGraphThatIsDestroyed) {
    Stream &s = stream(), &t = stream();
    std::atomic<int> released{0};
    for (const bool ended : {false, true}) {
        Graph &into = graph();
        const uint64_t id = into.id;
        ASSERT_EQ(engine_->graph_keep(
                      into, [](void *arg) { ++*static_cast<std::atomic<int> *>(arg); }, &released),
                  Result::Ok);
        begin_to(s, into);
        begin_to(t, into);
        EXPECT_EQ(engine_->graph_destroy(into), Result::Ok);
        EXPECT_EQ(engine_->graph_destroy(into), Result::InvalidValue) << "twice";
        EXPECT_EQ(engine_->find_graph(id), nullptr);
        ASSERT_EQ(engine_->capture_abort(s), Result::Ok);
        EXPECT_EQ(released, 0);
        if (ended) {
            EXPECT_EQ(capture_end(t), &into);
            EXPECT_EQ(engine_->find_graph(id), &into) << "the caller of the end has it";
            EXPECT_EQ(engine_->graph_destroy(into), Result::Ok);
        } else {
            ASSERT_EQ(engine_->capture_abort(t), Result::Ok);
        }
        EXPECT_EQ(released.exchange(0), 1);
        EXPECT_EQ(engine_->find_graph(id), nullptr);
    }
}

TEST_F(HostBrokenCaptures, LaunchesThatNoGraphCanHave) {
    Stream &s = stream();
    void *memory = nullptr, *foreign = nullptr;
    begin(s);
    ASSERT_EQ(engine_->malloc_async(s, 8, &memory), Result::Ok);
    ASSERT_EQ(engine_->malloc_host(8, &foreign), Result::Ok);
    EXPECT_EQ(engine_->free_async(s, foreign), Result::InvalidValue) << "only what a graph has allocated";
    GraphExec &allocates = instantiate(*capture_end(s));
    Graph &decides = graph();
    GraphCondition *condition = nullptr;
    GraphNode *node = nullptr;
    ASSERT_EQ(engine_->condition_create(decides, 1, true, &condition), Result::Ok);
    ASSERT_EQ(engine_->graph_add_condition(decides, *condition, ConditionType::If, 1, nullptr, 0, &node), Result::Ok);
    GraphExec &branches = instantiate(decides);
    begin(s);
    for (GraphExec *exec : {&allocates, &branches}) EXPECT_EQ(engine_->exec_launch(*exec, s), Result::NotSupported);
    EXPECT_EQ(state(s), CaptureState::Active);
    EXPECT_TRUE(capture_end(s)->nodes.empty());
    launch(allocates, s);
    EXPECT_EQ(engine_->exec_launch(allocates, s), Result::MemoryLeft) << "the memory has not been freed";
    ASSERT_EQ(engine_->free_async(s, memory), Result::Ok);
    launch(allocates, s);
    ASSERT_EQ(engine_->free_async(s, memory), Result::Ok);
    sync(s);
    for (GraphExec *exec : {&allocates, &branches}) engine_->exec_destroy(*exec);
    EXPECT_EQ(engine_->free_host(foreign), Result::Ok);
}

} // namespace
} // namespace gs::host
