// SPDX-License-Identifier: Apache-2.0
// The states of the slots behind streams and events, and which may follow which. docs/design/lives.md draws them.
//
// Only the owner of a dead slot changes its state: the thread that took it from a list. The states of a live stream are
// guarded as stream_life.hpp says.
#pragma once

#include <cstdint>

namespace gs {

enum class StreamState : uint8_t {
    Bare,     // no driver stream
    Bound,    // has a driver stream, but no handle yet
    Alive,    // has a handle and callers' references
    Zombie,   // no caller's reference, but current on some thread, or about to be looked for there
    Ended,    // the handle is cleared; the slot belongs to the thread that did it
    Retired,  // calls on the old handle may still run: in a Reclaimer until a grace period is over
    Unused,   // leased, never used: in its pool
    Limbo,    // leased and used: in its pool, until it is found to be idle
    Captured, // found to be captured: stays with the capture
    Dropped,  // its driver stream failed, or its generations are used up: never used again
};

enum class EventState : uint8_t {
    Free,    // in a list of free slots, bare or with a driver event
    Alive,   // has a handle and callers' references
    Retired, // calls on the old handle may still run: in a Reclaimer until a grace period is over
    Dropped, // its generations are used up: never used again
};

namespace life {

template <typename... States>
constexpr uint32_t set_of(States... states) noexcept {
    return ((uint32_t{1} << static_cast<int>(states)) | ... | 0u);
}

// The transition tables.
constexpr uint32_t followers(StreamState from) noexcept {
    using enum StreamState;
    switch (from) {
    case Bare: return set_of(Bound, Dropped); // bind_slot; Dropped: used up
    case Bound: return set_of(Alive);         // publish_stream
    case Alive: return set_of(Zombie, Ended); // the last destroy
    case Zombie: return set_of(Alive, Ended); // retained again; the last holder lets go
    case Ended: return set_of(Unused, Limbo, Bare, Retired);
    case Retired: return set_of(Unused, Limbo, Bare); // collect_streams
    case Unused: return set_of(Alive, Bare);          // Bare: gs_trim, or used up
    case Limbo: return set_of(Alive, Limbo, Bare, Captured, Dropped);
    case Captured:
    case Dropped: return 0;
    }
    return 0;
}

constexpr uint32_t followers(EventState from) noexcept {
    using enum EventState;
    switch (from) {
    case Free: return set_of(Alive, Dropped);
    case Alive: return set_of(Free, Retired); // Free: only one thread has used it
    case Retired: return set_of(Free);
    case Dropped: return 0;
    }
    return 0;
}

template <typename State>
constexpr bool may_follow(State from, State to) noexcept {
    return (followers(from) & set_of(to)) != 0;
}

} // namespace life
} // namespace gs
