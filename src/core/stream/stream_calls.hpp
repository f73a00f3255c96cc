// SPDX-License-Identifier: Apache-2.0
// Creates, queries and synchronizes streams, and orders one after another; partitions, which streams may be confined to.
#pragma once

#include "base/status.hpp"
#include "core/device/device.hpp"
#include "core/slots.hpp"

namespace gs {

Status create_stream(ThreadBlock &thread, Device &device, int32_t priority, uint32_t flags,
                     uint64_t *out_handle) noexcept;
// In a partition; INVALID_HANDLE: there is no such partition.
Status create_stream_in(ThreadBlock &thread, uint64_t partition, int32_t priority, uint32_t flags,
                        uint64_t *out_handle) noexcept;

// Queries and synchronizes streams, and orders one after another. The functions with a slot run under the caller's
// CallMark; the one with a handle blocks and pins the stream itself.

// The driver says that the stream is idle.
void note_idle(const ThreadBlock &thread, StreamSlot &stream) noexcept;
Status query_stream(ThreadBlock &thread, StreamSlot &stream, bool *out_done) noexcept;
Status synchronize_stream(ThreadBlock &thread, uint64_t handle) noexcept;
// CAPTURING if a stream of the device is known to be captured: waiting for the whole device would break the capture.
Status refuse_if_any_captures(ThreadBlock &thread, const Device &device) noexcept;
Status synchronize_device(ThreadBlock &thread, Device &device) noexcept;
// Work that `stream` is given from now on waits for the work that `other` has been given so far.
Status wait_stream(ThreadBlock &thread, StreamSlot &stream, StreamSlot &other) noexcept;

// Resets a device while other threads may be using it.

// Blocks. No call on a stream or an event of the device is inside the driver when the driver resets it.
Status reset_device(ThreadBlock &thread, Device &device) noexcept;

// Partitions of devices: how they begin and end. What the backend has made for one lasts until the partition, the last of its
// streams and the last driver stream in it have ended.
struct StreamPool;

struct alignas(64) PartitionSlot : SlotBase {
    Device *device = nullptr;
    PartitionNative made;
    uint32_t requested = 0;
    uint64_t streams = 0; // that live, or are being made
    uint64_t holds = 0;   // the handle, until its end has been seen to, and driver streams, with those that are pooled
    PartitionSlot *next = nullptr;
    // Under the mutex of stream_pool.cpp:
    StreamPool *pools = nullptr; // one for each priority; they stay with the slot
    bool closed = false;         // takes no stream back
};

// made, slots: [count], for the call's own use. All partitions or none.
Status create_partitions(Device &device, const uint32_t *counts, size_t count, uint32_t flags, PartitionNative *made,
                         PartitionSlot **slots, uint64_t *out_handles) noexcept;
// No handle names it any more. The caller gives up the streams that the partition keeps, and then releases it.
Status close_partition(uint64_t handle, PartitionSlot **out) noexcept;
Status partition_summary(uint64_t handle, gs_partition_summary_t *out) noexcept;

// The partition will have a stream more. INVALID_HANDLE: there is no such partition.
Status enter_partition(uint64_t handle, PartitionSlot **out) noexcept;
// It has one fewer. Called without a lock, as release_partition() is.
void leave_partition(PartitionSlot &slot) noexcept;
// A driver stream has been made in a partition that was entered; it, or the handle, has ended.
void hold_partition(PartitionSlot &slot) noexcept;
void release_partition(PartitionSlot &slot) noexcept;

// Leased driver streams between two owners: one pool for each device or partition, effective priority and blocking flag.

// What a caller wants of a leased stream.
struct LeaseWish {
    Device *device;
    PartitionSlot *partition; // one that has been entered; nullptr: the whole device
    int32_t priority;
    bool blocking;
};

// Takes a slot from the pool; *out is nullptr when none is ready. May ask the driver whether a used one is idle by now.
Status take_lease(ThreadBlock &thread, const LeaseWish &wish, StreamSlot **out) noexcept;
// Puts a slot into its pool once the calls in flight have left it. Makes no driver call, but for a stream of a partition that
// has ended: its driver stream ends.
void return_lease(StreamSlot &slot) noexcept;
// The partition's handle has ended: so do the driver streams that are pooled for it, and those that will be returned.
void end_pooled_streams(PartitionSlot &partition) noexcept;

// CAPTURING if a driver stream in a pool is being captured. Asks those whose raw handle was given out.
Status refuse_if_pooled_captures(ThreadBlock &thread, const Device &device) noexcept;

// Destroys the idle driver streams of all pools.
void trim_pools(ThreadBlock &thread) noexcept;

// The end of a partition: by its handle, with the driver streams that it keeps for its next ones.

Status end_partition(uint64_t handle) noexcept;

} // namespace gs
