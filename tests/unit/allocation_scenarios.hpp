// SPDX-License-Identifier: Apache-2.0
// What the allocation-failure test runs: every entry point of the library, a few calls at a time.
#pragma once

#include "gpustream.h"

namespace gs::test {

struct Failure {
    gs_status_t status = GS_OK;
    const char *function = ""; // the call that failed
};

// Runs some calls and releases all that they created, also if one of them fails. Allocates nothing itself.
struct Scenario {
    const char *name;
    Failure (*run)();
};

Failure host_functions(); // allocation_host_calls.cpp
Failure calls_in_host_functions();
Failure queues(); // allocation_completion.cpp
Failure deferred();
Failure traced();
Failure built_graph();   // allocation_graphs.cpp
Failure captured_work(); // allocation_captures.cpp
Failure captured_into_a_graph();
Failure conditions();
Failure checked_race(); // allocation_checked.cpp
Failure checked_launch();
Failure births_and_syncs();
Failure pools();      // allocation_pools.cpp
Failure partitions(); // allocation_pools.cpp
Failure devices();    // allocation_pools.cpp
Failure tokens();     // allocation_tokens.cpp
Failure words();

// A call that needs no memory: what is given back, and questions.
inline void require_ok(gs_status_t status, const char *what, Failure *failure) {
    if (status != GS_OK) *failure = {status, what};
}

// Waits for the stream's work in any case: memory that it uses must not be freed.
void settle(gs_stream_t stream, Failure *failure);
Failure captured_random();

extern const Scenario kAllocationScenarios[];
extern const int kAllocationScenarioCount;

} // namespace gs::test
