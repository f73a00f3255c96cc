// SPDX-License-Identifier: Apache-2.0
// How every call is measured, whoever offers it.
//
// A benchmark is named call/library/state. Each thread has objects of its own, made before the clock starts; the loop
// does nothing but the call and or-ing its status, which is looked at afterwards.
#pragma once

#include <benchmark/benchmark.h>

#include <string>

namespace bench {

using Body = void (*)(benchmark::State &);

enum class State {
    Idle, // nothing is pending in the streams but what the calls themselves put there
    Busy, // the stream is held: nothing completes while the clock runs
};

// Registers it for 1 to 16 threads. A call that queues something in a held stream is made a fixed number of times,
// since a driver blocks its caller when a queue is full.
void add(const char *call, const char *library, State state, Body body, bool queues = false);

// At most this many operations are put into a held stream.
inline constexpr int kQueued = 200;

// Stops the benchmark with the library's own text unless failed is 0.
void check(benchmark::State &state, long failed, const std::string &text);

// Each peer registers what it has; nullptr, or why it cannot be measured here.
const char *add_gpustream(const std::string &backend);
const char *add_driver();
const char *add_runtime();
const char *add_torch();

} // namespace bench
