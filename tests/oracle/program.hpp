// SPDX-License-Identifier: Apache-2.0
// Random programs over streams and events, the same one for the same seed.
//
// A program is what a few threads do in a few phases. Between two phases everything that can run has run, and one gate
// that held a stream is opened. A wrong order shows, since the work that must come later has already run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gs::oracle {

inline constexpr int kMaxStreams = 4;
inline constexpr int kMaxEvents = 4;
inline constexpr int kMaxThreads = 3;
inline constexpr int kMaxPoints = 8;              // entries of the queue
inline constexpr int kMaxWorks = 64 - kMaxPoints; // one bit each in the oracle's sets, and one for each point

enum class Kind : uint8_t {
    Work,       // a host function that takes the next number
    Hold,       // the stream waits for a gate
    Record,     // event on stream
    WaitEvent,  // stream for event
    WaitStream, // stream for other
    QueryEvent,
    QueryStream,
    SyncEvent,
    SyncStream,
    RenewEvent, // destroy, create: often the same slot and driver event
    RenewStream,
    AddStream, // to the program's queue, as point `other`
    AddEvent,  // event `stream`, as point `other`
};

// How Work, Record and WaitEvent name their stream.
enum class By : uint8_t {
    Handle,
    Push,      // by GS_STREAM_CURRENT, in a scope
    Set,       // the same, set, and what was current before set again afterwards
    Neighbour, // the same, made current by another library if it is followed
};
// How the other library is combined with gpustream for that time.
enum : uint8_t { kLeads = 1, kFollows = 2 };

struct Op {
    Kind kind = Kind::Work;
    uint8_t thread = 0;
    uint8_t phase = 0;
    uint8_t stream = 0;
    uint8_t other = 0; // event, other stream, gate or work, by kind
    By by = By::Handle;
    uint8_t mode = 0; // kLeads, kFollows
};

struct Program {
    uint64_t seed = 0;
    int streams = 1;
    int events = 1;
    int threads = 1;
    int phases = 1;
    int gates = 0; // gate g is opened when phase g ends
    int works = 0;
    int points = 0;
    bool two_devices = false; // odd streams and events are of device 1
    std::vector<Op> ops;      // each thread's in its order

    int device_of(int stream_or_event) const { return two_devices ? stream_or_event & 1 : 0; }
};

// SplitMix64: the same numbers on every platform and library.
class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint64_t next();
    int below(int n) { return static_cast<int>(next() % static_cast<uint64_t>(n)); }
    bool percent(int p) { return below(100) < p; }

private:
    uint64_t state_;
};

// renewals: whether objects may be destroyed on the way (not where threads really run at the same time).
// points: whether streams and events are added to a queue.
Program generate(uint64_t seed, bool renewals, bool points = false);
int count_waits(const Program &program);
std::string describe(const Program &program);
std::string describe(const Op &op);

} // namespace gs::oracle
