// SPDX-License-Identifier: Apache-2.0
// A trace as JSON, in the form that Chrome, Perfetto and PyTorch's profiler share.
#pragma once

#include "tools/trace/trace_parts.hpp"

namespace gs::trace {

using WriteFunction = gs_status_t (*)(void *arg, const char *text, size_t bytes);

// The trace that was started last: gs_trace_write().
Status write_trace(ThreadBlock &thread, WriteFunction write, void *arg) noexcept;
// What write returns but GS_OK. May throw std::bad_alloc.
Status write_json(const Snapshot &snapshot, const Regions &regions, const Parts &parts, WriteFunction write, void *arg);

} // namespace gs::trace
