// SPDX-License-Identifier: Apache-2.0
// Ranges, and what calls cost beside them while a trace runs, or while the log is on: that is the environment's (bench/run
// starts the program once more with it).
#include "gpustream_seeing.hpp"

#include <cstdlib>

#include "gpustream_objects.hpp"

namespace bench {
namespace {

// Of the process: the first thread's starts it. Loops begin and end together.
class Traced {
public:
    explicit Traced(benchmark::State &state, uint32_t flags = 0) : mine_(state.thread_index() == 0) {
        gs_trace_options_t options{};
        options.struct_size = sizeof options;
        options.flags = flags;
        if (mine_) failed = gs_trace_start(&options);
    }
    ~Traced() {
        if (mine_) gs_trace_stop();
    }
    Traced(const Traced &) = delete;
    Traced &operator=(const Traced &) = delete;

    gs_status_t failed = GS_OK;

private:
    const bool mine_;
};

gs_status_t measure_ranges(benchmark::State &state) {
    gs_status_t failed = GS_OK;
    for (auto _ : state) {
        failed |= gs_range_push("step");
        failed |= gs_range_pop();
    }
    return failed;
}

void ranges(benchmark::State &state) { check_gs(state, measure_ranges(state)); }

void ranges_traced(benchmark::State &state) {
    const Traced traced(state);
    check_gs(state, traced.failed | measure_ranges(state));
}

void mark_traced(benchmark::State &state) {
    const Traced traced(state);
    gs_status_t failed = traced.failed;
    for (auto _ : state) failed |= gs_mark("now");
    check_gs(state, failed);
}

void measure_record(benchmark::State &state, gs_status_t failed = GS_OK) {
    Stream stream;
    Event event;
    failed |= gs_event_record(event, stream);
    for (auto _ : state) failed |= gs_event_record(event, stream);
    check_gs(state, failed);
}

void measure_wait(benchmark::State &state, gs_status_t failed = GS_OK) {
    Stream stream;
    Event event;
    failed |= gs_event_record(event, stream);
    for (auto _ : state) failed |= gs_stream_wait_event(stream, event);
    check_gs(state, failed);
}

void record_traced(benchmark::State &state) {
    const Traced traced(state);
    measure_record(state, traced.failed);
}

void wait_traced(benchmark::State &state) {
    const Traced traced(state);
    measure_wait(state, traced.failed);
}

bool is_logged() {
    const char *log = std::getenv("GPUSTREAM_LOG");
    return log && *log && std::atoi(log) != 0;
}

} // namespace

void add_gpustream_seeing() {
    add("range push + pop", "gpustream", State::Idle, ranges);
    add("range push + pop, traced", "gpustream", State::Idle, ranges_traced);
    add("mark, traced", "gpustream", State::Idle, mark_traced);
    add("event record, traced", "gpustream", State::Idle, record_traced);
    add("wait, same stream, traced", "gpustream", State::Idle, wait_traced);
    if (!is_logged()) return;
    add("range push + pop, logged", "gpustream", State::Idle, ranges);
    add("event record, logged", "gpustream", State::Idle, [](benchmark::State &state) { measure_record(state); });
    add("wait, same stream, logged", "gpustream", State::Idle, [](benchmark::State &state) { measure_wait(state); });
}

} // namespace bench
