// SPDX-License-Identifier: Apache-2.0
// Rows of the harness graph that are written by hand, one file per subject.
#pragma once

#include <vector>

#include "fuzz/api/special_calls.hpp"

namespace gs::fuzz {

std::vector<SpecialCall> capture_rows();
std::vector<SpecialCall> captured_work_rows(); // work that becomes nodes of the capture that its stream takes part in
std::vector<SpecialCall> graph_rows();
std::vector<SpecialCall> node_rows(); // that add nodes
std::vector<SpecialCall> exec_rows();

} // namespace gs::fuzz
