// SPDX-License-Identifier: Apache-2.0
// A condition node of a launch: when its lane gets there, the word is read and a body is launched, perhaps repeatedly.
#pragma once

#include "backend/host/engine/graph/plan.hpp"

namespace gs::host {

class Record;

struct Branch {
    Ref<Plan> whole; // of the launch: it has the plan of the node, and keeps what the launch refers to
    const Plan *plan;
    uint32_t node;
    int32_t level;         // of the launch
    Record *end = nullptr; // of the body in progress
    bool ran = false;
};
void end_branch(Branch *branch) noexcept;

} // namespace gs::host
