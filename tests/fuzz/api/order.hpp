// SPDX-License-Identifier: Apache-2.0
// The order that the program's work must have: each host function checks, when it runs, that all functions are over that
// its stream's earlier work and waits put before it (vector clocks over streams).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gs::fuzz {

inline constexpr uint32_t kMostStreams = 24; // that functions are submitted to; others have no clock

class Order {
public:
    // How many functions of each stream are over.
    using Clock = std::vector<uint32_t>;
    struct Work {
        Order *order;
        uint32_t stream, number;
        Clock before;
        static void run(void *work);
    };

    // A stream by its handle and, for the per-thread stream, the thread.
    using Name = std::pair<uint64_t, int>;
    // For gs_stream_launch_host(); nullptr: there are too many streams.
    Work *next(Name stream);
    void launched(Work *work); // the call returned GS_OK
    // Functions of gs_stream_notify(): exactly once, in stream order is the oracle's subject.
    std::atomic<int> notified{0};
    int notifications = 0;

    void record(uint64_t event, Name stream);
    void record_unknown(uint64_t event) { records_[event] = {}; }
    void wait_event(Name stream, uint64_t event);
    void wait_stream(Name stream, Name other);
    // A query or synchronization reported these as done.
    void check_stream(Name stream, const std::string &detail);
    void check_event(uint64_t event, const std::string &detail);
    void check_all(const std::string &detail);
    // All functions of the program have ended, and each ran once.
    void finish();

private:
    static constexpr uint32_t kNone = kMostStreams;
    uint32_t place(Name stream);
    void require(const Clock &clock, const std::string &detail) const;

    std::map<Name, uint32_t> places_;
    Clock promised_[kMostStreams];
    uint32_t issued_[kMostStreams] = {};
    std::map<uint64_t, Clock> records_;
    std::atomic<uint32_t> over_[kMostStreams] = {};
    std::deque<Work> works_;
};

} // namespace gs::fuzz
