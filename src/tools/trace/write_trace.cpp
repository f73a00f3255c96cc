// SPDX-License-Identifier: Apache-2.0
#include <new>

#include "core/device/device_table.hpp"
#include "core/slots.hpp"
#include "handle/handle_bits.hpp"
#include "tools/trace/trace_parts.hpp"

namespace gs::trace {

Status write_trace(ThreadBlock &thread, uint64_t number, WriteFunction write, void *arg) noexcept {
    try {
        Snapshot snapshot;
        Regions regions;
        do { // a trace that another thread starts during this would be mixed with it
            snapshot = {};
            GS_TRY(take_snapshot(number, &snapshot));
            regions = snapshot.device_times ? resolve_regions(thread) : Regions{};
        } while (!is_kept(snapshot.trace));
        return write_json(snapshot, regions, make_parts(snapshot, regions), write, arg);
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to write a trace");
    }
}

StreamPlace place_of_stream(uint64_t stream, uint32_t device) noexcept {
    const StreamSlot *slot = stream_slots().at(handle_index(stream));
    const bool lives = slot && slot->handle.load(std::memory_order_relaxed) == stream;
    const Device *of = device == 0 ? nullptr : device_at(static_cast<int32_t>(device) - 1);
    if (!of && lives) of = slot->device;
    return {of ? of->ordinal : 0, lives && slot->kind == StreamKind::Default};
}

} // namespace gs::trace
