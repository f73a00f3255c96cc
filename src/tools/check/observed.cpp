// SPDX-License-Identifier: Apache-2.0
// What the calls tell the checker, the log, and the tool of NVTX. The log, which runs in production, does not wait for the checker, which
// runs one call at a time.
#include "core/lookup.hpp"
#include "core/stream/captured.hpp"
#include "handle/grace.hpp"
#include "tools/check/facts.hpp"
#include "tools/recorder/log_notes.hpp"
#include "tools/trace/nvtx_tool.hpp"

namespace gs::check {
namespace {

void add_access(ThreadBlock &thread, const StreamFacts &facts, AccessKind kind, const void *address, size_t bytes,
                const char *label) noexcept {
    const auto begin = reinterpret_cast<uintptr_t>(address);
    with_checker<OfCall::Access>(thread, [&](Checker &checker, const Caller &caller, Checker::Races &races) {
        checker.access(caller, facts, kind, {begin, begin + bytes}, label, races);
    });
}

} // namespace

void saw_record(uint64_t event, uint64_t stream) noexcept {
    trace::tell_name_if_kept(event);
    recorder::note_event(recorder::LogCall::Record, stream, event);
    ThreadBlock *thread = observing_thread();
    StreamFacts facts;
    EventFacts of_event;
    if (!thread || !find_facts(*thread, event, &of_event)) return;
    const bool found = find_facts(*thread, stream, &facts);
    if (!found) saw_captured(*thread, stream);
    with_order(thread, [&](Checker &checker, const Caller &caller) {
        Order &order = checker.order();
        if (found)
            order.record(checker.thread(caller), order.stream(facts), event, of_event.foreign);
        else
            order.end_event(event); // a record in a capture replaces the one before
    });
}

// Ahead of what is declared for the kernel: gs_check_write() follows the launch.
void saw_early_record(uint64_t event, uint64_t stream) noexcept {
    recorder::note_event(recorder::LogCall::Record, stream, event);
    on_line(stream, [&](Checker &checker, ThreadLine &line, StreamLine &busy) {
        checker.order().record_early(line, busy, event);
    });
}

void saw_wait(uint64_t stream, uint64_t event) noexcept {
    recorder::note_event(recorder::LogCall::Wait, stream, event);
    ThreadBlock *thread = observing_thread();
    EventFacts of_event;
    if (!thread || saw_captured(*thread, stream) || !find_facts(*thread, event, &of_event)) return;
    on_line(stream, [&](Checker &checker, ThreadLine &line, StreamLine &waiting) {
        checker.order().wait(line, waiting, event, of_event.foreign);
    });
}

void saw_wait_stream(uint64_t stream, uint64_t other) noexcept {
    recorder::note(recorder::LogCall::WaitStream, stream, other);
    ThreadBlock *thread = observing_thread();
    StreamFacts facts;
    if (!thread) return;
    const bool captured = saw_captured(*thread, other);
    if (saw_captured(*thread, stream) || captured || !find_facts(*thread, other, &facts)) return;
    on_line(stream, [&](Checker &checker, ThreadLine &line, StreamLine &waiting) {
        checker.order().wait_stream(line, waiting, checker.order().stream(facts));
    });
}

void saw_submit(uint64_t stream) noexcept {
    recorder::note(recorder::LogCall::Submit, stream);
    check_submit(stream);
}

void check_submit(uint64_t stream) noexcept {
    ThreadBlock *thread = observing_thread();
    if (!thread || saw_captured(*thread, stream)) return;
    on_line(stream, [](Checker &checker, ThreadLine &line, StreamLine &busy) { checker.order().submit(line, busy); });
}

void before_function(uint64_t stream) noexcept {
    recorder::note(recorder::LogCall::HostFunction, stream);
    on_line(stream,
            [](Checker &checker, ThreadLine &line, StreamLine &busy) { checker.order().leave_note(line, busy); });
}

void saw_event_done(uint64_t event) noexcept {
    recorder::note_event(recorder::LogCall::SeenEvent, 0, event);
    ThreadBlock *thread = observing_thread();
    EventFacts facts;
    if (!thread || !find_facts(*thread, event, &facts)) return;
    with_order(thread, [&](Checker &checker, const Caller &caller) {
        checker.order().know_event(checker.thread(caller), event, facts.foreign);
    });
}

void saw_stream_done(uint64_t stream) noexcept {
    recorder::note(recorder::LogCall::SeenStream, stream);
    on_line(stream,
            [](Checker &checker, ThreadLine &line, StreamLine &done) { checker.order().know_stream(line, done); });
}

void saw_device_done(int32_t device) noexcept {
    ThreadBlock *thread = observing_thread();
    Device *found = nullptr;
    if (!thread || !resolve_device(*thread, device, &found).ok()) return;
    with_order(thread, [&](Checker &checker, const Caller &caller) {
        checker.order().know_device(checker.thread(caller), reinterpret_cast<uintptr_t>(found));
    });
}

bool before_add_stream(uint64_t queue, uint64_t stream, uint64_t token) noexcept {
    bool expected = false;
    on_line(stream, [&](Checker &checker, ThreadLine &line, StreamLine &busy) {
        checker.expect(queue, token, checker.order().point_of(line, busy));
        expected = true;
    });
    return expected;
}

bool before_add_event(uint64_t queue, uint64_t event, uint64_t token) noexcept {
    bool expected = false;
    with_order(observing_thread(), [&](Checker &checker, const Caller &) {
        const VectorClock *record = checker.order().record_of(event);
        checker.expect(queue, token, record ? *record : VectorClock());
        expected = true;
    });
    return expected;
}

void saw_add_fail(uint64_t queue, uint64_t token) noexcept {
    with_order(observing_thread(), [&](Checker &checker, const Caller &) { checker.withdraw(queue, token); });
}

void saw_entries(uint64_t queue, const gs_completion_t *entries, size_t count) noexcept {
    ThreadBlock *thread = observing_thread();
    if (!thread || count == 0) return;
    with_order(thread, [&](Checker &checker, const Caller &caller) {
        for (size_t i = 0; i < count; ++i) {
            const gs_completion_t &entry = entries[i];
            if (entry.status == GS_OK)
                checker.told(caller, queue, entry.token);
            else // cancelled, or lost with its device: it comes whether the work is done or not
                checker.withdraw(queue, entry.token);
        }
    });
}

void saw_copy(uint64_t stream, const void *dst, const void *src, size_t bytes) noexcept {
    recorder::note(recorder::LogCall::Copy, stream, 0, bytes);
    ThreadBlock *thread = observing_thread();
    StreamFacts facts;
    if (!thread || bytes == 0 || saw_captured(*thread, stream) || !find_facts(*thread, stream, &facts)) return;
    add_access(*thread, facts, AccessKind::Read, src, bytes, "gs_memcpy_async");
    add_access(*thread, facts, AccessKind::Write, dst, bytes, "gs_memcpy_async");
}

void saw_copies(uint64_t stream, const gs_copy_t *copies, size_t count, int32_t order) noexcept {
    constexpr char kLabel[] = "gs_memcpy_batch_async";
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; ++i) bytes += copies[i].bytes;
    recorder::note(recorder::LogCall::Copy, stream, 0, bytes);
    ThreadBlock *thread = observing_thread();
    StreamFacts facts;
    if (!thread || bytes == 0 || saw_captured(*thread, stream) || !find_facts(*thread, stream, &facts)) return;
    with_checker<OfCall::Access>(*thread, [&](Checker &checker, const Caller &caller, Checker::Races &races) {
        const auto range = [](const void *address, uint64_t size) {
            return Range{reinterpret_cast<uintptr_t>(address), reinterpret_cast<uintptr_t>(address) + size};
        };
        for (const gs_copy_t *copy = copies; copy != copies + count; ++copy) {
            if (copy->bytes == 0) continue;
            const Range source = range(copy->src, copy->bytes);
            if (order == GS_ACCESS_ORDER_STREAM)
                checker.access(caller, facts, AccessKind::Read, source, kLabel, races);
            else
                checker.read_early(caller, facts, order == GS_ACCESS_ORDER_DURING_CALL, source, kLabel, races);
            checker.access(caller, facts, AccessKind::Write, range(copy->dst, copy->bytes), kLabel, races);
        }
    });
}

