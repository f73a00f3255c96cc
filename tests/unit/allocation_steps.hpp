// SPDX-License-Identifier: Apache-2.0
// The steps of a scenario of the allocation-failure test. Its variable `failure` has the outcome.
#pragma once

#include "allocation_hook.hpp"
#include "allocation_scenarios.hpp"

// The first failure of a chain of calls; the calls after it are skipped.
#define STEP(function, ...)                                                                                            \
    if (failure.status == GS_OK || failure.status == GS_NOT_READY) failure = {function(__VA_ARGS__), #function}
// Releasing an existing object never fails for lack of memory.
#define GIVE_BACK(function, object)                                                                                    \
    if (object)                                                                                                        \
        if (const gs_status_t status = function(object); status != GS_OK)                                              \
    failure = {status, #function " (giving "                                                                           \
                                 "back)"}
// A step that adds a node, which the variable `added` counts.
#define ADD(function, ...)                                                                                             \
    STEP(function, __VA_ARGS__);                                                                                       \
    added += failure.status == GS_OK ? 1 : 0

namespace gs::test {

// A node is added as a whole or not at all.
inline void check_nodes(gs_graph_t graph, size_t added, Failure *failure) {
    if (failure->status == GS_OK || !graph) return;
    stop_failing();
    size_t found = 0;
    const gs_status_t status = gs_graph_nodes(graph, nullptr, 0, &found);
    if (status != GS_OK) *failure = {status, "gs_graph_nodes (giving back)"};
    if (found != added) *failure = {GS_ERROR_INTERNAL, "gs_graph_nodes: a node whose call failed"};
}

} // namespace gs::test
