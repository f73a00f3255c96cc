// SPDX-License-Identifier: Apache-2.0
// How every call is measured, whichever library offers it.
//
// A benchmark is named call/library/state. Each thread has objects of its own, created before the clock starts; the
// loop only makes the call and ors its status, which is checked afterwards.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>

namespace bench {

using Body = void (*)(benchmark::State &);

enum class State {
    Idle, // the only pending work in the streams is that of the calls themselves
    Busy, // the stream is held: nothing completes during the measurement
};

// Registers a benchmark for 1 to 16 threads. A call that queues work in a held stream is made a fixed number of times,
// since a driver blocks its caller when a queue is full.
void add(const char *call, const char *library, State state, Body body, bool queues = false);

// At most this many operations are put into a held stream.
inline constexpr int kQueued = 200;

// Stops the benchmark with the library's error text unless failed is 0.
void check(benchmark::State &state, long failed, const std::string &text);

// Memory of this size from the device's default pool, freed again, in a stream of the thread's own.
inline constexpr const char *kMallocFree = "malloc + free, 1 MiB";
inline constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

// Each peer registers its calls. Returns nullptr, or why the peer cannot be measured here.
const char *add_gpustream(const std::string &backend);
const char *add_driver();
const char *add_runtime();
const char *add_torch();

} // namespace bench
