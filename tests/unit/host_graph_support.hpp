// SPDX-License-Identifier: Apache-2.0
// Support for tests of the host engine's graphs.
#pragma once

#include "unit/host_support.hpp"

namespace gs::host {

class HostGraphTest : public HostEngineTest {
protected:
    Graph *capture_end(Stream &on) {
        Graph *graph = nullptr;
        EXPECT_EQ(engine_->capture_end(on, 0, &graph), Result::Ok);
        return graph;
    }
    GraphExec &instantiate(Graph &graph, uint32_t flags = 0) {
        GraphExec *exec = nullptr;
        EXPECT_EQ(engine_->exec_create(graph, flags, &exec), Result::Ok);
        return *exec;
    }
    void launch(GraphExec &exec, Stream &on) { ASSERT_EQ(engine_->exec_launch(exec, on), Result::Ok); }
    void sync(Stream &on) { ASSERT_EQ(engine_->stream_synchronize(on), Result::Ok); }
    // to waits for what from has now.
    void follow(Stream &to, Stream &from) {
        Event &e = event();
        ASSERT_EQ(engine_->event_record(e, from, false), Result::Ok);
        ASSERT_EQ(engine_->stream_wait(to, e, false), Result::Ok);
        engine_->event_destroy(e);
    }
    void call(Stream &on, void (*run)(void *), void *arg) {
        ASSERT_EQ(engine_->launch(on, Task{run, nullptr, arg}), Result::Ok);
    }
};

} // namespace gs::host
