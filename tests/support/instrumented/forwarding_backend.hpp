// SPDX-License-Identifier: Apache-2.0
// A backend that hands every call on to another one. Tests derive from it and override the calls that they watch.
#pragma once

#include "backend/backend.hpp"

namespace gs::test {

class ForwardingBackend : public Backend {
public:
    explicit ForwardingBackend(Backend &inner) noexcept : inner_(inner) {}
    ForwardingBackend(const ForwardingBackend &) = delete;
    ForwardingBackend &operator=(const ForwardingBackend &) = delete;

    gs_backend_t kind() const noexcept override { return inner_.kind(); }
    const char *name() const noexcept override { return inner_.name(); }
    uint32_t caps() const noexcept override { return inner_.caps(); }
    int32_t probe_device_count() noexcept override { return inner_.probe_device_count(); }
    Status start() noexcept override { return inner_.start(); }
    int32_t device_count() const noexcept override { return inner_.device_count(); }
    Status device_info(int32_t ordinal, gs_device_info_t *out) noexcept override {
        return inner_.device_info(ordinal, out);
    }
    Status priority_range(int32_t ordinal, int32_t *out_least, int32_t *out_greatest) noexcept override {
        return inner_.priority_range(ordinal, out_least, out_greatest);
    }
    Status can_access_peer(int32_t ordinal, int32_t peer, bool *out) noexcept override {
        return inner_.can_access_peer(ordinal, peer, out);
    }
    Status device_synchronize(int32_t ordinal) noexcept override { return inner_.device_synchronize(ordinal); }
    Status device_record(ThreadBlock &thread, int32_t ordinal, uintptr_t event) noexcept override {
        return inner_.device_record(thread, ordinal, event);
    }
    Status event_signal(uintptr_t event, std::atomic<uint32_t> &word) noexcept override {
        return inner_.event_signal(event, word);
    }
    Status device_check(int32_t ordinal) noexcept override { return inner_.device_check(ordinal); }
    const std::atomic<uint32_t> *health_flag(int32_t ordinal) noexcept override { return inner_.health_flag(ordinal); }
    Status health(int32_t ordinal) noexcept override { return inner_.health(ordinal); }
    Status measure(int32_t ordinal, uint32_t fields, gs_telemetry_t *out) noexcept override {
        return inner_.measure(ordinal, fields, out);
    }
    Status inventory_index(int32_t ordinal, int32_t *out) noexcept override {
        return inner_.inventory_index(ordinal, out);
    }
    int32_t current_ordinal(ThreadBlock &thread) noexcept override { return inner_.current_ordinal(thread); }
    bool has_context(int32_t ordinal) noexcept override { return inner_.has_context(ordinal); }
    Status find_context(ThreadBlock &thread, int32_t ordinal, bool *out_present) noexcept override {
        return inner_.find_context(thread, ordinal, out_present);
    }
    Status make_current(ThreadBlock &thread, int32_t ordinal, uintptr_t *out_previous,
                        bool *out_changed) noexcept override {
        return inner_.make_current(thread, ordinal, out_previous, out_changed);
    }
    Status restore_current(ThreadBlock &thread, uintptr_t previous) noexcept override {
        return inner_.restore_current(thread, previous);
    }
    Status stream_create(const StreamSpec &spec, StreamNative *out) noexcept override {
        return inner_.stream_create(spec, out);
    }
    Status stream_destroy(StreamRef stream) noexcept override { return inner_.stream_destroy(stream); }
    Status stream_adopt(uintptr_t native, AdoptedStream *out) noexcept override {
        return inner_.stream_adopt(native, out);
    }
    Status stream_reset(StreamRef stream) noexcept override { return inner_.stream_reset(stream); }
    Status stream_query(ThreadBlock &thread, StreamRef stream, bool *out_done) noexcept override {
        return inner_.stream_query(thread, stream, out_done);
    }
    Status stream_synchronize(ThreadBlock &thread, StreamRef stream) noexcept override {
        return inner_.stream_synchronize(thread, stream);
    }
    Status stream_is_capturing(ThreadBlock &thread, StreamRef stream, bool *out_capturing) noexcept override {
        return inner_.stream_is_capturing(thread, stream, out_capturing);
    }
    Graphs *graphs() noexcept override { return inner_.graphs(); }
    Status stream_driver_id(ThreadBlock &thread, StreamRef stream, uint64_t *out_id) noexcept override {
        return inner_.stream_driver_id(thread, stream, out_id);
    }
    Status stream_context(ThreadBlock &thread, StreamRef stream, uintptr_t *out_context) noexcept override {
        return inner_.stream_context(thread, stream, out_context);
    }
    Status stream_wait_event(ThreadBlock &thread, StreamRef stream, uintptr_t event, bool external) noexcept override {
        return inner_.stream_wait_event(thread, stream, event, external);
    }
    Status event_create(int32_t ordinal, uint32_t flags, uintptr_t *out_event) noexcept override {
        return inner_.event_create(ordinal, flags, out_event);
    }
    Status event_destroy(int32_t ordinal, uintptr_t event) noexcept override {
        return inner_.event_destroy(ordinal, event);
    }
    Status event_adopt(int32_t ordinal, uintptr_t event) noexcept override {
        return inner_.event_adopt(ordinal, event);
    }
    Status event_record(ThreadBlock &thread, uintptr_t event, StreamRef stream, bool external) noexcept override {
        return inner_.event_record(thread, event, stream, external);
    }
    Status event_query(ThreadBlock &thread, int32_t ordinal, uintptr_t event, bool *out_done) noexcept override {
        return inner_.event_query(thread, ordinal, event, out_done);
    }
    Status event_synchronize(ThreadBlock &thread, int32_t ordinal, uintptr_t event) noexcept override {
        return inner_.event_synchronize(thread, ordinal, event);
    }
    int64_t elapsed_error_ns(double ms) const noexcept override { return inner_.elapsed_error_ns(ms); }
    Status event_elapsed_ms(ThreadBlock &thread, int32_t ordinal, uintptr_t start, uintptr_t end,
                            double *out_ms) noexcept override {
        return inner_.event_elapsed_ms(thread, ordinal, start, end, out_ms);
    }
    Status event_ipc_export(int32_t ordinal, uintptr_t event, gs_ipc_handle_t *out) noexcept override {
        return inner_.event_ipc_export(ordinal, event, out);
    }
    Status event_ipc_open(int32_t ordinal, const gs_ipc_handle_t &handle, uintptr_t *out_event) noexcept override {
        return inner_.event_ipc_open(ordinal, handle, out_event);
    }
    Status launch_host(ThreadBlock &thread, StreamRef stream, void (*fn)(void *), void *arg) noexcept override {
        return inner_.launch_host(thread, stream, fn, arg);
    }
    Status sleep(ThreadBlock &thread, StreamRef stream, uint64_t cycles) noexcept override {
        return inner_.sleep(thread, stream, cycles);
    }
    Status malloc_async(ThreadBlock &thread, StreamRef stream, uintptr_t pool, size_t bytes,
                        void **out) noexcept override {
        return inner_.malloc_async(thread, stream, pool, bytes, out);
    }
    Status free_async(ThreadBlock &thread, StreamRef stream, void *pointer, bool *out_freed) noexcept override {
        return inner_.free_async(thread, stream, pointer, out_freed);
    }
    Status partition_create(int32_t ordinal, const uint32_t *counts, size_t count, uint32_t flags,
                            PartitionNative *out) noexcept override {
        return inner_.partition_create(ordinal, counts, count, flags, out);
    }
    Status partition_destroy(int32_t ordinal, uintptr_t partition) noexcept override {
        return inner_.partition_destroy(ordinal, partition);
    }
    Status reset_begin(int32_t ordinal, bool *out_begun) noexcept override {
        return inner_.reset_begin(ordinal, out_begun);
    }
    Status reset_end(int32_t ordinal) noexcept override { return inner_.reset_end(ordinal); }
    Status get_limit(int32_t ordinal, int32_t limit, uint64_t *out) noexcept override {
        return inner_.get_limit(ordinal, limit, out);
    }
    Status set_limit(int32_t ordinal, int32_t limit, uint64_t value) noexcept override {
        return inner_.set_limit(ordinal, limit, value);
    }
    Status pool_create(int32_t ordinal, uint32_t flags, uint64_t keep, uintptr_t *out) noexcept override {
        return inner_.pool_create(ordinal, flags, keep, out);
    }
    Status pool_destroy(int32_t ordinal, uint32_t flags, uintptr_t pool) noexcept override {
        return inner_.pool_destroy(ordinal, flags, pool);
    }
    Status pool_trim(ThreadBlock &thread, int32_t ordinal, uintptr_t pool, uint64_t keep) noexcept override {
        return inner_.pool_trim(thread, ordinal, pool, keep);
    }
    Status pool_use(ThreadBlock &thread, int32_t ordinal, uintptr_t pool, PoolQuestion question,
                    PoolUsage *out) noexcept override {
        return inner_.pool_use(thread, ordinal, pool, question, out);
    }
    Status malloc_host(int32_t ordinal, size_t bytes, void **out) noexcept override {
        return inner_.malloc_host(ordinal, bytes, out);
    }
    Status free_host(void *pointer) noexcept override { return inner_.free_host(pointer); }
    Status memcpy_async(ThreadBlock &thread, StreamRef stream, void *dst, const void *src,
                        size_t bytes) noexcept override {
        return inner_.memcpy_async(thread, stream, dst, src, bytes);
    }
    Status memcpy_batch(ThreadBlock &thread, StreamRef stream, const gs_copy_t *copies, size_t count,
                        int32_t order) noexcept override {
        return inner_.memcpy_batch(thread, stream, copies, count, order);
    }
    Status memset_async(ThreadBlock &thread, StreamRef stream, void *dst, uint8_t value,
                        size_t bytes) noexcept override {
        return inner_.memset_async(thread, stream, dst, value, bytes);
    }
    Status write_value(ThreadBlock &thread, StreamRef stream, void *address, uint64_t value,
                       uint32_t flags) noexcept override {
        return inner_.write_value(thread, stream, address, value, flags);
    }
    Status wait_value(ThreadBlock &thread, StreamRef stream, void *address, uint64_t value,
                      uint32_t flags) noexcept override {
        return inner_.wait_value(thread, stream, address, value, flags);
    }
    void value_written(const void *address) noexcept override { inner_.value_written(address); }
    Status register_words(int32_t ordinal, void *memory, size_t bytes, void **out_address) noexcept override {
        return inner_.register_words(ordinal, memory, bytes, out_address);
    }
    Status has_wide_values(int32_t ordinal, bool *out) noexcept override {
        return inner_.has_wide_values(ordinal, out);
    }
    Status batch_values(ThreadBlock &thread, StreamRef stream, const gs_value_op_t *ops,
                        size_t count) noexcept override {
        return inner_.batch_values(thread, stream, ops, count);
    }
    Status import_semaphore(int32_t ordinal, int32_t type, int fd, uintptr_t *out) noexcept override {
        return inner_.import_semaphore(ordinal, type, fd, out);
    }
    Status destroy_semaphore(int32_t ordinal, uintptr_t semaphore) noexcept override {
        return inner_.destroy_semaphore(ordinal, semaphore);
    }
    Status signal_semaphore(ThreadBlock &thread, StreamRef stream, uintptr_t semaphore,
                            uint64_t value) noexcept override {
        return inner_.signal_semaphore(thread, stream, semaphore, value);
    }
    Status wait_semaphore(ThreadBlock &thread, StreamRef stream, uintptr_t semaphore,
                          uint64_t value) noexcept override {
        return inner_.wait_semaphore(thread, stream, semaphore, value);
    }
    Status module_load(int32_t ordinal, const void *image, size_t bytes, uintptr_t *out_module) noexcept override {
        return inner_.module_load(ordinal, image, bytes, out_module);
    }
    Status module_destroy(int32_t ordinal, uintptr_t module) noexcept override {
        return inner_.module_destroy(ordinal, module);
    }
    Status module_get_kernel(int32_t ordinal, uintptr_t module, const char *name,
                             uintptr_t *out_kernel) noexcept override {
        return inner_.module_get_kernel(ordinal, module, name, out_kernel);
    }
    Status kernel_launch(ThreadBlock &thread, StreamRef stream, uintptr_t kernel, const gs_launch_config_t &config,
                         void **arguments) noexcept override {
        return inner_.kernel_launch(thread, stream, kernel, config, arguments);
    }
    const char *native_text(int32_t native) const noexcept override { return inner_.native_text(native); }

protected:
    ~ForwardingBackend() = default;
    Backend &inner_;
};

} // namespace gs::test