void saw_fill(uint64_t stream, const void *dst, size_t bytes) noexcept {
    recorder::note(recorder::LogCall::Fill, stream, 0, bytes);
    ThreadBlock *thread = observing_thread();
    StreamFacts facts;
    if (!thread || bytes == 0 || saw_captured(*thread, stream) || !find_facts(*thread, stream, &facts)) return;
    add_access(*thread, facts, AccessKind::Write, dst, bytes, "gs_memset_async");
}

void saw_allocation(uint64_t stream, const void *address, size_t bytes) noexcept {
    recorder::note(recorder::LogCall::Allocate, stream, 0, bytes);
    ThreadBlock *thread = observing_thread();
    StreamFacts facts;
    if (!thread) return;
    const auto begin = reinterpret_cast<uintptr_t>(address);
    if (!find_facts(*thread, stream, &facts))
        return saw_captured_access(*thread, stream, CapturedAs::Call, AccessKind::Allocate, {begin, begin + bytes},
                                   nullptr);
    with_checker<OfCall::Access>(*thread, [&](Checker &checker, const Caller &caller, Checker::Races &races) {
        checker.allocate(caller, facts, {begin, begin + bytes}, "gs_malloc_async", races);
    });
}

size_t before_free(uint64_t stream, const void *address) noexcept {
    recorder::note(recorder::LogCall::Free, stream);
    ThreadBlock *thread = acting_thread();
    StreamFacts facts;
    size_t bytes = 0;
    if (!thread || !address || !find_facts(*thread, stream, &facts)) return bytes;
    with_checker<OfCall::Access>(*thread, [&](Checker &checker, const Caller &caller, Checker::Races &races) {
        bytes = checker.free(caller, facts, reinterpret_cast<uintptr_t>(address), "gs_free_async", races);
    });
    return bytes;
}

