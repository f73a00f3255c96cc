// SPDX-License-Identifier: Apache-2.0
// Ranges, and what calls cost beside them while a trace or the ordering checker runs, or while the log is on: that is the environment's (bench/run
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
        if (mine_) failed = gs_trace_begin(&options, &trace_);
    }
    ~Traced() {
        if (mine_) gs_trace_end(trace_);
    }
    Traced(const Traced &) = delete;
    Traced &operator=(const Traced &) = delete;

    gs_status_t failed = GS_OK;

private:
    const bool mine_;
    uint64_t trace_ = 0;
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

// The ordering checker, of the process, as Traced. It knows so many ranges of memory, each with one access.
class Checked {
public:
    explicit Checked(benchmark::State &state, uintptr_t ranges = 0) : mine_(state.thread_index() == 0) {
        if (!mine_) return;
        Stream stream;
        failed = gs_check_start(0);
        for (uintptr_t i = 0; i < ranges; ++i) failed |= gs_check_write(stream, range(i), kRangeBytes, "a range");
    }
    ~Checked() {
        if (mine_) gs_check_stop();
    }
    Checked(const Checked &) = delete;
    Checked &operator=(const Checked &) = delete;

    static constexpr size_t kRangeBytes = 64;
    static const void *range(uintptr_t number) {
        return reinterpret_cast<const void *>(uintptr_t{1} << 32 | number * (2 * kRangeBytes));
    }
    gs_status_t failed = GS_OK;

private:
    const bool mine_;
    uint64_t trace_ = 0;
};

void record_checked(benchmark::State &state) {
    const Checked checked(state);
    measure_record(state, checked.failed);
}

void wait_checked(benchmark::State &state) {
    const Checked checked(state);
    measure_wait(state, checked.failed);
}

// Beside the ranges of others, in no order of addresses; each round writes ranges of its own, again and again.
void access_checked(benchmark::State &state) {
    constexpr uintptr_t live = 100'000, own = 1024, step = 389;
    const Checked checked(state, live);
    Stream stream;
    gs_status_t failed = checked.failed;
    const uintptr_t first = live * static_cast<uintptr_t>(1 + state.thread_index());
    uintptr_t at = 0;
    for (auto _ : state) {
        at = (at + step) % own;
        failed |= gs_check_write(stream, Checked::range(first + at), Checked::kRangeBytes, "own");
    }
    check_gs(state, failed);
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
    add("event record, checked", "gpustream", State::Idle, record_checked);
    add("wait, same stream, checked", "gpustream", State::Idle, wait_checked);
    add("declared write, 100,000 ranges", "gpustream", State::Idle, access_checked);
    if (!is_logged()) return;
    add("range push + pop, logged", "gpustream", State::Idle, ranges);
    add("event record, logged", "gpustream", State::Idle, [](benchmark::State &state) { measure_record(state); });
    add("wait, same stream, logged", "gpustream", State::Idle, [](benchmark::State &state) { measure_wait(state); });
}

} // namespace bench
