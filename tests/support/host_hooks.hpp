// SPDX-License-Identifier: Apache-2.0
// Puts the host backend's engine into states that no public function causes: captures, faults, held streams. The
// engine handles them in its normal code.
#pragma once

#include <cstdint>

namespace gs::host {
class Record;
}
namespace gs::host::testing {

// All of these need the started host backend. ordinal and native as in StreamRef (backend.hpp).
// Begins a capture, and ends it for every stream that joined it. False if the stream is not in the right state.
bool begin_capture(int32_t ordinal, uintptr_t native) noexcept;
bool end_capture(int32_t ordinal, uintptr_t native) noexcept;
// Latches the device as faulted, as after an illegal address in a kernel.
void inject_fault(int32_t ordinal, int32_t code, const char *origin) noexcept;
// The same when the stream reaches it. origin is kept by address.
bool inject_fault_later(int32_t ordinal, uintptr_t native, int32_t code, const char *origin) noexcept;
// Latches the device as reset by another library.
void lose_context(int32_t ordinal, const char *origin) noexcept;
// Healthy again. Not before the work that was pending has been dropped (device_idle).
void heal(int32_t ordinal) noexcept;
bool device_idle(int32_t ordinal) noexcept;

// Holds streams until it is opened, at the latest when it goes out of scope.
class Gate {
public:
    explicit Gate(int32_t ordinal) noexcept;
    ~Gate() noexcept;
    Gate(const Gate &) = delete;
    Gate &operator=(const Gate &) = delete;
    bool hold(int32_t ordinal, uintptr_t native) noexcept; // false: not queued
    void open() noexcept;

private:
    Record *record_;
    bool opened_ = false;
};

} // namespace gs::host::testing
