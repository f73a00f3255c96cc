// SPDX-License-Identifier: Apache-2.0
// Streams and the current stream.
#include "objects.hpp"
#include "pairs.hpp"

namespace paired {
namespace {

constexpr int kNotReady = 600; // CUDA_ERROR_NOT_READY

void add_stream_states(Pairs &pairs) {
    StreamPair stream;
    EventPair event;
    int32_t done = 0;
    const auto settle = [&] { stream.settle(); };
    pairs.add(
        "stream query, idle", 200, [&](int) { return g_driver.stream_query(stream.theirs); },
        [&](int) { return gs_stream_query(stream.ours, &done); }, settle);
    pairs.add(
        "stream synchronize, idle", 200, [&](int) { return g_driver.stream_synchronize(stream.theirs); },
        [&](int) { return gs_stream_synchronize(stream.ours); }, settle);
    // Work in between, so that each call must ask.
    pairs.add(
        "event record + stream query", 50,
        [&](int) {
            (void)g_driver.stream_query(stream.theirs);
            return g_driver.event_record(event.theirs, stream.theirs);
        },
        [&](int) {
            int failed = gs_stream_query(stream.ours, &done);
            failed |= gs_event_record(event.ours, stream.ours);
            return failed;
        },
        settle);
    pairs.add(
        "event record + stream synchronize", 50,
        [&](int) {
            int failed = g_driver.event_record(event.theirs, stream.theirs);
            failed |= g_driver.stream_synchronize(stream.theirs);
            return failed;
        },
        [&](int) {
            int failed = gs_event_record(event.ours, stream.ours);
            failed |= gs_stream_synchronize(stream.ours);
            return failed;
        },
        settle);
    pairs.add(
        "event record + event synchronize", 50,
        [&](int) {
            int failed = g_driver.event_record(event.theirs, stream.theirs);
            failed |= g_driver.event_synchronize(event.theirs);
            return failed;
        },
        [&](int) {
            int failed = gs_event_record(event.ours, stream.ours);
            failed |= gs_event_synchronize(event.ours);
            return failed;
        },
        settle);
    Hold hold(stream);
    pairs.add(
        "stream query, busy", 200, [&](int) { return g_driver.stream_query(stream.theirs) ^ kNotReady; },
        [&](int) {
            const int failed = gs_stream_query(stream.ours, &done);
            return failed | done;
        },
        [] {});
}

void add_lives(Pairs &pairs) {
    EventPair event;
    void *theirs = nullptr;
    gs_stream_t ours = nullptr;
    pairs.add(
        "stream create + destroy", 20,
        [&](int) {
            int failed = g_driver.stream_create(&theirs, 1, 0);
            failed |= g_driver.stream_destroy(theirs);
            return failed;
        },
        [&](int) {
            int failed = gs_stream_create(0, 0, 0, &ours);
            failed |= gs_stream_destroy(ours);
            return failed;
        },
        [] {});
    pairs.add(
        "stream create, record, destroy", 20,
        [&](int) {
            int failed = g_driver.stream_create(&theirs, 1, 0);
            failed |= g_driver.event_record(event.theirs, theirs);
            failed |= g_driver.stream_destroy(theirs);
            return failed;
        },
        [&](int) {
            int failed = gs_stream_create(0, 0, 0, &ours);
            failed |= gs_event_record(event.ours, ours);
            failed |= gs_stream_destroy(ours);
            return failed;
        },
        [] {});
}

} // namespace

void add_stream_rows(Pairs &pairs) {
    add_stream_states(pairs);
    add_lives(pairs);
}

void add_thread_rows(Pairs &pairs) {
    StreamPair stream;
    EventPair event, on_default;
    gs_stream_t current = nullptr;
    uint64_t scope = 0;
    const auto settle = [&] { stream.settle(); };
    pairs.add_alone("current stream", 500, [&](int) { return gs_current_stream(GS_DEVICE_CURRENT, &current); });
    pairs.add_alone("current stream push + pop", 500, [&](int) {
        int failed = gs_push_current_stream(stream.ours, &scope);
        failed |= gs_pop_current_stream(scope);
        return failed;
    });
    // The driver's call is given the handle; ours finds it.
    (void)gs_push_current_stream(stream.ours, &scope);
    pairs.add(
        "event record on the current stream", 200,
        [&](int) { return g_driver.event_record(event.theirs, stream.theirs); },
        [&](int) { return gs_event_record(event.ours, GS_STREAM_CURRENT); }, settle);
    (void)gs_pop_current_stream(scope);
    pairs.add(
        "event record on the current stream, the default one", 200,
        [&](int) { return g_driver.event_record(on_default.theirs, nullptr); },
        [&](int) { return gs_event_record(on_default.ours, GS_STREAM_CURRENT); },
        [] { (void)gs_device_synchronize(0); });
}

} // namespace paired
