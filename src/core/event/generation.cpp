// SPDX-License-Identifier: Apache-2.0
#include "core/event/generation.hpp"

#include "core/event/event_hot.hpp"
#include "core/event/numbered.hpp"

namespace gs {
namespace {

Status other_record(uint64_t present, uint64_t wanted) noexcept {
    const auto has = static_cast<unsigned long long>(present);
    const auto wants = static_cast<unsigned long long>(wanted);
    if (present < wanted)
        return fail(GS_ERROR_NOT_RECORDED, "record %llu was not made yet: the event has %llu", wants, has);
    return fail(GS_ERROR_NOT_RECORDED, "record %llu was replaced: the event has %llu", wants, has);
}

} // namespace

uint64_t event_generation(EventSlot &event) noexcept {
    number_records(event);
    return generation_of(event, event.word.load(std::memory_order_acquire));
}

Status wait_generation(ThreadBlock &thread, StreamSlot &stream, EventSlot &event, uint64_t generation) noexcept {
    GS_TRY(check_health(stream));
    if (generation == 0) return fail(GS_ERROR_INVALID_ARGUMENT, "records are numbered from 1");
    number_records(event);
    const uint64_t word = event.word.load(std::memory_order_acquire);
    if (event.traits.load(std::memory_order_seq_cst) & kEventForeign)
        return fail(GS_ERROR_NOT_SUPPORTED,
                    "the event may be recorded without the library's knowledge: the number does "
                    "not say which record it has");
    const uint64_t present = generation_of(event, word);
    if (present != generation) return other_record(present, generation);
    if (event.device.load(std::memory_order_acquire)->backend != stream.backend)
        return refuse_other_backend(event, stream);
    thread.counters.waits.add();
    if (wait_is_void(event, word, stream)) {
        thread.counters.elided_waits.add();
        return kOk;
    }
    if (still_has(event, word)) {
        GS_TRY(wait_unless_proven(thread, stream, event, word));
        if (still_has(event, word)) return kOk;
    }
    return fail(GS_ERROR_NOT_RECORDED, "record %llu is being replaced by another thread",
                static_cast<unsigned long long>(generation));
}

} // namespace gs
