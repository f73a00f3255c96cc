// SPDX-License-Identifier: Apache-2.0
// What must run before what in a program of graphs. A run of a work, in a stream or in one launch, is an instance; the
// model says for each which instances must have ended when it begins.
#pragma once

#include <bitset>
#include <string>
#include <vector>

#include "oracle/graph_program.hpp"

namespace gs::oracle {

using Instances = std::bitset<kMostInstances>;

struct Instance {
    int work = 0; // -1: the gate
    int run = 0;  // the how manieth of that work
    Instances before;
};

struct GraphExpectation {
    std::vector<Instance> instances;
    std::vector<int> runs;          // by work
    std::vector<Instances> covered; // by operation: what a query that says done, or a synchronisation, covers
    std::vector<bool> behind_gate;  // by operation: the stream of a Sync waits for the gate
};

GraphExpectation expect(const GraphProgram &program);

} // namespace gs::oracle
