// SPDX-License-Identifier: Apache-2.0
// Hooks into the host backend that exist only in the build the tests link (GPUSTREAM_TESTING). The states they bring
// about are handled by ordinary code of the engine.
#pragma once

#if defined(GPUSTREAM_TESTING)
#include <atomic>
#include <cstdint>

namespace gs::host {
class Record;
}
namespace gs::host::testing {

// All of these need the started host backend. ordinal and native as in StreamRef (backend.hpp).
// Captures: begin, and end for all streams that joined it. False if the stream is in the wrong state for it.
bool begin_capture(int32_t ordinal, uintptr_t native) noexcept;
bool end_capture(int32_t ordinal, uintptr_t native) noexcept;
// The device is in error from now on, as after an illegal address in a kernel.
void inject_fault(int32_t ordinal, int32_t code, const char *origin) noexcept;
// The same when the stream gets there. origin is kept by address.
bool inject_fault_later(int32_t ordinal, uintptr_t native, int32_t code, const char *origin) noexcept;
// The device's context is gone, as after a reset by another library.
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

inline std::atomic<bool> no_memfd{false}; // as on a system without memfd_create

} // namespace gs::host::testing
#define GS_HOST_HOOK(name) ::gs::host::testing::name.load(std::memory_order_relaxed)
#else
#define GS_HOST_HOOK(name) false
#endif
