// SPDX-License-Identifier: Apache-2.0
// What is handed to a stream or a graph while another thread ends the capture. Calls reach only graphs that live and that
// no other call uses. A function that was accepted runs once.
#include "schedule/model/model_graphs.hpp"
#include "schedule/scenario.hpp"
#include "schedule/scheduler/scheduler.hpp"

namespace gs::schedule {
namespace {

class Captures : public OnModel {
protected:
    void TearDown() override { model::with_captures(false); }
};

gs_stream_t g_stream;
gs_graph_t g_graph;
int g_given, g_called;

void call(void *) { ++g_called; }

void take(gs_status_t status, gs_status_t otherwise) {
    require(status == GS_OK || status == otherwise, std::string("a function was refused: ") + gs_status_name(status));
    if (status == GS_OK) ++g_given;
}

void make() {
    model::begin_run();
    model::with_captures(true);
    g_given = g_called = 0;
    g_stream = new_stream();
}

// Most captures have a graph that a caller has seen.
void make_captured() {
    make();
    REQUIRE_OK(gs_stream_begin_capture(g_stream, GS_CAPTURE_RELAXED));
    gs_capture_info_t info{};
    info.struct_size = sizeof info;
    REQUIRE_OK(gs_stream_capture_info(g_stream, &info));
    g_graph = info.graph;
}

void make_unseen() {
    make();
    REQUIRE_OK(gs_stream_begin_capture(g_stream, GS_CAPTURE_RELAXED));
}

void judge() {
    REQUIRE_OK(gs_stream_destroy(g_stream));
    clean_up();
    settle();
    require(g_called == g_given, std::to_string(g_called) + " of " + std::to_string(g_given) + " functions ran");
}

void end_and_destroy() {
    gs_graph_t graph = nullptr;
    REQUIRE_OK(gs_stream_end_capture(g_stream, &graph));
    REQUIRE_OK(gs_graph_destroy(graph));
}

void abort() { REQUIRE_OK(gs_stream_abort_capture(g_stream)); }

void defer() { take(gs_stream_defer(g_stream, call, nullptr), GS_OK); }

Scenario defer_against_end(void (*prepare)()) {
    return {"a deferred function against the end of the capture", prepare, {defer, end_and_destroy}, judge};
}

Scenario defer_against_abort(void (*prepare)()) {
    return {"a deferred function against the abort of the capture", prepare, {defer, abort}, judge};
}

Scenario keep_against_end() {
    return {"a kept object against the end of the capture and of the graph",
            make_captured,
            {[] { take(gs_graph_keep(g_graph, call, nullptr), GS_ERROR_INVALID_HANDLE); }, end_and_destroy},
            judge};
}

Scenario host_against_abort() {
    return {"a host function against the abort of the capture",
            make_captured,
            {[] { REQUIRE_OK(gs_stream_launch_host(g_stream, [](void *) {}, nullptr)); }, abort},
            [] {
                model::run_host_functions();
                judge();
            }};
}

Scenario begun_meanwhile(void (*give)()) {
    return {"a function against a capture that begins and is aborted",
            make,
            {give,
             [] {
                 REQUIRE_OK(gs_stream_begin_capture(g_stream, GS_CAPTURE_RELAXED));
                 abort();
             }},
            judge};
}

void notify() {
    take(gs_stream_notify(
             g_stream,
             [](void *, gs_status_t status) {
                 require(status == GS_OK, "a notification fails");
                 ++g_called;
             },
             nullptr),
         GS_ERROR_CAPTURING);
}

// Memory of a graph is no block of the pool, and all other memory can be freed.
Scenario allocated_meanwhile() {
    static gs_pool_t pool;
    static void *memory;
    static uint64_t before;
    static const auto allocated = [] {
        gs_pool_stats_t stats{};
        stats.struct_size = sizeof stats;
        REQUIRE_OK(gs_pool_get_stats(pool, &stats));
        return stats.allocations;
    };
    return {"an allocation against a capture that begins and is aborted",
            [] {
                make();
                REQUIRE_OK(gs_pool_default(0, &pool));
                before = allocated();
            },
            {[] { REQUIRE_OK(gs_malloc_async(64, g_stream, &memory)); },
             [] {
                 REQUIRE_OK(gs_stream_begin_capture(g_stream, GS_CAPTURE_RELAXED));
                 abort();
             }},
            [] {
                if (model::allocated_in_capture())
                    require(allocated() == before, "memory of a graph became a block of the pool");
                else
                    REQUIRE_OK(gs_free_async(memory, g_stream));
                judge();
            }};
}

void keep_unpinned() {
    StreamCapture now;
    const StreamRef stream{0, native_of(g_stream)};
    require(model_graphs()->capture(*this_thread(), stream, &now).ok(), "capture");
    if (now.graph == 0) return;
    ++g_given;
    require(model_graphs()->graph_keep(*this_thread(), now.graph, call, nullptr).ok(), "graph keep");
}

} // namespace

TEST_F(Captures, DeferAgainstEnd) { expect_clean(defer_against_end(make_captured)); }
TEST_F(Captures, DeferAgainstEndUnseen) { expect_clean(defer_against_end(make_unseen)); }
TEST_F(Captures, DeferAgainstAbort) { expect_clean(defer_against_abort(make_unseen)); }
TEST_F(Captures, KeepAgainstEnd) { expect_clean(keep_against_end()); }
TEST_F(Captures, HostFunctionAgainstAbort) { expect_clean(host_against_abort()); }
TEST_F(Captures, DeferAgainstBegin) { expect_clean(begun_meanwhile(defer)); }
TEST_F(Captures, NotifyAgainstBegin) { expect_clean(begun_meanwhile(notify)); }
TEST_F(Captures, AllocationAgainstBegin) { expect_clean(allocated_meanwhile()); }

// The graph of a capture is looked up and then used without a pin.
TEST_F(Captures, Fixture_LookUpWithoutAPin) {
    expect_broken({"a graph that is looked up and used, against the end of the capture and of the graph",
                   make_captured,
                   {keep_unpinned, end_and_destroy},
                   judge});
}

} // namespace gs::schedule
