// SPDX-License-Identifier: Apache-2.0
// The contract between the core and one kind of device.
//
// General rules, for every function unless its comment says otherwise:
//  - Called from any thread, concurrently, with no library lock held. It must be noexcept in fact: bad_alloc becomes
//    OUT_OF_MEMORY inside the backend.
//  - The core has checked handles, ordinals and arguments; a backend never sees a gs_* handle.
//  - Outputs are written only when the function returns OK.
//  - A failure is returned with its detail in the pending record (status.hpp), naming the driver's call.
//  - The caller's context is current again afterwards. Only functions marked "may create the context" may create a
//    primary context, and those that put work, records and waits included, into the default streams (words 0 and 2).
//  - Each call of the driver adds one to the calling thread's counters.driver_calls (hot functions are handed the
//    thread; the others ask this_thread()). The host engine counts each operation it performs as one driver call.
//  - A device on which a sticky error or the loss of its context was seen is latched: health_flag becomes non-zero and
//    later calls may refuse with health()'s status.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "backend/backend_parts.hpp"
#include "base/status.hpp"
#include "base/thread_block.hpp"
#include "gpustream.h"
#include "inventory/entries.hpp"

namespace gs {

class Graphs;

// Native stream words shared by all backends; anything else is the driver's own handle (never below 4096).
inline constexpr uintptr_t kNativeDefaultStream = 0;   // legacy default ("null") stream of the device
inline constexpr uintptr_t kNativePerThreadStream = 2; // the calling thread's default stream on the device

struct StreamSpec {
    int32_t ordinal;
    int32_t priority;        // any number: the backend clamps
    bool blocking;           // joins the implicit order of the default stream
    uintptr_t partition = 0; // of partition_create(): then not blocking; 0: the whole device
};

struct StreamNative {
    uintptr_t native;
    int32_t priority; // effective
};

// What adopting a foreign stream found out.
struct AdoptedStream {
    int32_t ordinal = 0;
    int32_t priority = 0;
    bool blocking = false;
    bool capturing = false; // then only this is known: further questions would break the capture
};

enum Caps : uint32_t {
    kCapIpcEvents = 1u << 0,
    kCapExternalEvents = 1u << 1, // record/wait nodes in captures
    kCapHostMemory = 1u << 2,     // device pointers may be used by the host
    kCapWakes = 1u << 4,          // its blocking calls sleep, and event_signal() works; else it must be asked
    kCapNvtxNames = 1u << 5,      // its streams and events are those that tools of NVTX know
    kCapTellsLoss = 1u << 6, // event_query() of an opened event: PEER_LOST if its process ended first, else the truth
    kCapIpcAcross = 1u << 7, // streams of all devices may wait for an interprocess event, else only its device's
    kCapFollows = 1u << 3,   // current_ordinal() may differ between threads and moments; else it means device 0
};

class Backend : public Semaphores {
public:
    virtual gs_backend_t kind() const noexcept = 0;
    virtual uint32_t caps() const noexcept = 0;

    // ---- life -------------------------------------------------------------------------------------------------
    // Devices this process could use, found WITHOUT initialising the driver. Safe after a fork. 0 also after a
    // failure.
    virtual int32_t probe_device_count() noexcept = 0;
    // Initialises the driver or the engine; creates no context. The core calls it once; a failure is latched by the
    // core with its detail. UNAVAILABLE has a reason: a missing driver, a stub, too old a driver, a missing device.
    virtual Status start() noexcept = 0;
    virtual int32_t device_count() const noexcept = 0; // after start(): exact, constant

