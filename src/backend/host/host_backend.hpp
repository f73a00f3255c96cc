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
    constexpr HostBackend() noexcept = default;

    gs_backend_t kind() const noexcept override { return GS_BACKEND_HOST; }
    const char *name() const noexcept override { return "host"; }
    uint32_t caps() const noexcept override {
        return kCapIpcEvents | kCapIpcAcross | kCapTellsLoss | kCapExternalEvents | kCapHostMemory | kCapWakes;
    }

    // ---- life and devices (host_backend.cpp) ---------------------------------------------------------------------
    int32_t probe_device_count() noexcept override;
    Status start() noexcept override;
    int32_t device_count() const noexcept override;
    Status device_info(int32_t ordinal, gs_device_info_t *out) noexcept override;
    Status priority_range(int32_t ordinal, int32_t *out_least, int32_t *out_greatest) noexcept override;
    Status can_access_peer(int32_t ordinal, int32_t peer, bool *out) noexcept override;
    Status device_synchronize(int32_t ordinal) noexcept override;
    Status device_check(int32_t ordinal) noexcept override;
    Status reset_begin(int32_t ordinal, bool *out_begun) noexcept override;
    Status reset_end(int32_t ordinal) noexcept override;
    const std::atomic<uint32_t> *health_flag(int32_t ordinal) noexcept override;
    Status health(int32_t ordinal) noexcept override;
    int32_t current_ordinal(ThreadBlock &thread) noexcept override;
    bool has_context(int32_t ordinal) noexcept override;
    Status make_current(ThreadBlock &thread, int32_t ordinal, uintptr_t *out_previous,
                        bool *out_changed) noexcept override;
    Status restore_current(ThreadBlock &thread, uintptr_t previous) noexcept override;
    const char *native_text(int32_t native) const noexcept override;

    // ---- streams (host_streams.cpp) ------------------------------------------------------------------------------
    Status stream_create(const StreamSpec &spec, StreamNative *out) noexcept override;
    Status stream_destroy(StreamRef stream) noexcept override;
    Status stream_adopt(uintptr_t native, AdoptedStream *out) noexcept override;
    Status stream_reset(StreamRef stream) noexcept override;
    Status stream_query(ThreadBlock &thread, StreamRef stream, bool *out_done) noexcept override;
    Status stream_synchronize(ThreadBlock &thread, StreamRef stream) noexcept override;
    Status stream_is_capturing(ThreadBlock &thread, StreamRef stream, bool *out_capturing) noexcept override;
    Status stream_driver_id(ThreadBlock &thread, StreamRef stream, uint64_t *out_id) noexcept override;
    Status stream_context(ThreadBlock &thread, StreamRef stream, uintptr_t *out_context) noexcept override;
    Status stream_wait_event(ThreadBlock &thread, StreamRef stream, uintptr_t event, bool external) noexcept override;

    // ---- partitions (host_streams.cpp) -----------------------------------------------------------------------------
    Status partition_create(int32_t ordinal, const uint32_t *counts, size_t count, uint32_t flags,
                            PartitionNative *out) noexcept override;
    Status partition_destroy(int32_t ordinal, uintptr_t partition) noexcept override;

    // ---- events (host_events.cpp) --------------------------------------------------------------------------------
    Status event_create(int32_t ordinal, uint32_t flags, uintptr_t *out_event) noexcept override;
    Status event_destroy(int32_t ordinal, uintptr_t event) noexcept override;
    Status event_adopt(int32_t ordinal, uintptr_t event) noexcept override;
    Status event_record(ThreadBlock &thread, uintptr_t event, StreamRef stream, bool external) noexcept override;
    Status event_query(ThreadBlock &thread, int32_t ordinal, uintptr_t event, bool *out_done) noexcept override;
    Status event_synchronize(ThreadBlock &thread, int32_t ordinal, uintptr_t event) noexcept override;
    Status event_signal(uintptr_t event, std::atomic<uint32_t> &word) noexcept override;
    Status device_record(ThreadBlock &thread, int32_t ordinal, uintptr_t event) noexcept override;
    Status event_elapsed_ms(ThreadBlock &thread, int32_t ordinal, uintptr_t start, uintptr_t end,
                            double *out_ms) noexcept override;
    Status event_ipc_export(int32_t ordinal, uintptr_t event, gs_ipc_handle_t *out) noexcept override;
    Status event_ipc_open(int32_t ordinal, const gs_ipc_handle_t &handle, uintptr_t *out_event) noexcept override;

    // ---- work (host_work.cpp) ------------------------------------------------------------------------------------
    Status launch_host(ThreadBlock &thread, StreamRef stream, void (*fn)(void *), void *arg) noexcept override;
    Status sleep(ThreadBlock &thread, StreamRef stream, uint64_t cycles) noexcept override;
    Status malloc_async(ThreadBlock &thread, StreamRef stream, uintptr_t pool, size_t bytes,
                        void **out) noexcept override;
    Status free_async(ThreadBlock &thread, StreamRef stream, void *pointer, bool *out_freed) noexcept override;
    Status malloc_host(int32_t ordinal, size_t bytes, void **out) noexcept override;
    Status free_host(void *pointer) noexcept override;
    Status memcpy_async(ThreadBlock &thread, StreamRef stream, void *dst, const void *src,
                        size_t bytes) noexcept override;
    Status memcpy_batch(ThreadBlock &thread, StreamRef stream, const gs_copy_t *copies, size_t count,
                        int32_t order) noexcept override;
    Status memset_async(ThreadBlock &thread, StreamRef stream, void *dst, uint8_t value,
                        size_t bytes) noexcept override;
    Status write_value(ThreadBlock &thread, StreamRef stream, void *address, uint64_t value,
                       uint32_t flags) noexcept override; // host_work.cpp
    Status wait_value(ThreadBlock &thread, StreamRef stream, void *address, uint64_t value,
                      uint32_t flags) noexcept override;
    Status batch_values(ThreadBlock &thread, StreamRef stream, const gs_value_op_t *ops,
                        size_t count) noexcept override;
    void value_written(const void *address) noexcept override;
    Status register_words(int32_t ordinal, void *memory, size_t bytes, void **out_address) noexcept override;
    Status module_load(int32_t ordinal, const void *image, size_t bytes, uintptr_t *out_module) noexcept override;
    Status module_destroy(int32_t ordinal, uintptr_t module) noexcept override;
    Status module_get_kernel(int32_t ordinal, uintptr_t module, const char *name,
                             uintptr_t *out_kernel) noexcept override;
    Status kernel_launch(ThreadBlock &thread, StreamRef stream, uintptr_t kernel, const gs_launch_config_t &config,
                         void **arguments) noexcept override;

    // ---- telemetry -------------------------------------------------------------------------------------------------
    Status measure(int32_t ordinal, uint32_t fields, gs_telemetry_t *out) noexcept override;
    Status inventory_index(int32_t ordinal, int32_t *out) noexcept override;

    Graphs *graphs() noexcept override; // host_graphs.cpp

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
