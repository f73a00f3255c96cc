// SPDX-License-Identifier: Apache-2.0
// What programs run on: the process's model, the objects that outlive a program, and the check that nothing else does.
#pragma once

#include "fuzz/api/program.hpp"

namespace gs::fuzz {

extern Model *g_model;

void start_programs(void (*prepare)() = nullptr); // which makes more that outlives programs
void run_alone(Program &program);                 // checks that all it made has ended
void synchronize_all_devices();
void log_is_text(void *arg, int32_t level, const char *text);

} // namespace gs::fuzz
