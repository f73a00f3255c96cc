// SPDX-License-Identifier: Apache-2.0
// The batch of a stream hangs in its slot. A thread that changes the batch takes it out first, by one exchange, and
// puts it back, so that two threads never have the same one. A second batch may come up in between.
#include <new>
#include <utility>

#include "backend/graphs.hpp"
#include "base/clock.hpp"
#include "base/free_list.hpp"
#include "base/lock.hpp"
#include "base/log.hpp"
#include "base/status.hpp"
#include "core/completion/completion_calls.hpp"
#include "core/completion/pace.hpp"
#include "core/completion/point.hpp"
#include "core/stream/captured.hpp"
#include "core/stream/stream_hooks.hpp"

namespace gs {

struct DeferredBatch : Point, DispatchedCall {
    static constexpr uint32_t kRoom = 60;
    struct Item {
        void (*fn)(void *);
        void *arg;
    };
    Item items[kRoom];
    uint32_t count = 0;
    int failed_questions = 0;
    DeferredBatch *older = nullptr;    // whose mark failed, or that came up at the same time; of a spare one the next
    DeferredBatch *unmarked = nullptr; // the next in a list of those whose streams have ended
    bool captured = false;             // the stream was in a capture of other code when it ended
};

namespace {

constexpr int kMarkAttempts = 3;    // to record the end of a stream that ends
constexpr int kQuestionsAtOnce = 3; // about a mark, when they fail

// Batches are too large for the lists of an allocator that are fast, and a thread frees what others have allocated.
constexpr uint32_t kMostSpareBatches = 32;
BriefLock g_spare_batches_lock;
FreeList<DeferredBatch, &DeferredBatch::older> g_spare_batches GS_GUARDED_BY(g_spare_batches_lock);

BriefLock g_unmarked_lock;
DeferredBatch *g_unmarked GS_GUARDED_BY(g_unmarked_lock) = nullptr;

void drop_batch(DeferredBatch *batch) noexcept {
    drop_kept_event(*batch);
    {
        BriefGuard guard(g_spare_batches_lock);
        if (g_spare_batches.count() < kMostSpareBatches) return g_spare_batches.push(*batch);
    }
    delete batch;
}

DeferredBatch *take_spare_batch() noexcept {
    BriefGuard guard(g_spare_batches_lock);
    return g_spare_batches.pop();
}

void run_batch(DispatchedCall &call) noexcept {
    DeferredBatch *newest = static_cast<DeferredBatch *>(&call);
    DeferredBatch *oldest = nullptr;
    while (DeferredBatch *batch = newest) {
        newest = batch->older;
        batch->older = oldest;
        oldest = batch;
    }
    while (DeferredBatch *batch = oldest) {
        oldest = batch->older;
        for (uint32_t i = 0; i < batch->count; ++i) batch->items[i].fn(batch->items[i].arg);
        drop_batch(batch);
    }
}

// No work of such a device runs any more.
bool is_dead(gs_status_t status) noexcept {
    return status == GS_ERROR_STICKY || status == GS_ERROR_CONTEXT_LOST || status == GS_ERROR_SHUTDOWN;
}

void on_batch_reached(Point &point, bool) noexcept {
    auto &batch = static_cast<DeferredBatch &>(point);
    const gs_status_t status = batch.outcome.status;
    if (status == GS_OK || is_dead(status)) return dispatch(batch);
    // The question has failed, not the work, which may still use what the functions release. But a stream that has lost a process
    // that it waited for never works again.
    const bool again = ++batch.failed_questions < kQuestionsAtOnce;
    if (!again && status == GS_ERROR_PEER_LOST) return dispatch(batch);
    batch.event = std::exchange(batch.kept, 0);
    batch.lane = batch.number = 0;
    batch.added_ns = again ? 0 : monotonic_ns() + kLongestNapNs; // when it is asked about next
    watch_point(batch);
}

// Another batch may have come up in between; the two become one.
void put_batch_back(StreamSlot &stream, DeferredBatch &batch) noexcept {
    for (;;) {
        DeferredBatch *none = nullptr;
        if (stream.deferred.compare_exchange_strong(none, &batch, std::memory_order_acq_rel)) return;
        DeferredBatch *oldest = &batch;
        while (oldest->older) oldest = oldest->older;
        oldest->older = stream.deferred.exchange(nullptr, std::memory_order_acq_rel);
    }
}

// OK: the batch is taken over. Else it must wait for a better moment.
Status watch_batch(ThreadBlock &thread, StreamSlot &stream, DeferredBatch &batch) noexcept {
    if (is_dead(check_health(*stream.device).code)) {
        dispatch(batch);
        return kOk;
    }
    GS_TRY(mark_stream(thread, stream, batch));
    watch_point(batch);
    return kOk;
}

void add_unmarked(DeferredBatch &batch) noexcept {
    BriefGuard guard(g_unmarked_lock);
    batch.unmarked = g_unmarked;
    g_unmarked = &batch;
}

// device: nullptr for all.
DeferredBatch *take_unmarked_of(const Device *device) noexcept {
    BriefGuard guard(g_unmarked_lock);
    DeferredBatch *taken = nullptr;
    for (DeferredBatch **place = &g_unmarked; DeferredBatch *batch = *place;) {
        if (device && batch->device != device) {
            place = &batch->unmarked;
            continue;
        }
        *place = batch->unmarked;
        batch->unmarked = taken;
        taken = batch;
    }
    return taken;
}

DeferredBatch *take_unmarked(const Device &device) noexcept { return take_unmarked_of(&device); }

void give_unmarked(DeferredBatch *list, bool due) noexcept {
    while (DeferredBatch *batch = list) {
        list = batch->unmarked;
        due ? dispatch(*batch) : add_unmarked(*batch);
    }
}

// The end of the stream cannot be marked, and its driver stream may be gone after this.
void end_without_mark(ThreadBlock &thread, StreamSlot &stream, DeferredBatch &batch, Status failed) noexcept {
    batch.captured = failed.code == GS_ERROR_CAPTURING;
    bool done = false;
    if (!batch.captured && stream.backend->stream_query(thread, stream.ref(), &done).ok() && done)
        return dispatch(batch);
    log_message(GS_LOG_WARNING,
                "deferred functions of an ended stream of %s device %d have to wait until %s: its end has no mark: %s",
                stream.backend->name(), stream.ordinal,
                batch.captured ? "the device is synchronized" : "all work of the device is done", pending_text());
    batch.device = stream.device;
    add_unmarked(batch);
}

void flush_batch(StreamSlot &stream, bool last) noexcept {
    ThreadBlock *thread = this_thread();
    DeferredBatch *batch = thread ? stream.deferred.exchange(nullptr, std::memory_order_acq_rel) : nullptr;
    if (!batch) return;
    Status status = kOk;
    for (int attempt = 0; attempt < (last ? kMarkAttempts : 1); ++attempt) {
        status = watch_batch(*thread, stream, *batch);
        if (status.ok()) return;
    }
    if (last) return end_without_mark(*thread, stream, *batch, status);
    put_batch_back(stream, *batch); // until the next submission
    // A stream that is being captured has no end to mark; this is no failure of the driver's.
    if (status.code != GS_ERROR_CAPTURING || thread->pending.native_code != 0)
        log_message(GS_LOG_WARNING, "deferred functions of a stream of %s device %d have to wait: %s",
                    stream.backend->name(), stream.ordinal, pending_text());
}

// Behind a capture of other code, which is out of sight and which a mark of the device would break, only a caller's wait for
// the device tells.
void mark_devices(ThreadBlock &thread) noexcept {
    DeferredBatch *list = take_unmarked_of(nullptr);
    while (DeferredBatch *batch = list) {
        list = batch->unmarked;
        Device &device = *batch->device;
        if (is_dead(check_health(device).code))
            dispatch(*batch);
        else if (!batch->captured && mark_device(thread, device, *batch).ok())
            watch_point(*batch);
        else
            add_unmarked(*batch);
    }
}

void finish_batch(StreamSlot &stream) noexcept {
    if (DeferredBatch *batch = stream.deferred.exchange(nullptr, std::memory_order_acq_rel)) dispatch(*batch);
}

void leave_batch(StreamSlot &stream) noexcept {
    DeferredBatch *batch = stream.deferred.exchange(nullptr, std::memory_order_acq_rel);
    if (!batch) return;
    batch->captured = false;
    batch->device = stream.device;
    add_unmarked(*batch);
}

constinit const DeferHooks kDeferHooks{flush_batch,  finish_batch,  leave_batch,
                                       mark_devices, take_unmarked, give_unmarked};

Status no_memory_to_defer() noexcept { return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a deferred function"); }

DeferredBatch *new_batch() noexcept {
    DeferredBatch *batch = take_spare_batch();
    if (batch) {
        batch->number = 0;
        batch->count = 0;
        batch->failed_questions = 0;
        return batch;
    }
    batch = new (std::nothrow) DeferredBatch;
    if (!batch) return nullptr;
    batch->reached = on_batch_reached;
    batch->keeps = true; // until the driver has answered
    batch->run = run_batch;
    return batch;
}

// The stream stands for one of the driver's per thread: what another thread submits would mark the end of that thread's work.
Status defer_at_once(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *), void *arg) noexcept {
    DeferredBatch *batch = new_batch();
    if (!batch) return no_memory_to_defer();
    batch->older = nullptr;
    batch->items[batch->count++] = {fn, arg};
    const Status status = mark_stream(thread, stream, *batch);
    if (status.ok()) {
        watch_point(*batch);
    } else if (status.code == GS_ERROR_CAPTURING) { // and only its thread could mark it later
        batch->captured = true;
        batch->device = stream.device;
        g_defer_hooks.store(&kDeferHooks, std::memory_order_release);
        add_unmarked(*batch);
    } else {
        drop_batch(batch);
        return status;
    }
    return kOk;
}

// A stream that is being captured is marked by its first submission after the capture.
Status defer_outside(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *), void *arg) noexcept {
    if (stream.kind == StreamKind::PerThread) return defer_at_once(thread, stream, fn, arg);
    DeferredBatch *batch = stream.deferred.exchange(nullptr, std::memory_order_acq_rel);
    if (!batch || batch->count == DeferredBatch::kRoom) {
        DeferredBatch *made = new_batch();
        if (!made) {
            if (batch) put_batch_back(stream, *batch);
            return no_memory_to_defer();
        }
        made->older = batch;
        batch = made;
        g_defer_hooks.store(&kDeferHooks, std::memory_order_release);
        stream.use.store(StreamUse::Some, std::memory_order_relaxed); // it goes to limbo, which looks after the batch
    }
    batch->items[batch->count++] = {fn, arg};
    if (batch->count < DeferredBatch::kRoom || !watch_batch(thread, stream, *batch).ok())
        put_batch_back(stream, *batch);
    return kOk;
}

} // namespace

Status defer(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *), void *arg, InCapture in_capture) noexcept {
    if (const Status health = check_health(stream); !health.ok()) {
        // Else the work goes on: a default stream takes no calls while a blocking stream is captured.
        if (is_dead(check_health(*stream.device).code)) finish_deferred(stream);
        if (in_capture == InCapture::Keep || health.code != GS_ERROR_CAPTURING) return health;
    }
    GS_TRY(start_scanner());
    GS_TRY(start_dispatcher());
    bool kept = false;
    if (in_capture == InCapture::Keep) GS_TRY(keep_in_capture(thread, stream, fn, arg, &kept));
    return kept ? kOk : defer_outside(thread, stream, fn, arg);
}

} // namespace gs
