// SPDX-License-Identifier: Apache-2.0
#include "core/completion/point.hpp"

#include <utility>

#include "core/event/driver_events.hpp"

namespace gs {

void release_event_of(Point &point) noexcept {
    const uintptr_t event = std::exchange(point.event, 0);
    if (event == 0) return;
    if (std::exchange(point.held, false)) return release_record(*point.device, event);
    if (!point.keeps) return give_native_event(*point.device, 0, event);
    point.kept = event;
}

void drop_kept_event(Point &point) noexcept {
    if (point.kept != 0) give_native_event(*point.device, 0, std::exchange(point.kept, 0));
}

} // namespace gs