    // ---- devices ----------------------------------------------------------------------------------------------
    // Fills everything. Creates no context. May be slow: the core does not cache the result.
    virtual Status device_info(int32_t ordinal, gs_device_info_t *out) noexcept = 0;
    // Creates a context only where the driver cannot answer otherwise; each backend documents what it does.
    virtual Status priority_range(int32_t ordinal, int32_t *out_least, int32_t *out_greatest) noexcept = 0;
    virtual Status can_access_peer(int32_t ordinal, int32_t peer, bool *out) noexcept = 0;
    // limit: GS_LIMIT_*. May create the context. INVALID_ARGUMENT: no such value. NOT_SUPPORTED: no such limit.
    virtual Status get_limit(int32_t ordinal, int32_t limit, uint64_t * /*out*/) noexcept {
        return fail(GS_ERROR_NOT_SUPPORTED, "%s device %d has no limit %d", name(), ordinal, limit);
    }
    virtual Status set_limit(int32_t ordinal, int32_t limit, uint64_t) noexcept {
        return Backend::get_limit(ordinal, limit, nullptr);
    }
    // Waits for all work submitted to the device before the call. A device without a context has none: OK.
    virtual Status device_synchronize(int32_t ordinal) noexcept = 0;
    // Is the context that objects were created in still alive, and free of sticky errors? Latches what it finds.
    virtual Status device_check(int32_t ordinal) noexcept = 0;
    // The first step of a reset latches the device as CONTEXT_LOST. Without a context it only sets out_begun to
    // false. The second step comes when the last call on an object of the device has ended.
    virtual Status reset_begin(int32_t ordinal, bool *out_begun) noexcept = 0;
    virtual Status reset_end(int32_t ordinal) noexcept = 0;
    // Switches an attached profiler's collecting. May create the context.
    virtual Status profile(ThreadBlock & /*thread*/, int32_t /*ordinal*/, bool /*on*/) noexcept { return kOk; }
    // Non-zero once the device is latched. The word is immortal and read on hot paths.
    virtual const std::atomic<uint32_t> *health_flag(int32_t ordinal) noexcept = 0;
    // OK, or STICKY / CONTEXT_LOST with first origin.
    virtual Status health(int32_t ordinal) noexcept = 0;

    // ---- inventory and telemetry: without start(), in a forked child too --------------------------------------------
    // Adds those of the fields (GS_TELEMETRY_*) that the device measures, and always its own values. Fails if it
    // measures none. INVALID_DEVICE: there is no such device. NOT_SUPPORTED: it measures none of the fields, or the
    // device with this ordinal is unknown before start().
    virtual Status measure(int32_t ordinal, uint32_t fields, gs_telemetry_t *out) noexcept = 0;
    // The position in the inventory, as gs_inventory_index() has it.
    virtual Status inventory_index(int32_t ordinal, int32_t *out) noexcept = 0;

    // The ordinal of the device of the calling thread's current driver context, whichever library made it. -1 without
    // a context, and for a context of a device that the backend does not have.
    virtual int32_t current_ordinal(ThreadBlock &thread) noexcept = 0;
    // True when using the device would not create a context.
    virtual bool has_context(int32_t ordinal) noexcept = 0;
    // The same, for callers that need to know whether the question failed.
    virtual Status find_context(ThreadBlock & /*thread*/, int32_t ordinal, bool *out_present) noexcept {
        *out_present = has_context(ordinal);
        return kOk;
    }
    // Makes the device's primary context current if it exists (else changes nothing); *out_previous is an opaque word
    // for restore_current, *out_changed says whether anything changed.
    virtual Status make_current(ThreadBlock &thread, int32_t ordinal, uintptr_t *out_previous,
                                bool *out_changed) noexcept = 0;
    // Makes exactly that earlier context (also "none") current again.
    virtual Status restore_current(ThreadBlock &thread, uintptr_t previous) noexcept = 0;

