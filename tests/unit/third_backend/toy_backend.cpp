// SPDX-License-Identifier: Apache-2.0
#include "toy_backend.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace gs {

int32_t toy_devices_found = 2;
bool toy_devices_hidden = false;
bool toy_start_fails = false;
LaunchFailure toy_launch_failure = LaunchFailure::None;
LateLaunch toy_late_launch;
void (*toy_during_create)() = nullptr;
bool toy_destroy_fails = false;

namespace {

constexpr int32_t kDevices = 2;

Status without(const char *what) noexcept { return fail(GS_ERROR_NOT_SUPPORTED, "the toy backend has no %s", what); }

class ToyBackend final : public Backend {
public:
    gs_backend_t kind() const noexcept override { return GS_BACKEND_HIP; }
    const char *name() const noexcept override { return "toy"; }
    uint32_t caps() const noexcept override { return 0; }
    int32_t probe_device_count() noexcept override { return toy_devices_found; }
    Status start() noexcept override { return toy_start_fails ? fail(GS_ERROR_DRIVER, "the toy is broken") : kOk; }
    int32_t device_count() const noexcept override { return kDevices; }

    Status device_info(int32_t ordinal, gs_device_info_t *out) noexcept override {
        *out = {};
        out->struct_size = sizeof *out;
        out->ordinal = ordinal;
        out->backend = kind();
        std::snprintf(out->name, sizeof out->name, "Toy %d", ordinal);
        return kOk;
    }
    Status priority_range(int32_t, int32_t *out_least, int32_t *out_greatest) noexcept override {
        *out_least = *out_greatest = 0;
        return kOk;
    }
    Status can_access_peer(int32_t, int32_t, bool *out) noexcept override {
        *out = true;
        return kOk;
    }
    Status device_synchronize(int32_t) noexcept override { return kOk; }
    Status device_check(int32_t) noexcept override { return kOk; }
    Status reset_begin(int32_t, bool *) noexcept override { return without("resets"); }
    Status reset_end(int32_t) noexcept override { return kOk; }
    const std::atomic<uint32_t> *health_flag(int32_t) noexcept override { return &healthy_; }
    Status health(int32_t) noexcept override { return kOk; }

    Status measure(int32_t, uint32_t, gs_telemetry_t *) noexcept override { return without("sensors"); }
    Status inventory_index(int32_t ordinal, int32_t *out) noexcept override {
        *out = kDevices - 1 - ordinal;
        return kOk;
    }
    int32_t current_ordinal(ThreadBlock &) noexcept override { return -1; }
    bool has_context(int32_t) noexcept override { return true; }
    Status make_current(ThreadBlock &, int32_t, uintptr_t *out_previous, bool *out_changed) noexcept override {
        *out_previous = 0;
        *out_changed = false;
        return kOk;
    }
    Status restore_current(ThreadBlock &, uintptr_t) noexcept override { return kOk; }

    Status stream_create(const StreamSpec &, StreamNative *out) noexcept override {
        if (void (*during)() = std::exchange(toy_during_create, nullptr)) during();
        *out = {next(), 0};
        return kOk;
    }
    Status stream_destroy(StreamRef) noexcept override {
        return std::exchange(toy_destroy_fails, false) ? fail(GS_ERROR_DRIVER, "the toy keeps its stream") : kOk;
    }
    Status stream_adopt(uintptr_t, AdoptedStream *) noexcept override { return without("foreign streams"); }
    Status stream_reset(StreamRef) noexcept override { return kOk; }
    Status stream_query(ThreadBlock &, StreamRef, bool *out_done) noexcept override { return done(out_done); }
    Status stream_synchronize(ThreadBlock &, StreamRef) noexcept override { return kOk; }
    Status stream_is_capturing(ThreadBlock &, StreamRef, bool *out_capturing) noexcept override {
        *out_capturing = false;
        return kOk;
    }
    Status stream_driver_id(ThreadBlock &, StreamRef stream, uint64_t *out_id) noexcept override {
        *out_id = stream.native;
        return kOk;
    }
    Status stream_context(ThreadBlock &, StreamRef, uintptr_t *out_context) noexcept override {
        *out_context = 0x1000;
        return kOk;
    }
    Status stream_wait_event(ThreadBlock &, StreamRef, uintptr_t, bool) noexcept override { return kOk; }

