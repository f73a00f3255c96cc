// SPDX-License-Identifier: Apache-2.0
// Every function of the public header, called on objects that are alive. scripts/generator/emit_calls.py writes the
// tables; every_call.cpp replaces the rows whose arguments or results are special.
#pragma once

#include <cstdint>
#include <vector>

#include "calls/objects.hpp"

namespace gs::test {

// What a call does in a child forked from a process that had started a backend: BAD_FORK, or GS_OK.
enum class InBadFork { Refused, Answers };
// And inside a host function: NOT_PERMITTED, or what it does elsewhere; Unsaid: the header promises neither.
enum class InHostFunction { Refused, Allowed, Unsaid };

struct Call {
    const char *name;
    InBadFork in_bad_fork;
    InHostFunction in_host_function;
    bool repeatable;      // hands out nothing and changes nothing that would have to be undone
    bool needs_inventory; // asks NVML, which the machine may lack
    gs_status_t (*call)(const Objects &objects);
};
const std::vector<Call> &call_table(); // as generated
const std::vector<Call> &every_call(); // with the rows written by hand
std::vector<Call> repeatable_calls();  // those that are, without NVML

// The functions that take a handle, once for each such parameter: `handle` goes there, everything else is valid.
struct HandleCall {
    const char *function;
    const char *parameter;
    const char *kind;
    bool current; // GS_STREAM_CURRENT is allowed
    gs_status_t (*call)(uint64_t handle, const Objects &objects);
};
const std::vector<HandleCall> &handle_calls();

// The functions that have outputs, once for each: it is NULL, everything else is valid.
struct OutputCall {
    const char *function;
    const char *parameter;
    gs_status_t (*call)(const Objects &objects);
};
const std::vector<OutputCall> &output_calls();

} // namespace gs::test
