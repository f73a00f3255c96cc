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

// Reports that are not wanted: a file of lines "label:PATTERN", "stream:PATTERN" and "stack:PATTERN". A race is suppressed if
// a label, the name of a stream or a frame of either side matches; * and ? in a pattern match as in file names. Empty lines
// and those that begin with # do not count.

struct Suppression {
    enum class Of : uint8_t { Label, Stream, Stack } of;
    std::string pattern;
};
using Suppressions = std::vector<Suppression>;

// INVALID_ARGUMENT with the number of the line that is malformed. May throw std::bad_alloc.
Status parse_suppressions(const std::string &text, Suppressions *out);
bool is_suppressed(const Suppressions &all, const Race &race) noexcept;

} // namespace gs::check