    Status event_create(int32_t, uint32_t, uintptr_t *out_event) noexcept override {
        *out_event = next();
        return kOk;
    }
    Status event_destroy(int32_t, uintptr_t) noexcept override { return kOk; }
    Status event_adopt(int32_t, uintptr_t) noexcept override { return without("foreign events"); }
    Status event_record(ThreadBlock &, uintptr_t, StreamRef, bool) noexcept override { return kOk; }
    Status event_query(ThreadBlock &, int32_t, uintptr_t, bool *out_done) noexcept override { return done(out_done); }
    Status event_synchronize(ThreadBlock &, int32_t, uintptr_t) noexcept override { return kOk; }
    Status event_elapsed_ms(ThreadBlock &, int32_t, uintptr_t, uintptr_t, double *out_ms) noexcept override {
        *out_ms = 0;
        return kOk;
    }
    Status event_ipc_export(int32_t, uintptr_t, gs_ipc_handle_t *) noexcept override { return without("IPC"); }
    Status event_ipc_open(int32_t, const gs_ipc_handle_t &, uintptr_t *) noexcept override { return without("IPC"); }

    Status launch_host(ThreadBlock &, StreamRef, void (*fn)(void *), void *arg) noexcept override {
        const LaunchFailure failure = std::exchange(toy_launch_failure, LaunchFailure::None);
        if (failure == LaunchFailure::Later) toy_late_launch = {fn, arg};
        if (failure != LaunchFailure::Later) fn(arg);
        if (failure == LaunchFailure::None) return kOk;
        return fail(GS_ERROR_DRIVER, "the toy failed but took the function");
    }
    Status sleep(ThreadBlock &, StreamRef, uint64_t) noexcept override { return kOk; }
    Status malloc_async(ThreadBlock &, StreamRef, uintptr_t, size_t, void **) noexcept override {
        return without("memory");
    }
    Status free_async(ThreadBlock &, StreamRef, void *, bool *) noexcept override { return without("memory"); }
    Status malloc_host(int32_t, size_t, void **) noexcept override { return without("memory"); }
    Status free_host(void *) noexcept override { return fail(GS_ERROR_INVALID_ARGUMENT, "not the toy's memory"); }
    Status memcpy_async(ThreadBlock &, StreamRef, void *, const void *, size_t) noexcept override {
        return without("memory");
    }
    Status memcpy_batch(ThreadBlock &, StreamRef, const gs_copy_t *, size_t, int32_t) noexcept override {
        return without("memory");
    }
    Status memset_async(ThreadBlock &, StreamRef, void *, uint8_t, size_t) noexcept override {
        return without("memory");
    }
    Status module_load(int32_t, const void *, size_t, uintptr_t *) noexcept override { return without("kernels"); }
    Status module_destroy(int32_t, uintptr_t) noexcept override { return kOk; }
    Status module_get_kernel(int32_t, uintptr_t, const char *, uintptr_t *) noexcept override {
        return without("kernels");
    }
    Status kernel_launch(ThreadBlock &, StreamRef, uintptr_t, const gs_launch_config_t &, void **) noexcept override {
        return without("kernels");
    }
    const char *native_text(int32_t native) const noexcept override { return native == 7 ? "toy error 7" : nullptr; }

private:
    uintptr_t next() noexcept { return next_.fetch_add(0x1000, std::memory_order_relaxed); }
    static Status done(bool *out_done) noexcept {
        *out_done = true;
        return kOk;
    }

    std::atomic<uint32_t> healthy_{0};
    std::atomic<uintptr_t> next_{0x10000};
};

constinit ToyBackend g_backend;

} // namespace

Status toy_no_device() noexcept { return toy_devices_hidden ? kOk : fail(GS_ERROR_UNAVAILABLE, "there is no toy"); }

Backend &toy_backend() noexcept { return g_backend; }

namespace inventory {
namespace {

class ToyVendor final : public Vendor {
public:
    gs_backend_t backend() const noexcept override { return GS_BACKEND_HIP; }
    Status read(Inventory *out) noexcept override {
        *out = {};
        out->source = "toy library";
        out->gpus = kDevices;
        out->entries.resize(kDevices);
        for (int32_t i = 0; i < kDevices; ++i) {
            out->entries[static_cast<size_t>(i)].gpu = i;
            out->entries[static_cast<size_t>(i)].name = "Toy " + std::to_string(kDevices - 1 - i);
        }
        return kOk;
    }
    Status read_entry(int32_t index, Inventory *out, gs_inventory_entry_t *out_entry) noexcept override {
        GS_TRY(read(out));
        if (index < 0 || index >= kDevices) return fail(GS_ERROR_INVALID_ARGUMENT, "no entry %d", index);
        fill_public_entry(out->entries[static_cast<size_t>(index)], out_entry);
        return kOk;
    }
    Status measure(const Identity &, uint32_t, gs_telemetry_t *) noexcept override { return without("sensors"); }
};

constinit ToyVendor g_vendor;

} // namespace

Vendor &toy_vendor() noexcept { return g_vendor; }

} // namespace inventory
} // namespace gs
