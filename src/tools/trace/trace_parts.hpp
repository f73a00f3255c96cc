// SPDX-License-Identifier: Apache-2.0
// What a trace consists of: spans and moments on lanes, and arrows between them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/trace/trace.hpp"

namespace gs::trace {

// A stream of a device, or a thread of the host.
struct Lane {
    int32_t process = 0; // a device's number; kHost: the process's own
    uint64_t number = 0; // of a stream, from 0 for default streams; of a thread, the system's
    uint64_t handle = 0; // of a stream
};
inline constexpr int32_t kHost = -1;

struct Span {
    enum class Kind : uint8_t { Range, Region, Operation, Wait, Mark, AnyThreadBegin, AnyThreadEnd };
    Kind kind = Kind::Operation;
    recorder::LogCall call = recorder::LogCall::Submit;
    uint32_t lane = 0; // in Parts::lanes
    uint32_t name = 0; // log_notes.hpp, of ranges, regions and marks
    uint32_t thread = 0;
    bool is_open = false; // a range that was not ended
    int64_t from_ns = 0;
    int64_t until_ns = 0;
    int64_t error_ns = 0; // of a region
    uint64_t object = 0;  // as the log has it
    uint64_t value = 0;
    int64_t after = -1; // the span that this one waits for: an arrow leads from there to here
};

struct Parts {
    std::vector<Lane> lanes;
    std::vector<Span> spans; // those of a lane are nested; an index is the number of a span
};
// May throw std::bad_alloc.
Parts make_parts(const Snapshot &snapshot, const Regions &regions);

// Where a trace shows a stream. The front of the driver, which has no slots, knows it otherwise.

struct StreamPlace {
    int32_t device = 0; // its number
    bool is_default = false;
};
// device: as a LogEntry has it. The stream may have ended.
StreamPlace place_of_stream(uint64_t stream, uint32_t device) noexcept;

// A trace as JSON, in the form that Chrome, Perfetto and PyTorch's profiler share.

using WriteFunction = gs_status_t (*)(void *arg, const char *text, size_t bytes);

// number: as gs_trace_write() has it.
Status write_trace(ThreadBlock &thread, uint64_t number, WriteFunction write, void *arg) noexcept;
// What write returns but GS_OK. May throw std::bad_alloc.
Status write_json(const Snapshot &snapshot, const Regions &regions, const Parts &parts, WriteFunction write, void *arg);

} // namespace gs::trace
