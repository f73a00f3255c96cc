// SPDX-License-Identifier: Apache-2.0
// How late a program hears that its work is done, and what waiting costs. Each way to wait is measured beside a thread
// that spins, in pairs on the same amount of work.
//
//   gpustream_bench_completion [--seconds N]     about how long to measure; 60
//
// Work is gs_stream_sleep(). A row has the way to wait, and how much later than the spinning waiter it was (median and
// 99th percentile of the pairs' differences, microseconds). Its last column is the share of a processor that the
// process used, from the submission until the program knew. The pairs of a way follow each other, since what threads of
// the driver or of the library still do for the way before would count for this one.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "completion_ways.hpp"

namespace {

using completion::now_ns;
using completion::Way;

uint64_t processor_ns() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto ns = [](const timeval &t) {
        return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(t.tv_usec) * 1'000u;
    };
    return ns(usage.ru_utime) + ns(usage.ru_stime);
}

// What asking for it takes, some of which lies between two answers.
double processor_question_ns() {
    constexpr int kTimes = 2'000;
    const uint64_t begin = processor_ns();
    for (int i = 0; i < kTimes; ++i) (void)processor_ns();
    return static_cast<double>(processor_ns() - begin) / (kTimes + 1);
}

struct Found {
    std::vector<double> late_us;
    double busy_ns = 0;
    double wall_ns = 0;
};

double quantile(std::vector<double> &values, double share) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1, static_cast<size_t>(share * static_cast<double>(values.size())))];
}

void print(const char *work, const Way &way, Found &found) {
    std::printf("| %-18s | %-26s | %8.1f | %8.1f | %5.2f |\n", work, way.name, quantile(found.late_us, 0.5),
                quantile(found.late_us, 0.99), found.busy_ns / found.wall_ns);
    std::fflush(stdout);
}

// One wait, from the submission until the program knows.
uint64_t once(const Way &way, gs_stream_t stream, uint64_t cycles, Found *found) {
    static const double question_ns = processor_question_ns();
    const uint64_t begin = now_ns();
    completion::check(gs_stream_sleep(stream, cycles), "gs_stream_sleep");
    const uint64_t busy = processor_ns(), submitted = now_ns();
    const uint64_t end = way.wait(stream);
    if (found) {
        found->wall_ns += static_cast<double>(now_ns() - submitted);
        found->busy_ns += static_cast<double>(processor_ns() - busy) - question_ns;
    }
    return end - begin;
}

// streams: one, or as many as there are waits, so that each is the first one of its stream.
void measure(const char *name, const std::vector<gs_stream_t> &streams, const std::function<uint64_t()> &cycles,
             double seconds) {
    const std::vector<Way> ways = completion::ways();
    const bool fresh = streams.size() > 1;
    constexpr int kWarm = 4, kBlock = 12; // pairs
    std::vector<Found> found(ways.size());
    const uint64_t end = now_ns() + static_cast<uint64_t>(seconds * 1e9);
    size_t turn = 0;
    const auto next = [&] { return streams[turn++ % streams.size()]; };
    for (bool once_more = true; once_more; once_more = now_ns() < end) {
        for (size_t i = 0; i < ways.size(); ++i) {
            for (int pair = 0; pair < kBlock; ++pair) {
                if (fresh && turn + 2 > streams.size()) break;
                const uint64_t work = cycles();
                const uint64_t spun = once(completion::spinning(), next(), work, nullptr);
                const bool counts = pair >= kWarm;
                const uint64_t took = once(ways[i], next(), work, counts ? &found[i] : nullptr);
                if (counts) found[i].late_us.push_back((static_cast<double>(took) - static_cast<double>(spun)) / 1e3);
            }
        }
        if (fresh && turn + 2 > streams.size()) break;
    }
    for (size_t i = 0; i < ways.size(); ++i)
        if (!found[i].late_us.empty()) print(name, ways[i], found[i]);
}

double ns_per_call(int calls, const std::function<void(int)> &call) {
    const uint64_t begin = now_ns();
    for (int i = 0; i < calls; ++i) call(i);
    return static_cast<double>(now_ns() - begin) / calls;
}