    // ---- streams ----------------------------------------------------------------------------------------------
    // May create the context.
    virtual Status stream_create(const StreamSpec &spec, StreamNative *out) noexcept = 0;
    // Returns at once; work already submitted still runs. DEINITIALIZED counts as success. Never for words 0 and 2.
    virtual Status stream_destroy(StreamRef stream) noexcept = 0;
    // Finds device, priority and kind of a foreign stream (native is none of 0, 1, 2; the core has rejected the
    // malformed). INVALID_HANDLE when the driver does not know it. NOT_SUPPORTED: of a context whose streams the backend
    // cannot work with.
    virtual Status stream_adopt(uintptr_t native, AdoptedStream *out) noexcept = 0;
    // Undoes what a holder of the raw handle may have changed (priority stays: it is fixed at creation).
    virtual Status stream_reset(StreamRef stream) noexcept = 0;
    // Hot. Never breaks a capture: CAPTURING when this stream is being captured.
    virtual Status stream_query(ThreadBlock &thread, StreamRef stream, bool *out_done) noexcept = 0;
    // Blocks until all work submitted before the call is done. CAPTURING as above, without blocking.
    virtual Status stream_synchronize(ThreadBlock &thread, StreamRef stream) noexcept = 0;
    virtual Status stream_is_capturing(ThreadBlock &thread, StreamRef stream, bool *out_capturing) noexcept = 0;
    // The driver's own number of the stream, which it never uses again; 0 for words 0 and 2 of a device that has no
    // context. CAPTURING when the question would break the stream's capture.
    virtual Status stream_driver_id(ThreadBlock &thread, StreamRef stream, uint64_t *out_id) noexcept = 0;
    // The context that the stream lives in; 0 as above. Makes no call on the stream, so it works during captures.
    virtual Status stream_context(ThreadBlock &thread, StreamRef stream, uintptr_t *out_context) noexcept = 0;
    // Hot. Work submitted to the stream from now on waits for what the event has captured now (its current record).
    // external: as a node of a capture. The event may be of any device of this backend; if interprocess, see kCapIpcAcross.
    virtual Status stream_wait_event(ThreadBlock &thread, StreamRef stream, uintptr_t event,
                                     bool external) noexcept = 0;

    // ---- partitions -------------------------------------------------------------------------------------------
    // counts, count, flags (GS_PARTITION_*), results: all or none. May create the context. INVALID_ARGUMENT: they do not fit.
    virtual Status partition_create(int32_t ordinal, const uint32_t *, size_t, uint32_t, PartitionNative *) noexcept {
        return fail(GS_ERROR_NOT_SUPPORTED, "%s device %d cannot be divided", name(), ordinal);
    }
    virtual Status partition_destroy(int32_t, uintptr_t) noexcept { return kOk; } // it has no stream any more

    // ---- events -----------------------------------------------------------------------------------------------
    // flags: GS_EVENT_* of the public header. May create the context. Natives are non-zero and unique among live ones.
    virtual Status event_create(int32_t ordinal, uint32_t flags, uintptr_t *out_event) noexcept = 0;
    // Legal while a record or a wait is pending: they are still honoured.
    virtual Status event_destroy(int32_t ordinal, uintptr_t event) noexcept = 0;
    // Checks an event that was created elsewhere. INVALID_HANDLE when the backend finds that it does not exist.
    virtual Status event_adopt(int32_t ordinal, uintptr_t event) noexcept = 0;
    // Hot. The event belongs to the stream's device (the core has checked).
    virtual Status event_record(ThreadBlock &thread, uintptr_t event, StreamRef stream, bool external) noexcept = 0;
    // The same two for a caller that has just looked at the health of the stream's device, as the hottest calls have.
    virtual Status record_on_healthy(ThreadBlock &thread, uintptr_t event, StreamRef stream) noexcept {
        return event_record(thread, event, stream, false);
    }
    virtual Status wait_on_healthy(ThreadBlock &thread, StreamRef stream, uintptr_t event) noexcept {
        return stream_wait_event(thread, stream, event, false);
    }
    // Hot. Never breaks a capture. ordinal: the event's device, so that a sticky error or a lost context is latched there
    // (also below).
    virtual Status event_query(ThreadBlock &thread, int32_t ordinal, uintptr_t event, bool *out_done) noexcept = 0;
    // Blocks until the record that is current at the call is done; sleeps if the event has GS_EVENT_BLOCKING.
    virtual Status event_synchronize(ThreadBlock &thread, int32_t ordinal, uintptr_t event) noexcept = 0;
    // Adds 1 to the word and wakes a thread that sleeps on it (futex). This happens once, soon after the event's
    // current record is done or the device fails, or at once if that is the case already. The word is immortal. With
    // kCapWakes. OUT_OF_MEMORY.
    virtual Status event_signal(uintptr_t /*event*/, std::atomic<uint32_t> & /*word*/) noexcept { return kOk; }
    // Records all work submitted to the device so far. The device has a context. NOT_SUPPORTED: the driver cannot do
    // it. CAPTURING: a stream of the device is being captured.
    virtual Status device_record(ThreadBlock &, int32_t ordinal, uintptr_t /*event*/) noexcept {
        return fail(GS_ERROR_NOT_SUPPORTED, "a wait for all work of %s device %d cannot have a limit", name(), ordinal);
    }
    // Milliseconds from start to end, negative when recorded in the other order. The core has checked that both are
    // timed and recorded on the same device. NOT_READY when one is pending.
    virtual Status event_elapsed_ms(ThreadBlock &thread, int32_t ordinal, uintptr_t start, uintptr_t end,
                                    double *out_ms) noexcept = 0;
    // How far a time of event_elapsed_ms() may be off.
    virtual int64_t elapsed_error_ns(double /*ms*/) const noexcept { return 1; }
    virtual Status event_ipc_export(int32_t ordinal, uintptr_t event, gs_ipc_handle_t *out) noexcept = 0;
    // May create the context. INVALID_ARGUMENT: the bytes are no handle of this backend. NOT_SUPPORTED: exported by
    // this process itself. PEER_LOST: the exporter is gone.
    virtual Status event_ipc_open(int32_t ordinal, const gs_ipc_handle_t &handle, uintptr_t *out_event) noexcept = 0;

