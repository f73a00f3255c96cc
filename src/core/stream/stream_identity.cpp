// SPDX-License-Identifier: Apache-2.0
#include "core/stream/stream_identity.hpp"

namespace gs {

int64_t stream_id(const StreamSlot &slot) noexcept {
    if (slot.immortal()) return static_cast<int64_t>(slot.native);
    return static_cast<int64_t>(
        make_handle(Kind::Stream, static_cast<uint32_t>(slot.device->kind), slot.generation, slot.index));
}

bool same_stream(const StreamSlot &a, const StreamSlot &b) noexcept {
    return a.device == b.device && a.native == b.native;
}

uint64_t stream_hash(const StreamSlot &slot) noexcept {
    uint64_t x = slot.native ^ (static_cast<uint64_t>(slot.device->index) + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93u;
    return x ^ (x >> 32);
}

} // namespace gs
