// SPDX-License-Identifier: Apache-2.0
// Every function of the public header, called on objects that are alive. scripts/generator/emit_calls.py writes the
// tables; every_call.cpp replaces the rows whose arguments or results are special.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calls/objects.hpp"

namespace gs::test {

// What a call does in a child forked from a process that had started a backend: BAD_FORK, or GS_OK.
enum class InBadFork { Refused, Answers };
// And inside a host function: NOT_PERMITTED, or what it does elsewhere; Unsaid: the header promises neither.
enum class InHostFunction { Refused, Allowed, Unsaid };
// What it waits for. Yes: it is refused in each function that something waits for. Briefly: only in one that holds a
// stream, as notifications need the call and what it waits for passes.
enum class Blocks { Never, Briefly, Yes };

// What a call leaves behind: nothing; what the row's undo ends; or what only a test written by hand can deal with.
// Undoes: it is the undo of another row. CannotFail: it returns no status.
enum class Trace { None, Undone, Undoes, ByHand, CannotFail };

// What a call is given that the record of its failure names: bits of Call::given.
// kGivenSeveral: an array or a struct that has some, of which the record may name one.
enum Given : uint32_t { kGivenStream = 1, kGivenEvent = 2, kGivenDevice = 4, kGivenSeveral = 8 };

struct Call {
    const char *name;
    InBadFork in_bad_fork;
    InHostFunction in_host_function;
    Blocks blocks;
    Trace trace;
    bool needs_inventory; // asks NVML, which the machine may lack
    uint32_t given;
    gs_status_t (*call)(const Objects &objects);
    const char *undo_name;                       // nullptr, as undo, unless the trace is Undone
    gs_status_t (*undo)(const Objects &objects); // right after a call that succeeded
};
const std::vector<Call> &call_table(); // as generated
const std::vector<Call> &every_call(); // with the rows written by hand
// What is wrong with the stream, event and device in the record of a failure; "" if they are what the function was given.
std::string wrong_objects(const gs_error_info_t &info);

// Calls that a loop of failures may make again and again: each leaves nothing behind once it is undone. Without NVML,
// and without those that are tested by hand.
std::vector<Call> repeatable_calls();

// Functions whose failures are tested by scenarios of their own, each with the reason: calls of the table whose trace is
// ByHand, and others that need more than Objects has. Every function is repeatable, an undo, unable to fail, or here.
struct ByHand {
    const char *name;
    const char *reason;
};
const std::vector<ByHand> &calls_by_hand();
bool is_repeatable(const Call &call, const std::vector<ByHand> &by_hand);
std::vector<std::string> wrongly_listed(const std::vector<Call> &calls, const std::vector<ByHand> &by_hand);

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
