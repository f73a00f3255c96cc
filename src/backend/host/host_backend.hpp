// SPDX-License-Identifier: Apache-2.0
// The host backend: the engine behind the backends' contract.
#pragma once

#include <atomic>

#include "backend/backend.hpp"
#include "backend/host/engine/engine.hpp"
#include "base/status.hpp"

namespace gs::host {

class HostBackend final : public Backend {
public:
#include "backend/backend_overrides.inc"

    constexpr HostBackend() noexcept = default;

    gs_backend_t kind() const noexcept override { return GS_BACKEND_HOST; }
    const char *name() const noexcept override { return "host"; }
    uint32_t caps() const noexcept override {
        return kCapIpcEvents | kCapIpcAcross | kCapTellsLoss | kCapExternalEvents | kCapHostMemory | kCapWakes;
    }

    // host_events.cpp and host_work.cpp
    Status event_signal(uintptr_t event, std::atomic<uint32_t> &word) noexcept override;
    void value_written(const void *address) noexcept override;

    // For the test hooks; nullptr before start.
    Engine *engine() noexcept { return engine_.load(std::memory_order_acquire); }
    // The stream that the reference means for the calling thread.
    Status resolve(ThreadBlock &thread, StreamRef reference, Stream **out) noexcept;

private:
    Engine &running() noexcept { return *engine_.load(std::memory_order_relaxed); }
    Device &device(int32_t ordinal) noexcept { return running().device(ordinal); }
    Status answer(Result result, Device &device, const char *operation) noexcept;
    // call(stream): the engine's function with that name.
    template <typename EngineCall>
    Status on_stream(ThreadBlock &thread, StreamRef reference, const char *name, EngineCall &&call) noexcept {
        thread.counters.driver_calls.add();
        Stream *stream = nullptr;
        GS_TRY(resolve(thread, reference, &stream));
        return answer(call(*stream), *stream->device, name);
    }

    std::atomic<Engine *> engine_{nullptr};
};

// Counts an operation of a function that is not handed the thread.
void count_operation() noexcept;

HostBackend &instance() noexcept;
inline Engine &engine() noexcept { return *instance().engine(); }

} // namespace gs::host

namespace gs {

Backend &host_backend() noexcept;

} // namespace gs

namespace gs::host {

// Turns the engine's results into statuses with a text.

Status failure(Engine &engine, Device &device, Result result, const char *operation) noexcept __attribute__((cold));

// operation: the engine's function, shown as the native function.
inline Status to_status(Engine &engine, Device &device, Result result, const char *operation) noexcept {
    return result == Result::Ok ? kOk : failure(engine, device, result, operation);
}

} // namespace gs::host
