// SPDX-License-Identifier: Apache-2.0
// The table of docs/guide/graphs.md: what each call does on a stream that is being captured, and on other objects during a
// capture. All modes are tried, on the capturing thread and on another one. No call may break the capture.
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "calls/calls.hpp"
#include "conformance/captures.hpp"
#include "support/entries.hpp"

namespace gs::test {
namespace {

// A stream that is captured, one that joined, and one outside with work in progress.
struct Site {
    Stream captured = make_stream(0), joined = make_stream(0), outside = make_stream(0);
    Event inside = make_event(), other = make_event(), before = make_event(), fresh = make_event();
    Event external = make_event(GS_EVENT_EXTERNAL);
    Bytes bytes{4};
    Queue queue;
    Gate gate;

    void begin(int32_t mode) {
        ASSERT_OK(gate.hold(outside));
        ASSERT_OK(gs_event_record(before, outside));
        ASSERT_OK(gs_stream_begin_capture(captured, mode));
        ASSERT_OK(gs_event_record(inside, captured));
        ASSERT_OK(gs_stream_wait_event(joined, inside));
    }
    void end() {
        EXPECT_OK(gs_stream_wait_stream(captured, joined));
        end_capture(captured).reset();
        gate.open();
        EXPECT_OK(gs_stream_synchronize(outside));
        EXPECT_OK(gs_stream_synchronize(captured));
    }
};

struct Row {
    const char *name;
    gs_status_t expected;
    std::function<gs_status_t(Site &)> call;
};

void do_nothing(void *) {}
void never_called(void *, gs_status_t) { ADD_FAILURE() << "called"; }

const std::vector<Row> &rows() {
    static int32_t number = 0;
    static gs_graph_t graph = nullptr;
    static const std::vector<Row> all = {
        {"gs_event_record", GS_OK, [](Site &s) { return gs_event_record(s.other, s.captured); }},
        {"gs_event_record, external", GS_OK, [](Site &s) { return gs_event_record(s.external, s.captured); }},
        {"gs_stream_wait_event, inside", GS_OK, [](Site &s) { return gs_stream_wait_event(s.captured, s.inside); }},
        {"gs_stream_wait_event, never recorded", GS_OK,
         [](Site &s) { return gs_stream_wait_event(s.captured, s.fresh); }},
        {"gs_stream_wait_event, outside", GS_ERROR_CAPTURING,
         [](Site &s) { return gs_stream_wait_event(s.captured, s.before); }},
        {"gs_stream_wait_stream, joined", GS_OK, [](Site &s) { return gs_stream_wait_stream(s.captured, s.joined); }},
        {"gs_stream_wait_stream, outside", GS_ERROR_CAPTURING,
         [](Site &s) { return gs_stream_wait_stream(s.captured, s.outside); }},
        {"default stream waits for it", GS_ERROR_CAPTURING,
         [](Site &s) { return gs_stream_wait_event(default_stream(0), s.inside); }},
        {"gs_event_query", GS_ERROR_CAPTURING, [](Site &s) { return gs_event_query(s.inside, &number); }},
        {"gs_event_synchronize", GS_ERROR_CAPTURING, [](Site &s) { return gs_event_synchronize(s.inside); }},
        {"gs_stream_query", GS_ERROR_CAPTURING, [](Site &s) { return gs_stream_query(s.captured, &number); }},
        {"gs_stream_query, joined", GS_ERROR_CAPTURING, [](Site &s) { return gs_stream_query(s.joined, &number); }},
        {"gs_stream_synchronize", GS_ERROR_CAPTURING, [](Site &s) { return gs_stream_synchronize(s.captured); }},
        {"gs_device_synchronize", GS_ERROR_CAPTURING, [](Site &) { return gs_device_synchronize(0); }},
        {"gs_stream_notify", GS_ERROR_CAPTURING,
         [](Site &s) { return gs_stream_notify(s.captured, never_called, nullptr); }},
        {"gs_queue_add_stream", GS_ERROR_CAPTURING,
         [](Site &s) { return gs_queue_add_stream(s.queue, s.captured, 0); }},
        {"gs_queue_add_stream, joined", GS_ERROR_CAPTURING,
         [](Site &s) { return gs_queue_add_stream(s.queue, s.joined, 0); }},
        {"gs_queue_add_event, inside", GS_ERROR_CAPTURING,
         [](Site &s) { return gs_queue_add_event(s.queue, s.inside, 0); }},
        {"gs_queue_add_event, outside", GS_OK, [](Site &s) { return gs_queue_add_event(s.queue, s.before, 0); }},
        {"gs_stream_synchronize_for", GS_ERROR_CAPTURING,
         [](Site &s) { return gs_stream_synchronize_for(s.captured, 1'000'000); }},
        {"gs_stream_synchronize_for, joined", GS_ERROR_CAPTURING,
         [](Site &s) { return gs_stream_synchronize_for(s.joined, 1'000'000); }},
        {"gs_event_synchronize_for", GS_ERROR_CAPTURING,
         [](Site &s) { return gs_event_synchronize_for(s.inside, 1'000'000); }},
        {"gs_event_synchronize_for, outside", GS_ERROR_TIMEOUT,
         [](Site &s) { return gs_event_synchronize_for(s.before, 1'000); }},
        {"gs_event_synchronize_any", GS_ERROR_CAPTURING,
         [](Site &s) {
             const gs_event_t events[] = {s.before, s.inside};
             size_t index = 0;
             return gs_event_synchronize_any(events, 2, 1'000'000, &index);
         }},
        {"gs_event_synchronize_all", GS_ERROR_CAPTURING,
         [](Site &s) {
             const gs_event_t events[] = {s.before, s.inside};
             return gs_event_synchronize_all(events, 2, 1'000'000);
         }},
        {"gs_device_synchronize_for", GS_ERROR_CAPTURING,
         [](Site &) { return gs_device_synchronize_for(0, 1'000'000); }},
        {"gs_stream_defer", GS_OK, [](Site &s) { return gs_stream_defer(s.captured, do_nothing, nullptr); }},
        {"gs_stream_defer, joined", GS_OK, [](Site &s) { return gs_stream_defer(s.joined, do_nothing, nullptr); }},
        {"gs_stream_launch_host", GS_OK,
         [](Site &s) { return gs_stream_launch_host(s.captured, do_nothing, nullptr); }},
        {"gs_memset_async", GS_OK, [](Site &s) { return gs_memset_async(s.bytes.at(0), 1, 1, s.captured); }},
        {"gs_memcpy_async", GS_OK,
         [](Site &s) { return gs_memcpy_async(s.bytes.at(0), s.bytes.at(1), 1, s.captured); }},
        {"gs_memcpy_batch_async", GS_OK,
         [](Site &s) {
             const gs_copy_t one{s.bytes.at(0), s.bytes.at(1), 1};
             return gs_memcpy_batch_async(&one, 1, GS_ACCESS_ORDER_ANY, s.captured);
         }},
        {"gs_memcpy_batch_async, DURING_CALL", GS_ERROR_CAPTURING,
         [](Site &s) {
             const gs_copy_t one{s.bytes.at(0), s.bytes.at(1), 1};
             return gs_memcpy_batch_async(&one, 1, GS_ACCESS_ORDER_DURING_CALL, s.captured);
         }},
        {"gs_stream_sleep", GS_OK, [](Site &s) { return gs_stream_sleep(s.captured, 1); }},
        {"gs_stream_is_capturing", GS_OK, [](Site &s) { return gs_stream_is_capturing(s.captured, &number); }},
        {"gs_stream_begin_capture", GS_ERROR_CAPTURING,
         [](Site &s) { return gs_stream_begin_capture(s.captured, GS_CAPTURE_RELAXED); }},
        {"gs_stream_begin_capture, joined", GS_ERROR_CAPTURING,
         [](Site &s) { return gs_stream_begin_capture(s.joined, GS_CAPTURE_RELAXED); }},
        {"gs_stream_end_capture, joined", GS_ERROR_CAPTURING,
         [](Site &s) { return gs_stream_end_capture(s.joined, &graph); }},
        {"gs_stream_abort_capture, joined", GS_ERROR_CAPTURING,
         [](Site &s) { return gs_stream_abort_capture(s.joined); }},
        {"gs_trim", GS_OK, [](Site &) { return gs_trim(); }},
        {"gs_device_check", GS_OK, [](Site &) { return gs_device_check(0); }},
    };
    return all;
}

// What other code may do with other objects while a capture goes on.
void work_beside(Site &site) {
    Stream stream = make_stream(0), own = make_stream(0), dedicated = make_stream(0, GS_STREAM_DEDICATED);
    Event event = make_event(GS_EVENT_TIMING);
    EXPECT_OK(gs_event_record(event, stream));
    EXPECT_OK(gs_stream_wait_event(dedicated, event));
    EXPECT_OK(gs_event_synchronize(event));
    EXPECT_TRUE(done(event.get()));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_FALSE(done(site.before.get()));
    EXPECT_OK(gs_stream_begin_capture(own, GS_CAPTURE_THREAD_LOCAL));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_wait_event(own, site.inside)) << "an event of another capture";
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_wait_stream(own, site.joined));
    EXPECT_EQ(capture_state(own), GS_CAPTURE_STATE_ACTIVE);
    EXPECT_OK(gs_stream_abort_capture(own));
    EXPECT_OK(gs_trim());
}

// The same with work that needs the thread on which a driver runs all host functions, so no gate may be closed.
void graphs_beside() {
    std::atomic<int> count{0};
    Stream stream = make_stream(0), own = make_stream(0);
    EXPECT_OK(gs_stream_begin_capture(own, GS_CAPTURE_THREAD_LOCAL));
    EXPECT_OK(gs_stream_launch_host(own, [](void *arg) { ++*static_cast<std::atomic<int> *>(arg); }, &count));
    Graph graph = end_capture(own);
    GraphExec exec = instantiate(graph);
    EXPECT_OK(gs_graph_exec_upload(exec, stream));
    EXPECT_OK(gs_graph_exec_launch(exec, stream));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(count, 1);
}

// Whatever it returns: some need more than the objects.
void make_once(const Call &call, const Objects &objects) {
    if (call.call(objects) == GS_OK && call.undo) EXPECT_OK(call.undo(objects)) << call.name;
}

} // namespace

TEST_P(Conformance, CaptureTable_CallsOnACapturedStream) {
    for (const int32_t mode : kCaptureModes) {
        SCOPED_TRACE(mode);
        Site site;
        site.begin(mode);
        for (const bool beside : {false, true}) {
            for (const Row &row : rows()) {
                gs_status_t status = GS_ERROR_INTERNAL;
                const auto call = [&] { status = row.call(site); };
                if (beside)
                    std::thread(call).join();
                else
                    call();
                EXPECT_EQ(status, row.expected) << row.name << (beside ? " on another thread" : "");
                ASSERT_EQ(capture_state(site.captured), GS_CAPTURE_STATE_ACTIVE) << row.name;
            }
        }
        site.end();
    }
}

TEST_P(Conformance, CaptureTable_WorkBesideACapture) {
    for (const int32_t mode : kCaptureModes) {
        SCOPED_TRACE(mode);
        Site site;
        site.begin(mode);
        work_beside(site);
        EXPECT_EQ(capture_state(site.captured), GS_CAPTURE_STATE_ACTIVE);
        std::thread([&] { work_beside(site); }).join();
        EXPECT_EQ(capture_state(site.captured), GS_CAPTURE_STATE_ACTIVE);
        site.gate.open();
        graphs_beside();
        EXPECT_EQ(capture_state(site.captured), GS_CAPTURE_STATE_ACTIVE);
        std::thread(graphs_beside).join();
        EXPECT_EQ(capture_state(site.captured), GS_CAPTURE_STATE_ACTIVE);
        site.end();
    }
}

// Every function of the header that can be called again and again, with objects that are not captured.
TEST_P(Conformance, CaptureTable_EveryCallBesideACapture) {
    Objects objects = make_objects(0);
    for (const int32_t mode : kCaptureModes) {
        Stream captured = make_stream(0);
        ASSERT_OK(gs_stream_begin_capture(captured, mode));
        for (const Call &call : repeatable_calls()) {
            make_once(call, objects);
            ASSERT_EQ(capture_state(captured), GS_CAPTURE_STATE_ACTIVE) << call.name << " in mode " << mode;
            std::thread([&] { make_once(call, objects); }).join();
            ASSERT_EQ(capture_state(captured), GS_CAPTURE_STATE_ACTIVE) << call.name << " beside, in mode " << mode;
        }
        end_capture(captured).reset();
    }
    destroy_objects(objects);
}

TEST_P(Conformance, CaptureTable_DefaultStreamWhileABlockingStreamIsCaptured) {
    Stream blocking = make_stream(0, GS_STREAM_BLOCKING);
    Bytes bytes(1);
    bytes.set(default_stream(0), 0, 1);
    EXPECT_OK(gs_stream_synchronize(default_stream(0)));
    ASSERT_OK(gs_stream_begin_capture(blocking, GS_CAPTURE_RELAXED));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_memset_async(bytes.at(0), 2, 1, default_stream(0)));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_launch_host(default_stream(0), do_nothing, nullptr));
    Event event = make_event();
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_event_record(event, default_stream(0)));
    EXPECT_EQ(capture_state(blocking), GS_CAPTURE_STATE_ACTIVE);
    end_capture(blocking).reset();
    bytes.set(default_stream(0), 0, 3);
    EXPECT_OK(gs_stream_synchronize(default_stream(0)));
    EXPECT_EQ(bytes[0], 3);
}

} // namespace gs::test
