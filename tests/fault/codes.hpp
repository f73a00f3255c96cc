// SPDX-License-Identifier: Apache-2.0
// The codes that each driver function is made to return, and the statuses that they must become. This repeats the
// backend's own table on purpose: it is the specification which that table is tested against.
#pragma once

#include <string>
#include <vector>

#include "gpustream.h"

namespace gs::test {

// Codes after which a context is unusable.
const std::vector<int> &sticky_codes();
bool sticky(int code);

// Worth injecting into this function (exported symbol); sticky ones are added if `touches_context`.
std::vector<int> codes_for(const std::string &symbol);
bool touches_context(const std::string &symbol);

// The statuses that are right when this function fails with this code in a call that reports it.
std::vector<gs_status_t> statuses_for(const std::string &symbol, int code);

// Whether a native object that is left over was given up on purpose: the driver refuses to destroy it, or to report
// whether it may be reused.
bool gives_up(const std::string &symbol, const std::string &step);

// Why a failure of this function need not be reported; nullptr if it must be. step: the gs_* call it
// happened in.
const char *excuse(const std::string &symbol, int code, const std::string &step);

} // namespace gs::test
