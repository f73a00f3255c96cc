// SPDX-License-Identifier: Apache-2.0
// What is printed when a run cannot go on.
#pragma once

#include <string>

namespace gs::schedule {

// Exit status of a forked child that would wait for a lock which a thread of its parent held.
inline constexpr int kWouldBlock = 77;

// The first line of a report: which scenario, which bug, which replay command.
void set_banner(const std::string &text);
[[noreturn]] void give_up(const char *why, const std::string &details);
// Prints the details when the process aborts or crashes, as it does at a broken rule (base/testing.hpp).
void catch_aborts(std::string (*details)());
// A line on stderr about a point where one of several threads was chosen.
void trace_point(const std::string &what, const void *code, const std::string &options, size_t chosen);
// file:line of an address in this executable, if the system has addr2line.
std::string source_of(const void *code);

} // namespace gs::schedule
