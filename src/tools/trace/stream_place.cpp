// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/stream_place.hpp"

#include "core/device/device_table.hpp"
#include "core/slots.hpp"
#include "handle/handle_bits.hpp"

namespace gs::trace {

StreamPlace place_of_stream(uint64_t stream, uint32_t device) noexcept {
    const StreamSlot *slot = stream_slots().at(handle_index(stream));
    const bool lives = slot && slot->handle.load(std::memory_order_relaxed) == stream;
    const Device *of = device == 0 ? nullptr : device_at(static_cast<int32_t>(device) - 1);
    if (!of && lives) of = slot->device;
    return {of ? of->ordinal : 0, lives && slot->kind == StreamKind::Default};
}

} // namespace gs::trace
