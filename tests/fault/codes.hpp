// SPDX-License-Identifier: Apache-2.0
// What each driver function is made to return, and what the library has to make of it. Written down here a second
// time on purpose: it is the specification that the backend's own table is held against.
#pragma once

#include <string>
#include <vector>

#include "gpustream.h"

namespace gs::test {

// Codes after which a context is of no use.
const std::vector<int> &sticky_codes();
bool sticky(int code);

// Worth injecting into this function (exported symbol); the sticky ones are in addition where `touches_context`.
std::vector<int> codes_for(const std::string &symbol);
bool touches_context(const std::string &symbol);

// The statuses that are right when this function fails with this code in a call that reports it.
std::vector<gs_status_t> statuses_for(const std::string &symbol, int code);

// Whether the effect of this function may be followed by the error of something earlier.
bool reports_earlier_errors(const std::string &symbol);

// A native object that is left over is not forgotten but given up: the driver refuses to destroy it, or to say
// whether it may be used again.
bool gives_up(const std::string &symbol, const std::string &step);

// Why a failure of this function need not be reported to anybody; nullptr: it must be. step: the gs_* call it
// happened in.
const char *excuse(const std::string &symbol, int code, const std::string &step);

} // namespace gs::test
