// SPDX-License-Identifier: Apache-2.0
// Partitions: parts of a device's multiprocessors that have none in common, and streams that run in one. Each function is the
// C function that it calls: its errors, whether it blocks and its thread rule are in gpustream.h.
#pragma once

#include <array>
#include <vector>

#include "stream.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// So many multiprocessors run together, 1 to 255, and are the unit: a flag to combine with others.
constexpr partition_flags coscheduled(uint8_t multiprocessors) noexcept {
    return static_cast<partition_flags>(multiprocessors * uint32_t{GS_PARTITION_COSCHEDULED});
}
/// So many streams of the partition are expected to work at a time, 1 to 32767: a flag to combine with others.
constexpr partition_flags concurrency(uint16_t streams) noexcept {
    return static_cast<partition_flags>(streams * uint32_t{GS_PARTITION_CONCURRENCY});
}

/// A partition that someone else owns.
class partition_ref : public detail::reference<gs_partition_t> {
public:
    using reference::reference;

    /// gs_partition_info(): what it really has, and how many streams it has now.
    outcome<gs_partition_summary_t> info() const {
        gs_partition_summary_t found{};
        found.struct_size = sizeof found;
        const gs_status_t status = gs_partition_info(get(), &found);
        return detail::value(status, found);
    }
    /// gs_stream_create_in(): a stream whose work runs on the partition's multiprocessors only. The one flag that it may have
    /// is stream_flags::dedicated.
    outcome<stream> create_stream(int32_t priority = 0, stream_flags flags = stream_flags::none) const {
        gs_stream_t handle = nullptr;
        const gs_status_t status = gs_stream_create_in(get(), priority, static_cast<uint32_t>(flags), &handle);
        return detail::value(status, stream(handle));
    }
    friend bool operator==(partition_ref left, partition_ref right) noexcept { return left.get() == right.get(); }
    friend bool operator!=(partition_ref left, partition_ref right) noexcept { return !(left == right); }
};

/// Its streams may outlive it: they work on, and what they run on lasts as long as they do.
class partition : public detail::owner<partition_ref, gs_partition_t, gs_partition_destroy> {
public:
    using owner::owner;
    /// One partition of at least so many multiprocessors.
    static outcome<partition> create(uint32_t count, device on = device::current(), partition_flags flags = {}) {
        gs_partition_t handle = nullptr;
        const gs_status_t status = make(&count, 1, on, flags, &handle);
        return detail::value(status, partition(handle));
    }
    /// Several, each with multiprocessors of its own, in the order of the numbers: all of them or none.
    static outcome<std::vector<partition>> split(const std::vector<uint32_t> &counts, device on = device::current(),
                                                 partition_flags flags = {}) {
        // What allocates comes before the call, which makes what nothing owns yet.
        std::vector<gs_partition_t> handles(counts.size());
        std::vector<partition> made(counts.size());
        const gs_status_t status = make(counts.data(), counts.size(), on, flags, handles.data());
        for (size_t i = 0; i < made.size(); ++i) made[i].reset(handles[i]);
        return detail::value(status, std::move(made));
    }
    /// The same where their number is known: auto [urgent, batch] = partition::split({16, 96}).
    template <size_t Size>
    static outcome<std::array<partition, Size>> split(const uint32_t (&counts)[Size], device on = device::current(),
                                                      partition_flags flags = {}) {
        gs_partition_t handles[Size] = {};
        std::array<partition, Size> made;
        const gs_status_t status = make(counts, Size, on, flags, handles);
        for (size_t i = 0; i < Size; ++i) made[i].reset(handles[i]);
        return detail::value(status, std::move(made));
    }

private:
    static gs_status_t make(const uint32_t *counts, size_t count, device on, partition_flags flags,
                            gs_partition_t *handles) {
        return detail::with_abi(gs_partition_create, on.get(), counts, count, static_cast<uint32_t>(flags), handles);
    }
};

GPUSTREAM_END_NAMESPACE
