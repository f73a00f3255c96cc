// SPDX-License-Identifier: Apache-2.0
// Where reports go: the callback or stderr, and the file of JSON; which of them are not wanted.
#pragma once

#include "base/status.hpp"
#include "tools/check/race.hpp"

namespace gs::check {

using ReportFunction = void (*)(void *arg, const char *text, const char *json);
void set_report_function(ReportFunction fn, void *arg) noexcept;

// Opens the files that the environment names, once. INVALID_ARGUMENT: a line of the suppressions that is malformed.
Status prepare_delivery() noexcept;

// No lock may be held. Aborts the process after a report if that is asked for.
void deliver(Race &race, bool abort_after) noexcept;

} // namespace gs::check
