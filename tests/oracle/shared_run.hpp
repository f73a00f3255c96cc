// SPDX-License-Identifier: Apache-2.0
// Random programs whose streams are spread over processes: what these processes share, and how they keep step.
//
// Stream s and event e belong to process s % 3 and e % 3. The processes exchange interprocess events or tokens, take the
// numbers of works and the moments of calls from the same words, and leave their traces where the judge reads them.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "gpustream.h"
#include "oracle/oracle.hpp"
#include "oracle/token_events.hpp"

namespace gs::oracle {

inline constexpr int kProcesses = 3;
inline constexpr int kSharedBatch = 48; // programs that run at the same time
inline constexpr int kMostOps = 128;

// What orders the streams of different processes.
enum class Between { Events, Tokens };

inline int process_of(int stream_or_event) { return stream_or_event % kProcesses; }
// The program of a seed, for several processes.
Program generate_shared(uint64_t seed);

struct SharedProgram {
    gs_ipc_handle_t handles[kMaxEvents]; // of events
    SharedToken tokens[kMaxEvents];
    std::atomic<uint32_t> numbers[kMaxWorks];
    std::atomic<uint32_t> again; // a work ran twice
    Trace traces[kMostOps];
};

struct SharedRun {
    std::atomic<uint32_t> clock, numbers;
    std::atomic<uint32_t> turn; // counts operations: they are executed one after the other
    std::atomic<uint32_t> arrived, rounds;
    std::atomic<uint32_t> ready; // processes that saw all works done
    std::atomic<uint32_t> stop;  // a process failed
    char failure[256];           // of the first process that set `stop`
    SharedProgram programs[kSharedBatch];

    // Waits until all processes are here. False when one has failed.
    bool meet();
    void fail(const std::string &what);
    // True when the operation is next; false when a process has failed.
    bool await_turn(uint32_t number);
};

// In file at path, which was created with the size of a SharedRun and zeroes.
SharedRun *map_run(const std::string &path);

} // namespace gs::oracle
