// SPDX-License-Identifier: Apache-2.0
// One operation in the log.
#pragma once

#include <cstdint>

namespace gs::recorder {

enum class LogCall : uint32_t {
    Record,       // object: event; value: the word of the record
    Wait,         // the same, of the record that is waited for
    WaitStream,   // object: the other stream
    Submit,       // work of no kind below
    Launch,       // object: executable graph
    HostFunction, // a function was put behind the stream's work
    Signal,       // object: timeline; value
    WaitTimeline, // the same
    WaitWord,     // of memory
    Copy,         // value: bytes
    Fill,         // the same
    Allocate,     // the same
    Free,         //
    SeenEvent,    // is complete: object; value: the word of the record
    SeenStream,   // is idle
    SeenTimeline, // object: timeline; value
    HostSignal,   // the same
    RangePush,    // of the thread; value: its name, see log_texts.hpp
    RangePop,     //
    RangeStart,   // object: its number; value: its name
    RangeEnd,     // object: its number
    Mark,         // value: its text
    RanFrom,      // work on the device, of another entry; see front/driver_log.hpp
    RanUntil,     //
};
inline constexpr LogCall kLastLogCall = LogCall::RanUntil;
const char *text_of(LogCall call) noexcept;

struct LogEntry {
    uint64_t time_ns = 0; // CLOCK_MONOTONIC
    uint64_t stream = 0;
    uint64_t object = 0;
    uint64_t value = 0;
    uint32_t thread = 0; // the operating system's number
    LogCall call = LogCall::Submit;
    // The index of the stream's device, and of the object's if it is a stream, plus 1; 0: not known. Only while a trace runs.
    uint32_t device = 0, other_device = 0;
};

} // namespace gs::recorder
