// SPDX-License-Identifier: Apache-2.0
// What a run with delays tells the command: lines in a file of each process, written at once, since the program may crash.
//
//   process TEXT                                  the program's name
//   site NUMBER STREAM SYMBOL                     first use of a function, or kernel, in a stream
//   delay PROCESS THREAD CALL MICROSECONDS STREAM SITE SYMBOL
//   late PROCESS THREAD CALL STREAM SYMBOL|CALLERS            of a call that is followed
//   ahead MATCH STREAM SYMBOL|CALLERS             what overtook it; MATCH 2: the same address, 1: an allocation, 0: unknown
//   refused N                                     delays that the driver did not take
#pragma once

#include <cstdint>

namespace gs::front {

// The number of this process among those of the run, from 1; 0: no file could be made.
uint64_t open_delay_file() noexcept;
void tell(const char *format, ...) noexcept __attribute__((format(printf, 1, 2)));

} // namespace gs::front