void saw_free_fail(const void *address, size_t bytes) noexcept {
    with_order(acting_thread(), [&](Checker &checker, const Caller &) {
        checker.withdraw_free(reinterpret_cast<uintptr_t>(address), bytes);
    });
}

void saw_host_allocation(const void *address, size_t bytes) noexcept {
    with_order(observing_thread(), [&](Checker &checker, const Caller &) {
        checker.allocate_host(reinterpret_cast<uintptr_t>(address), bytes);
    });
}

void before_host_free(const void *address) noexcept {
    ThreadBlock *thread = acting_thread();
    if (!thread || !address) return;
    with_checker<OfCall::Access>(*thread, [&](Checker &checker, const Caller &caller, Checker::Races &races) {
        checker.free_host(caller, reinterpret_cast<uintptr_t>(address), "gs_free_host", races);
    });
}

Status declare_access(ThreadBlock &thread, StreamSlot &stream, bool write, const void *address, size_t bytes,
                      const char *label) noexcept {
    if (!is_checking()) return kOk;
    bool captured = false;
    GS_TRY(is_captured(thread, stream, &captured));
    const AccessKind kind = write ? AccessKind::Write : AccessKind::Read;
    const auto begin = reinterpret_cast<uintptr_t>(address);
    if (captured)
        saw_captured_access(thread, stream.handle.load(std::memory_order_relaxed), CapturedAs::Declared, kind,
                            {begin, begin + bytes}, label);
    else
        add_access(thread, facts_of(thread, stream), kind, address, bytes, label);
    return kOk;
}

void saw_queue_end(uint64_t queue) noexcept {
    with_order(observing_thread(), [&](Checker &checker, const Caller &) { checker.end_queue(queue); });
}

void saw_stream_end(uint64_t stream) noexcept {
    ThreadBlock *thread = observing_thread();
    if (!thread) return;
    {
        CallMark mark(*thread);
        if (find_stream(*thread, stream)) return;
    }
    with_order(thread, [&](Checker &checker, const Caller &) { checker.order().end_stream({kKeyOwn, stream, 0}); });
}

void saw_event_end(uint64_t event) noexcept {
    trace::drop_name_if_ended(event);
    ThreadBlock *thread = observing_thread();
    if (!thread) return;
    {
        CallMark mark(*thread);
        if (find_event(*thread, event)) return;
    }
    with_order(thread, [&](Checker &checker, const Caller &) { checker.order().end_event(event); });
}

} // namespace gs::check
