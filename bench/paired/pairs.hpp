// SPDX-License-Identifier: Apache-2.0
// Measures two ways of doing the same in pairs: a batch of the driver's calls, then a batch of ours. Only their
// difference counts, so that the machine's drift cancels.
#pragma once

#include <gpustream.h>

#include <chrono>
#include <string>
#include <vector>

namespace paired {

// How a thread came to its current device. Only the last has called gs_set_current_device().
enum class Thread { Plain, OtherLibrary, Set };
inline constexpr Thread kThreads[] = {Thread::Plain, Thread::OtherLibrary, Thread::Set};
const char *name_of(Thread thread);

struct Row {
    std::string call;
    Thread thread;
    int batch;                  // calls in a batch
    std::vector<double> theirs; // ns per call, by pair; empty: the driver has no such call
    std::vector<double> ours;   // ns per call, by pair
    double driver_calls = 0;    // that one of our calls makes
    std::string error;
};

struct Settings {
    int pairs = 101;
    double scale = 1;           // of the batches
    const char *only = nullptr; // "timelines" or "queues"
};

class Pairs {
public:
    Pairs(const Settings &settings, Thread thread, std::vector<Row> &rows)
        : settings_(settings), thread_(thread), rows_(rows) {}

    // theirs, ours: one call each, returning 0 if it succeeds. settle runs before every batch, outside the clock.
    template <typename Theirs, typename Ours, typename Settle>
    void add(const char *call, int batch, Theirs theirs, Ours ours, Settle settle) {
        measure(call, batch, theirs, ours, settle, true);
    }
    // Beside another call of gpustream, which has the place of the driver's.
    template <typename Other, typename Ours, typename Settle>
    void add_beside(const char *call, int batch, Other other, Ours ours, Settle settle) {
        measure(call, batch, other, ours, settle, false);
    }
    // The driver has nothing like it.
    template <typename Ours>
    void add_alone(const char *call, int batch, Ours ours) {
        Row row = begin(call, batch);
        int failed = 0;
        for (int pair = -kWarm; pair < settings_.pairs; ++pair) {
            const double time = timed(row.batch, ours, &failed, false);
            if (pair >= 0) row.ours.push_back(time);
        }
        finish(row, ours, [] {}, failed);
    }

    Thread thread() const { return thread_; }
    int scaled(int batch) const; // the calls that a batch has

private:
    static constexpr int kWarm = 4; // pairs before the first that counts

    template <typename Theirs, typename Ours, typename Settle>
    void measure(const char *call, int batch, Theirs &theirs, Ours &ours, Settle &settle, bool of_driver) {
        Row row = begin(call, batch);
        int failed = 0;
        for (int pair = -kWarm; pair < settings_.pairs; ++pair) {
            double times[2];
            for (int turn = 0; turn < 2; ++turn) {
                const bool first = ((pair + turn) & 1) == 0; // each is first in every other pair
                settle();
                times[first ? 0 : 1] =
                    first ? timed(row.batch, theirs, &failed, of_driver) : timed(row.batch, ours, &failed, false);
            }
            if (pair < 0) continue;
            row.theirs.push_back(times[0]);
            row.ours.push_back(times[1]);
        }
        finish(row, ours, settle, failed);
    }
    Row begin(const char *call, int batch) const;
    // On a thread without a context, the driver's calls get one for their batch, because some need one.
    void enter(bool driver) const;
    void leave(bool driver) const;
    static uint64_t driver_calls();

    template <typename Call>
    double timed(int batch, Call &call, int *failed, bool driver) const {
        using Clock = std::chrono::steady_clock;
        enter(driver);
        int status = 0;
        const Clock::time_point start = Clock::now();
        for (int i = 0; i < batch; ++i) status |= call(i);
        const Clock::time_point end = Clock::now();
        leave(driver);
        *failed |= status;
        return std::chrono::duration<double, std::nano>(end - start).count() / batch;
    }
    template <typename Ours, typename Settle>
    void finish(Row &row, Ours &ours, const Settle &settle, int failed) {
        settle();
        const uint64_t before = driver_calls();
        (void)timed(row.batch, ours, &failed, false);
        row.driver_calls = static_cast<double>(driver_calls() - before) / row.batch;
        if (failed != 0) row.error = "a call failed, statuses or'ed: " + std::to_string(failed);
        rows_.push_back(std::move(row));
    }

    const Settings &settings_;
    const Thread thread_;
    std::vector<Row> &rows_;
};

// The rows, in the order of the report.
void add_event_rows(Pairs &pairs);
void add_stream_rows(Pairs &pairs);
void add_thread_rows(Pairs &pairs);
void add_memory_rows(Pairs &pairs);
void add_work_rows(Pairs &pairs);
void add_graph_rows(Pairs &pairs);
void add_timeline_rows(Pairs &pairs);
void add_queue_rows(Pairs &pairs);
void add_partition_rows(Pairs &pairs);

} // namespace paired
