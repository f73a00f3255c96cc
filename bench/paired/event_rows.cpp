// SPDX-License-Identifier: Apache-2.0
// Records, waits and queries.
#include <memory>

#include "objects.hpp"
#include "pairs.hpp"

namespace paired {
namespace {

constexpr int kNotReady = 600; // CUDA_ERROR_NOT_READY
constexpr int kMany = 64;      // events of the rows in which each is asked once

void add_records(Pairs &pairs) {
    StreamPair stream;
    EventPair plain, timed(true);
    const auto settle = [&] { stream.settle(); };
    pairs.add(
        "event record", 200, [&](int) { return g_driver.event_record(plain.theirs, stream.theirs); },
        [&](int) { return gs_event_record(plain.ours, stream.ours); }, settle);
    pairs.add(
        "event record, timed", 200, [&](int) { return g_driver.event_record(timed.theirs, stream.theirs); },
        [&](int) { return gs_event_record(timed.ours, stream.ours); }, settle);
}

void add_waits(Pairs &pairs) {
    StreamPair stream, other;
    EventPair event, here, complete;
    const auto fresh = std::make_unique<EventPair[]>(kMany);
    const auto at = [](int i) { return static_cast<size_t>(i % kMany); };
    // A record of its own for each wait, in the order of the waits: none is known to be complete or waited for.
    pairs.add(
        "wait, other stream", kMany, [&](int i) { return g_driver.stream_wait(stream.theirs, fresh[at(i)].theirs, 0); },
        [&](int i) { return gs_stream_wait_event(stream.ours, fresh[at(i)].ours); },
        [&] {
            stream.settle();
            for (int i = 0; i < kMany; ++i) fresh[at(i)].record(other);
        });
    event.record(other);
    pairs.add(
        "wait, other stream, again", 200, [&](int) { return g_driver.stream_wait(stream.theirs, event.theirs, 0); },
        [&](int) { return gs_stream_wait_event(stream.ours, event.ours); },
        [&] {
            stream.settle();
            event.record(other);
        });
    pairs.add(
        "event record + wait, other stream", 50,
        [&](int) {
            int failed = g_driver.event_record(event.theirs, other.theirs);
            failed |= g_driver.stream_wait(stream.theirs, event.theirs, 0);
            return failed;
        },
        [&](int) {
            int failed = gs_event_record(event.ours, other.ours);
            failed |= gs_stream_wait_event(stream.ours, event.ours);
            return failed;
        },
        [&] { stream.settle(); });
    here.record(stream);
    pairs.add(
        "wait, same stream", 200, [&](int) { return g_driver.stream_wait(stream.theirs, here.theirs, 0); },
        [&](int) { return gs_stream_wait_event(stream.ours, here.ours); }, [&] { stream.settle(); });
    complete.record(other);
    (void)g_driver.event_synchronize(complete.theirs);
    (void)gs_event_synchronize(complete.ours);
    pairs.add(
        "wait, complete event", 200, [&](int) { return g_driver.stream_wait(stream.theirs, complete.theirs, 0); },
        [&](int) { return gs_stream_wait_event(stream.ours, complete.ours); }, [&] { stream.settle(); });
    pairs.add(
        "wait_stream", 100,
        [&](int) {
            int failed = g_driver.event_record(event.theirs, other.theirs);
            failed |= g_driver.stream_wait(stream.theirs, event.theirs, 0);
            return failed;
        },
        [&](int) { return gs_stream_wait_stream(stream.ours, other.ours); },
        [&] {
            stream.settle();
            event.record(other); // the other stream is not known to be idle
        });
}

void add_queries(Pairs &pairs) {
    StreamPair stream;
    EventPair event, fresh;
    int32_t done = 0;
    const auto nothing = [] {};
    event.record(stream);
    stream.settle();
    pairs.add(
        "query complete event", 200, [&](int) { return g_driver.event_query(event.theirs); },
        [&](int) { return gs_event_query(event.ours, &done); }, nothing);
    pairs.add(
        "query event never recorded", 200, [&](int) { return g_driver.event_query(fresh.theirs); },
        [&](int) { return gs_event_query(fresh.ours, &done); }, nothing);
    pairs.add(
        "synchronize complete event", 200, [&](int) { return g_driver.event_synchronize(event.theirs); },
        [&](int) { return gs_event_synchronize(event.ours); }, nothing);
    Hold hold(stream);
    event.record(stream);
    pairs.add(
        "query pending event", 200, [&](int) { return g_driver.event_query(event.theirs) ^ kNotReady; },
        [&](int) {
            const int failed = gs_event_query(event.ours, &done);
            return failed | done;
        },
        nothing);
}

// Each event is asked once, after something that proves it complete.
void add_first_queries(Pairs &pairs) {
    StreamPair stream;
    const auto events = std::make_unique<EventPair[]>(kMany);
    int32_t done = 0;
    const auto record_all = [&] {
        for (int i = 0; i < kMany; ++i) events[static_cast<size_t>(i)].record(stream);
    };
    const auto theirs = [&](int i) { return g_driver.event_query(events[static_cast<size_t>(i % kMany)].theirs); };
    const auto ours = [&](int i) { return gs_event_query(events[static_cast<size_t>(i % kMany)].ours, &done); };
    pairs.add("first query after stream synchronize", kMany, theirs, ours, [&] {
        record_all();
        stream.settle();
    });
    pairs.add("first query after a later event's synchronize", kMany - 1, theirs, ours, [&] {
        record_all();
        (void)g_driver.event_synchronize(events[kMany - 1].theirs);
        (void)gs_event_synchronize(events[kMany - 1].ours);
    });
    pairs.add("first query after device synchronize", kMany, theirs, ours, [&] {
        record_all();
        (void)gs_device_synchronize(0);
    });
}

void add_elapsed(Pairs &pairs) {
    StreamPair stream;
    EventPair start(true), stop(true);
    start.record(stream);
    stop.record(stream);
    stream.settle();
    float theirs = 0;
    double ours = 0;
    pairs.add(
        "elapsed", 200, [&](int) { return g_driver.elapsed(&theirs, start.theirs, stop.theirs); },
        [&](int) { return gs_event_elapsed_ms(start.ours, stop.ours, &ours); }, [] {});
}

void add_lives(Pairs &pairs) {
    constexpr unsigned kDisableTiming = 2;
    StreamPair stream;
    void *theirs = nullptr;
    gs_event_t ours = nullptr;
    pairs.add(
        "event create + destroy", 100,
        [&](int) {
            int failed = g_driver.event_create(&theirs, kDisableTiming);
            failed |= g_driver.event_destroy(theirs);
            return failed;
        },
        [&](int) {
            int failed = gs_event_create(0, &ours);
            failed |= gs_event_destroy(ours);
            return failed;
        },
        [] {});
    pairs.add(
        "event create, record, destroy", 100,
        [&](int) {
            int failed = g_driver.event_create(&theirs, kDisableTiming);
            failed |= g_driver.event_record(theirs, stream.theirs);
            failed |= g_driver.event_destroy(theirs);
            return failed;
        },
        [&](int) {
            int failed = gs_event_create(0, &ours);
            failed |= gs_event_record(ours, stream.ours);
            failed |= gs_event_destroy(ours);
            return failed;
        },
        [&] { stream.settle(); });
}

} // namespace

void add_event_rows(Pairs &pairs) {
    add_records(pairs);
    add_waits(pairs);
    add_queries(pairs);
    add_first_queries(pairs);
    add_elapsed(pairs);
    add_lives(pairs);
}

} // namespace paired
