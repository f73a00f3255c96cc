// SPDX-License-Identifier: Apache-2.0
#include "backend/host/ipc/ipc_event.hpp"

#include "backend/host/ipc/ipc_lane.hpp"

namespace gs::host {
RecordWord IpcEvent::publish(LaneUse &lane) noexcept {
    const uint64_t number = ++lane.issued;
    const RecordWord word = record_word(lane.lane, number);
    // In this order: if the process ends in between, the number counts as lost. It must not count as unused.
    arena_.shared().lanes[lane.lane].issued.store(number, std::memory_order_release);
    cell().newest.store(word, std::memory_order_release);
    return word;
}

// Release: what the stream did before is visible to a process that sees the event complete.
RecordWord IpcEvent::publish_done() noexcept {
    cell().newest.store(kDoneRecord, std::memory_order_release);
    return kDoneRecord;
}

RecordWord IpcEvent::publish_lost() noexcept {
    cell().newest.store(kLostRecord, std::memory_order_release);
    return kLostRecord;
}

bool IpcEvent::newest(IpcTicket *out) const noexcept {
    out->arena = &arena_;
    return newest_record(arena_.shared(), cell(), &out->word, &out->owner);
}

} // namespace gs::host
