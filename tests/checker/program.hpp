// SPDX-License-Identifier: Apache-2.0
// Random programs of streams, events, threads and accesses to memory, and a model that knows which of them race.
//
// The model keeps sets of accesses where the library keeps clocks and intervals, and compares every pair of accesses.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

namespace gs::check::test {

inline constexpr int kThreads = 3;
// Of device 0: two that ignore the default stream, a blocking one, the default and the per-thread stream; of device 1: one
// that ignores the default stream, and that one.
inline constexpr int kStreams = 7;
inline constexpr int kBlockingStream = 2, kDefaultStream = 3, kPerThreadStream = 4, kSecondDevice = 5,
                     kSecondDefault = 6;
inline constexpr int kEvents = 4; // odd ones of device 1
inline constexpr int kClocks = 2;
inline constexpr uint32_t kBlockBytes = 16;

enum class Do : uint8_t {
    Read,
    Write,
    Record,     // event on stream
    Wait,       // stream for event
    WaitStream, // stream for other
    SyncEvent,
    SyncStream,
    SyncDevice, // other
    QueryEvent,
    HandOver,   // by clock `other`
    RenewEvent, // destroy, create
    RenewStream,
};

struct Step {
    Do what = Do::Read;
    uint8_t thread = 0;
    uint8_t stream = 0;
    uint8_t other = 0;          // event, other stream, device or clock
    uint8_t begin = 0, end = 0; // of an access, in bytes
    bool operator==(const Step &) const = default;
};
using Program = std::vector<Step>;

constexpr int device_of_stream(int stream) { return stream >= kSecondDevice ? 1 : 0; }
constexpr int device_of_event(int event) { return event & 1; }

// Which accesses are ordered before which, step by step.
class Model {
public:
    // done: what a query said. Returns whether the step is an access that races with an earlier one.
    bool take(const Step &step, bool done = false);
    // The steps so far that a new access races with.
    std::vector<Step> racing_with(const Step &access) const;

private:
    static constexpr int kLines = kStreams + kThreads - 1; // the per-thread stream of each thread
    static constexpr size_t kMost = 256;
    using Set = std::bitset<kMost>;
    static int line_of(const Step &step, int stream);
    Set before(const Step &step) const; // what the stream's next work comes after
    void submit(const Step &step, int stream);
    void meet(int thread);

    std::vector<Step> accesses_;
    Set lines_[kLines], ended_[2], events_[kEvents], known_[kThreads], clocks_[kClocks];
    bool recorded_[kEvents] = {}, met_[kThreads] = {}, used_clock_[kClocks] = {};
};

// The same program for the same seed; it has no race, whatever its queries say.
Program race_free_program(uint64_t seed, int threads);
bool orders(const Step &step); // removing it may lose an order
std::string describe(const Program &program);

} // namespace gs::check::test