// What the calls cost, and what pending entries cost another thread's records.
void measure_costs(double cycles_per_us) {
    std::printf("\n| call | ns |\n|---|---|\n");
    completion::Objects o;
    const auto row = [](const char *name, std::vector<double> ns) {
        std::printf("| %s | %.0f |\n", name, quantile(ns, 0.5));
    };
    // An add records an event of its own, so the record that it is compared with is of many events too.
    std::vector<gs_event_t> events(200);
    for (gs_event_t &event : events) completion::check(gs_event_create(0, &event), "gs_event_create");
    std::vector<double> record, of_many, add, defer, last;
    for (int round = 0; round < 41; ++round) {
        completion::check(gs_stream_sleep(o.stream, static_cast<uint64_t>(3'000 * cycles_per_us)), "gs_stream_sleep");
        record.push_back(ns_per_call(200, [&](int) { gs_event_record(o.event, o.stream); }));
        of_many.push_back(ns_per_call(200, [&](int i) { gs_event_record(events[static_cast<size_t>(i)], o.stream); }));
        add.push_back(
            ns_per_call(200, [&](int i) { gs_queue_add_stream(o.queue, o.stream, static_cast<uint64_t>(i)); }));
        defer.push_back(ns_per_call(50, [&](int) { gs_stream_defer(o.stream, [](void *) {}, nullptr); }));
        completion::check(gs_stream_synchronize(o.stream), "gs_stream_synchronize");
        completion::drain(o.queue, 200);
        last.push_back(ns_per_call(1, [&](int) { gs_queue_add_stream(o.queue, o.stream, 0); }));
        completion::drain(o.queue, 1);
    }
    for (gs_event_t event : events) completion::check(gs_event_destroy(event), "gs_event_destroy");
    row("gs_event_record, busy stream", record);
    row("gs_event_record, busy stream, 200 events", of_many);
    row("gs_queue_add_stream, busy stream", add);
    row("gs_queue_add_stream, the scanner sleeps", last);
    row("gs_stream_defer", defer);

    std::printf("\n| streams pending | record of another stream, ns | without them | after the last one is done, us "
                "|\n|---|---|---|---|\n");
    for (const int count : {1, 10, 100, 1000}) {
        std::vector<gs_stream_t> streams(static_cast<size_t>(count));
        for (gs_stream_t &stream : streams) completion::check(gs_stream_create(0, 0, 0, &stream), "gs_stream_create");
        std::vector<double> with, without, after;
        for (int round = 0; round < 7; ++round) {
            for (int i = 0; i < 10; ++i)
                without.push_back(ns_per_call(1'000, [&](int) { gs_event_record(o.event, o.free); }));
            completion::check(gs_stream_sleep(o.stream, static_cast<uint64_t>(40'000 * cycles_per_us)),
                              "gs_stream_sleep");
            for (size_t i = 0; i < streams.size(); ++i) {
                completion::check(gs_stream_wait_stream(streams[i], o.stream), "gs_stream_wait_stream");
                completion::check(gs_queue_add_stream(o.queue, streams[i], i), "gs_queue_add_stream");
            }
            int32_t done = 0;
            while (gs_stream_query(o.stream, &done) == GS_OK && !done)
                with.push_back(ns_per_call(1'000, [&](int) { gs_event_record(o.event, o.free); }));
            const uint64_t reached = now_ns();
            completion::drain(o.queue, streams.size());
            after.push_back(static_cast<double>(now_ns() - reached) / 1e3);
        }
        std::printf("| %d | %.0f | %.0f | %.0f |\n", count, quantile(with, 0.5), quantile(without, 0.5),
                    quantile(after, 0.5));
        std::fflush(stdout);
        for (gs_stream_t stream : streams) completion::check(gs_stream_destroy(stream), "gs_stream_destroy");
    }
}

} // namespace

int main(int argc, char **argv) {
    double seconds = 60;
    for (int i = 1; i + 1 < argc; ++i)
        if (std::strcmp(argv[i], "--seconds") == 0) seconds = std::atof(argv[i + 1]);
    completion::begin();
    completion::Objects o;
    const double cycles_per_us = completion::calibrate(o.stream);
    std::printf("device %s, %.0f cycles per us\n\n", completion::device_name().c_str(), cycles_per_us);
    std::printf("| work | way | median us | p99 us | load |\n|---|---|---|---|---|\n");
    std::mt19937 random(1);
    const double share = seconds / 22;
    for (const int us : {20, 50, 100, 300, 1'000, 5'000, 20'000}) {
        const double cycles = us * cycles_per_us;
        const std::string name = std::to_string(us) + " us";
        measure(name.c_str(), {o.stream}, [&] { return static_cast<uint64_t>(cycles); }, share);
        measure((name + " +-50%").c_str(), {o.stream},
                [&] { return static_cast<uint64_t>(cycles * std::uniform_real_distribution<>(0.5, 1.5)(random)); },
                share);
    }
    for (const int us : {100, 1'000, 5'000}) {
        std::vector<gs_stream_t> fresh(us == 5'000 ? 400u : 1'000u);
        for (gs_stream_t &stream : fresh)
            completion::check(gs_stream_create(0, 0, GS_STREAM_DEDICATED, &stream), "gs_stream_create");
        measure((std::to_string(us) + " us, first").c_str(), fresh,
                [&] { return static_cast<uint64_t>(us * cycles_per_us); }, share);
        for (gs_stream_t stream : fresh) completion::check(gs_stream_destroy(stream), "gs_stream_destroy");
    }
    measure_costs(cycles_per_us);
    return 0;
}
