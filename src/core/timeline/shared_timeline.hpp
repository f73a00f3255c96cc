// SPDX-License-Identifier: Apache-2.0
// This process's part of a timeline that processes share: the mapped file, registered with a device's driver.
#pragma once

#include "base/shared_file.hpp"
#include "core/device/device.hpp"
#include "core/timeline/shared_members.hpp"
#include "core/timeline/shared_name.hpp"
#include "core/timeline/word_pages.hpp"

namespace gs {

struct TimelineSlot;

struct SharedTimeline {
    SharedFile name{};
    TimelineShared *memory = nullptr;
    Device *device = nullptr;
    Word word;
    bool registered = false;
    uint32_t member = 0;
    bool closed = false;          // no call uses it, and no signal is to come: streams may still wait
    TimelineSlot *next = nullptr; // this and `closed`: watched_timelines.cpp
};

// Makes a file with a timeline at that value. May create the context.
Status make_shared_timeline(Device &device, uint64_t initial, SharedTimeline **out) noexcept;
// Maps another process's file and takes part in its timeline. May create the context.
Status join_shared_timeline(Device &device, const SharedTimelineName &name, SharedTimeline **out) noexcept;
// The process has no part in it any more. The last one removes the file.
void leave_shared_timeline(SharedTimeline &timeline) noexcept;
// Unmaps it, once no stream uses the word. A page that the driver does not give back stays mapped.
void free_shared_timeline(SharedTimeline &timeline) noexcept;

} // namespace gs
