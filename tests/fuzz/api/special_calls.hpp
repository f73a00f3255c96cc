// SPDX-License-Identifier: Apache-2.0
// Rows of the table that are written by hand, one file per subject.
#pragma once

#include <vector>

#include "fuzz/api/calls.hpp"

namespace gs::fuzz {

struct SpecialCall {
    const char *name;
    void (*make)(Arguments &arguments);
};
std::vector<SpecialCall> order_calls();   // whose effect on the order of work is known
std::vector<SpecialCall> current_calls(); // current streams, scopes, what a thread may wait for
std::vector<SpecialCall> memory_calls();
std::vector<SpecialCall> work_calls(); // functions of the caller's, kernels
std::vector<SpecialCall> trace_calls();
std::vector<SpecialCall> native_calls();
std::vector<SpecialCall> bridge_calls();
std::vector<SpecialCall> completion_calls();

// Puts them into the place of the generated rows of the same names.
void replace_rows(std::vector<Call> &table, const std::vector<SpecialCall> &rows);
void make_generated(const char *name, Arguments &arguments); // as the generated row does

} // namespace gs::fuzz
