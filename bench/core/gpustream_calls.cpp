// SPDX-License-Identifier: Apache-2.0
// Calls on long-lived objects: record, wait, query, elapsed.
#include "gpustream_bridges.hpp"
#include "gpustream_lives.hpp"
#include "gpustream_objects.hpp"
#include "gpustream_seeing.hpp"

namespace bench {
namespace {

void event_record(benchmark::State &state) {
    Stream stream;
    Event event;
    gs_status_t failed = gs_event_record(event, stream);
    for (auto _ : state) failed |= gs_event_record(event, stream);
    check_gs(state, failed);
}

void event_record_busy(benchmark::State &state) {
    Stream stream;
    Event event;
    gs_status_t failed = gs_event_record(event, stream);
    Hold hold(stream);
    for (auto _ : state) failed |= gs_event_record(event, stream);
    check_gs(state, failed);
}

void event_record_timed(benchmark::State &state) {
    Stream stream;
    Event event(GS_EVENT_TIMING);
    gs_status_t failed = gs_event_record(event, stream);
    for (auto _ : state) failed |= gs_event_record(event, stream);
    check_gs(state, failed);
}

// The event is complete, but the library does not know it yet.
void wait_other_stream(benchmark::State &state) {
    Stream stream, other;
    Event event;
    gs_status_t failed = gs_event_record(event, other);
    failed |= gs_stream_synchronize(other);
    for (auto _ : state) failed |= gs_stream_wait_event(stream, event);
    check_gs(state, failed);
}

void wait_other_stream_busy(benchmark::State &state) {
    Stream stream, other;
    Event event;
    Hold hold(other);
    gs_status_t failed = gs_event_record(event, other);
    for (auto _ : state) failed |= gs_stream_wait_event(stream, event);
    check_gs(state, failed);
}

void wait_same_stream(benchmark::State &state) {
    Stream stream;
    Event event;
    gs_status_t failed = gs_event_record(event, stream);
    for (auto _ : state) failed |= gs_stream_wait_event(stream, event);
    check_gs(state, failed);
}

void wait_complete(benchmark::State &state) {
    Stream stream, other;
    Event event;
    gs_status_t failed = gs_event_record(event, other);
    failed |= gs_event_synchronize(event);
    for (auto _ : state) failed |= gs_stream_wait_event(stream, event);
    check_gs(state, failed);
}

void query_complete(benchmark::State &state) {
    Stream stream;
    Event event;
    int32_t done = 0;
    gs_status_t failed = gs_event_record(event, stream);
    failed |= gs_event_synchronize(event);
    for (auto _ : state) failed |= gs_event_query(event, &done);
    check_gs(state, failed);
}

void query_pending(benchmark::State &state) {
    Stream stream;
    Event event;
    Hold hold(stream);
    int32_t done = 0;
    gs_status_t failed = gs_event_record(event, stream);
    for (auto _ : state) failed |= gs_event_query(event, &done);
    check_gs(state, failed);
}

// One event for all threads.
void query_shared(benchmark::State &state) {
    static gs_event_t event;
    gs_status_t failed = GS_OK;
    if (state.thread_index() == 0) {
        Stream stream;
        failed |= gs_event_create(0, &event);
        failed |= gs_event_record(event, stream);
        failed |= gs_event_synchronize(event);
    }
    int32_t done = 0;
    for (auto _ : state) failed |= gs_event_query(event, &done);
    if (state.thread_index() == 0) failed |= gs_event_destroy(event);
    check_gs(state, failed);
}

void stream_query(benchmark::State &state) {
    Stream stream;
    int32_t done = 0;
    gs_status_t failed = GS_OK;
    for (auto _ : state) failed |= gs_stream_query(stream, &done);
    check_gs(state, failed);
}

void stream_query_busy(benchmark::State &state) {
    Stream stream;
    Hold hold(stream);
    int32_t done = 0;
    gs_status_t failed = GS_OK;
    for (auto _ : state) failed |= gs_stream_query(stream, &done);
    check_gs(state, failed);
}

void wait_stream(benchmark::State &state) {
    Stream stream, other;
    gs_status_t failed = gs_stream_wait_stream(stream, other);
    for (auto _ : state) failed |= gs_stream_wait_stream(stream, other);
    check_gs(state, failed);
}

void elapsed(benchmark::State &state) {
    Stream stream;
    Event start(GS_EVENT_TIMING), stop(GS_EVENT_TIMING);
    double ms = 0;
    gs_status_t failed = gs_event_record(start, stream);
    failed |= gs_event_record(stop, stream);
    failed |= gs_event_synchronize(stop);
    for (auto _ : state) failed |= gs_event_elapsed_ms(start, stop, &ms);
    check_gs(state, failed);
}

// As a kernel's author does before each launch; the state is the device's.
void rng_reserve(benchmark::State &state) {
    Stream stream;
    gs_philox_t philox{};
    philox.struct_size = sizeof philox;
    gs_status_t failed = gs_rng_set_state(0, 1, 0);
    for (auto _ : state) failed |= gs_rng_reserve(stream, 4, &philox);
    check_gs(state, failed);
}

} // namespace

const char *add_gpustream(const std::string &backend) {
    if (gs_init() != GS_OK || gs_set_current_device(0) != GS_OK) {
        static std::string reason;
        reason = backend + ": " + gpustream_error();
        return reason.c_str();
    }
    add("event record", "gpustream", State::Idle, event_record);
    add("event record", "gpustream", State::Busy, event_record_busy, true);
    add("event record, timed", "gpustream", State::Idle, event_record_timed);
    add("wait, other stream", "gpustream", State::Idle, wait_other_stream);
    add("wait, other stream", "gpustream", State::Busy, wait_other_stream_busy, true);
    add("wait, same stream", "gpustream", State::Idle, wait_same_stream);
    add("wait, complete event", "gpustream", State::Idle, wait_complete);
    add("query complete event", "gpustream", State::Idle, query_complete);
    add("query complete event, shared", "gpustream", State::Idle, query_shared);
    add("query pending event", "gpustream", State::Busy, query_pending);
    add("stream query", "gpustream", State::Idle, stream_query);
    add("stream query", "gpustream", State::Busy, stream_query_busy);
    add("wait_stream", "gpustream", State::Idle, wait_stream);
    add("elapsed", "gpustream", State::Idle, elapsed);
    add("rng reserve", "gpustream", State::Idle, rng_reserve);
    add_gpustream_lives();
    add_gpustream_bridges();
    add_gpustream_seeing();
    return nullptr;
}

} // namespace bench