    // ---- work -------------------------------------------------------------------------------------------------
    // fn runs once, on a thread of the backend, after the stream's work so far. Later work of the stream waits for
    // it. In a capture it runs at every launch. It may run after a failed call, too: the caller must be prepared for
    // that.
    virtual Status launch_host(ThreadBlock &thread, StreamRef stream, void (*fn)(void *), void *arg) noexcept = 0;
    // Occupies the stream for about that many cycles (host: nanoseconds). May create the context (kernel).
    virtual Status sleep(ThreadBlock &thread, StreamRef stream, uint64_t cycles) noexcept = 0;
    // bytes > 0. pool: of pool_create(), or 0 for the one that the backend uses by itself.
    virtual Status malloc_async(ThreadBlock &thread, StreamRef stream, uintptr_t pool, size_t bytes,
                                void **out) noexcept = 0;
    // *out_freed: the memory may be gone, so the caller must neither use nor free it again. True also after a failure
    // that leaves this open.
    virtual Status free_async(ThreadBlock &thread, StreamRef stream, void *pointer, bool *out_freed) noexcept = 0;
    // flags: GS_POOL_* that concern the backend. keep: bytes that a synchronization leaves in the pool. Needs no
    // context. By default, a backend has no pools of its own, and a pool is what the core counts.
    virtual Status pool_create(int32_t /*ordinal*/, uint32_t /*flags*/, uint64_t /*keep*/, uintptr_t *out) noexcept {
        *out = 0;
        return kOk;
    }
    // Memory that is allocated from it stays valid until it is freed. flags: as it was made. pool: not 0.
    virtual Status pool_destroy(int32_t /*ordinal*/, uint32_t /*flags*/, uintptr_t /*pool*/) noexcept { return kOk; }
    virtual Status pool_trim(ThreadBlock &, int32_t /*ordinal*/, uintptr_t, uint64_t /*keep*/) noexcept { return kOk; }
    // out->known stays false where the driver cannot be asked.
    virtual Status pool_use(ThreadBlock & /*thread*/, int32_t /*ordinal*/, uintptr_t /*pool*/,
                            PoolQuestion /*question*/, PoolUsage * /*out*/) noexcept {
        return kOk;
    }
    // Host memory that this backend's devices can copy from and to asynchronously. May create the context.
    virtual Status malloc_host(int32_t ordinal, size_t bytes, void **out) noexcept = 0;
    // INVALID_ARGUMENT when the pointer did not come from malloc_host (or was freed).
    virtual Status free_host(void *pointer) noexcept = 0;
    virtual Status memcpy_async(ThreadBlock &thread, StreamRef stream, void *dst, const void *src,
                                size_t bytes) noexcept = 0;
    // Several of them, maybe of 0 bytes; order: GS_ACCESS_ORDER_*. CAPTURING: for captures there is copy_each(). After a
    // failure any of them may have been submitted.
    virtual Status memcpy_batch(ThreadBlock &thread, StreamRef stream, const gs_copy_t *copies, size_t count,
                                int32_t order) noexcept = 0;
    virtual Status memset_async(ThreadBlock &thread, StreamRef stream, void *dst, uint8_t value,
                                size_t bytes) noexcept = 0;
    // image/bytes: see gs_module_load. May create the context. The compiler's log goes into the error text.
    virtual Status module_load(int32_t ordinal, const void *image, size_t bytes, uintptr_t *out_module) noexcept = 0;
    virtual Status module_destroy(int32_t ordinal, uintptr_t module) noexcept = 0;
    // INVALID_ARGUMENT (name in the text) when the module has no such kernel.
    virtual Status module_get_kernel(int32_t ordinal, uintptr_t module, const char *name,
                                     uintptr_t *out_kernel) noexcept = 0;
    // The core has checked the attributes, apart from what the device can do. programmatic_event is the backend's event, which
    // the launch records: it is complete after the work ahead of the kernel, at the latest when the kernel is done.
    virtual Status kernel_launch(ThreadBlock &thread, StreamRef stream, uintptr_t kernel,
                                 const gs_launch_config_t &config, void **arguments) noexcept = 0;

