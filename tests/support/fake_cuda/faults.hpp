// SPDX-License-Identifier: Apache-2.0
// For controls.cpp: what faults.cpp counts and makes fail.
#pragma once

#include <cstdint>
#include <string>

#include "fake_cuda/fake_cuda.h"

namespace gs::simulated {

void set_fault(const fake_cuda_fault_t *fault); // nullptr: none
void lock_calls(bool locked);
uint64_t injected(std::string *first);
uint64_t calls_of(const char *symbol);
void reset_calls();
// The symbols that the calling thread called since start_trace(), one per line.
void start_trace();
std::string trace();
void register_test_kernels();

} // namespace gs::simulated
