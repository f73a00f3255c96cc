// SPDX-License-Identifier: Apache-2.0
// What `gpustream shake` asks for: a file of lines, a word and numbers each. A call has three numbers, counted from 1: of the
// process, of the thread, and of the call among the thread's calls that can be delayed. So it has the same name in each run, as far
// as the program does the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "front/call.hpp"

namespace gs::front {

struct CallName {
    uint64_t process = 0, thread = 0, call = 0;
};
struct ChosenDelay {
    CallName name;
    uint64_t us = 0;
};

struct DelayPlan {
    static constexpr size_t kMostChosen = 4096;
    uint64_t seed = 0;               // seed N
    bool uniform = false;            // uniform 1: any call
    uint64_t stream = 0;             // stream N: all of that stream; 0: none
    uint64_t site = 0;               // site N: all of that function and stream
    bool hosts = false;              // hosts 1: every second thread of the host, too
    bool follow = false;             // follow 1: what overtakes the delayed calls
    ChosenDelay chosen[kMostChosen]; // only PROCESS THREAD CALL MICROSECONDS
    size_t chosen_count = 0;
};
extern DelayPlan g_plan;

// False: the file cannot be read, or has a line of another kind.
bool read_delay_plan(const char *path) noexcept;
// Microseconds that the call is delayed; 0: not at all. nth: how often its site was called, from 1.
uint64_t delay_of(const CallName &name, uint64_t stream, uint64_t site, uint64_t nth) noexcept;
uint64_t host_delay_of(const CallName &name, uint64_t nth) noexcept;

// What a run with delays tells the command: lines in a file of each process, written at once, since the program may crash.
//
//   process TEXT                                  the program's name
//   site NUMBER STREAM SYMBOL                     first use of a function, or kernel, in a stream
//   delay PROCESS THREAD CALL MICROSECONDS STREAM SITE SYMBOL
//   late PROCESS THREAD CALL STREAM SYMBOL|CALLERS            of a call that is followed
//   ahead MATCH STREAM SYMBOL|CALLERS             what overtook it; MATCH 2: the same address, 1: an allocation, 0: unknown
//   refused N                                     delays that the driver did not take

// The number of this process among those of the run, from 1; 0: no file could be made.
uint64_t open_delay_file() noexcept;
void tell(const char *format, ...) noexcept __attribute__((format(printf, 1, 2)));

// What goes on while a delayed call is late: the first operation of another stream that nothing orders behind it.

// From now on; the one before is followed no more.
void follow(const Call &call, const CallName &name, uint64_t stream) noexcept;
void saw_followed(const Call &call) noexcept;
// What the call was given, of a kernel all that may be an address. May throw std::bad_alloc.
std::vector<uint64_t> addresses_of(const Call &call);
uint64_t number_of_stream(const Call &call) noexcept; // delays.cpp

// A kernel that only takes time, in front of a call in its stream.

// Outside of captures, for the current context; the driver may load nothing inside of one. False: it is not there.
bool prepare_delay_kernel() noexcept;
// odds: percent of the times that it runs at which it takes so long; it decides on the device, each time. `place` tells nodes of
// graphs apart. False: the driver refused.
bool put_delay(uint64_t stream, uint64_t ns, uint32_t odds, uint32_t place) noexcept;
// As a node of the graph that the node `after` waits for, behind what that one waits for. The same meaning.
bool add_delay_node(CUgraph graph, CUgraphNode after, const CUgraphNode *dependencies, size_t count, uint64_t ns,
                    uint32_t odds, uint32_t place) noexcept;

} // namespace gs::front