    // ---- words of memory ----------------------------------------------------------------------------------------
    // Of 64 bits, or 32 with GS_VALUE_32; flags: GS_VALUE_*. The core makes no such call on a stream that is being
    // captured. INVALID_ARGUMENT: the driver does not know the memory. NOT_SUPPORTED: the device lacks the operation.
    virtual Status write_value(ThreadBlock & /*thread*/, StreamRef stream, void * /*address*/, uint64_t /*value*/,
                               uint32_t /*flags*/) noexcept {
        return fail(GS_ERROR_NOT_SUPPORTED, "%s device %d has no stream memory operations", name(), stream.ordinal);
    }
    virtual Status wait_value(ThreadBlock & /*thread*/, StreamRef stream, void * /*address*/, uint64_t /*value*/,
                              uint32_t /*flags*/) noexcept {
        return fail(GS_ERROR_NOT_SUPPORTED, "%s device %d has no stream memory operations", name(), stream.ordinal);
    }
    // Several of both, GS_VALUE_WRITE in their flags, at least one and at most 255; in their order.
    virtual Status batch_values(ThreadBlock & /*thread*/, StreamRef stream, const gs_value_op_t * /*ops*/,
                                size_t /*count*/) noexcept {
        return fail(GS_ERROR_NOT_SUPPORTED, "%s device %d has no stream memory operations", name(), stream.ordinal);
    }
    virtual void value_written(const void * /*address*/) noexcept {} // by the host; streams may wait for the word
    // Makes whole pages of the process's memory usable by wait_value() and write_value(), on all devices and until
    // they are unregistered. *out_address: what streams call its first byte. May create the context.
    virtual Status register_words(int32_t ordinal, void * /*memory*/, size_t /*bytes*/,
                                  void ** /*out_address*/) noexcept {
        return fail(GS_ERROR_NOT_SUPPORTED, "%s device %d cannot register host memory", name(), ordinal);
    }
    // Do these operations of the device have 64 bits? Known once it has a context.
    virtual Status has_wide_values(int32_t /*ordinal*/, bool *out) noexcept {
        *out = true;
        return kOk;
    }

    // Captures and graphs: graphs.hpp. nullptr: this backend has none. Its streams are never captured.
    virtual Graphs *graphs() noexcept { return nullptr; }

    // A static text for a native code, or nullptr when unknown. Starts nothing.
    virtual const char *native_text(int32_t native) const noexcept = 0;

protected:
    ~Backend() = default; // instances are immortal
};

} // namespace gs
