// SPDX-License-Identifier: Apache-2.0
// --trace: the calls of a program's threads and what they put in streams. They are in the log of each process, which outlives it
// however it ends; the command then opens this library to write the logs as traces. With --device-times the log also has when the
// device did the work.
#pragma once

#include <cstddef>

namespace gs::front {

// Of one process to `file`; of several to files with the number of the process ahead of the ending. nullptr, or what went wrong;
// the text is valid until the thread's next call.
const char *write_traces(const char *const *logs, size_t count, const char *file, int device_times) noexcept;

} // namespace gs::front
