// SPDX-License-Identifier: Apache-2.0
//! Partitions: parts of a device for streams of their own.

use std::ops::Mul;

use gpustream_sys::{self as sys, gs_partition_t};

use crate::call::{api, check, fill, give_back, read};
use crate::counted::{handle, shown_by_handle};
use crate::device::Device;
use crate::error::Result;
use crate::numbers::flags;
use crate::stream::{Stream, StreamFlags};

sys::for_each_enumerator! {
    partition_flag, flags,
    /// How [`Partition::create`] divides a device.
    PartitionFlags
}

impl Mul<u32> for PartitionFlags {
    type Output = Self;

    /// A flag with a number: `PartitionFlags::QUEUES | (PartitionFlags::CONCURRENCY * 4)`.
    fn mul(self, number: u32) -> Self {
        Self::from_bits_retain(self.bits().saturating_mul(number))
    }
}

/// A part of a device's multiprocessors, owned. Work in its [streams](Self::stream) runs there and nowhere else. On the
/// host backend a multiprocessor is a worker thread.
///
/// Dropping it ends it without waiting: its streams work on, and what they run on is released with the last of them.
///
/// ```
/// use gpustream::{Device, Partition, PartitionFlags, StreamFlags};
///
/// let mut made = Partition::create(Device::CURRENT, &[1], PartitionFlags::empty())?;
/// let part = made.remove(0);
/// let stream = part.stream(0, StreamFlags::empty())?;
/// stream.sleep(1_000_000)?; // in place of real work
/// let info = part.info()?;
/// assert_eq!((info.sm_count, info.streams), (info.unit_sm_count, 1)); // 1 was rounded up to the device's unit
/// drop(part);
/// stream.synchronize()?;
/// # Ok::<(), gpustream::Error>(())
/// ```
#[derive(PartialEq, Eq, Hash)]
pub struct Partition {
    raw: gs_partition_t,
}

/// What a [`Partition`] has. The numbers are those of its creation, but for the streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PartitionInfo {
    /// The device.
    pub device: Device,
    /// Multiprocessors that the partition has, as the driver counts them; on host, worker threads.
    pub sm_count: u32,
    /// What [`Partition::create`] was asked for.
    pub requested_sm_count: u32,
    /// Multiprocessors that the device has; on host, all worker threads of the backend.
    pub device_sm_count: u32,
    /// What partitions of the device are made of: `sm_count` is a multiple of it, or all that the device has.
    pub unit_sm_count: u32,
    /// Streams of the partition that existed at the time of the call.
    pub streams: u64,
    /// A `CUgreenCtx` as a number, which stays the library's; 0 on host.
    pub native: u64,
}

impl Partition {
    /// Divides multiprocessors of a device into partitions that share none, one for each number, in this order. After an
    /// error there are none. Each number is rounded up to a multiple of the device's unit; [`info`](Self::info) has the
    /// true one.
    ///
    /// Multiprocessors that no partition gets, and those of partitions, still serve all other streams of the device.
    /// Partitions of separate calls may have some in common, so divide a device in one place of the program. On CUDA they
    /// are green contexts. Does not block, but for the first use of a device.
    pub fn create(device: Device, counts: &[u32], flags: PartitionFlags) -> Result<Vec<Self>> {
        let mut made: Vec<gs_partition_t> = vec![std::ptr::null_mut(); counts.len()];
        let (device, flags, outputs) = (device.as_raw(), flags.bits(), made.as_mut_ptr());
        // SAFETY: both lists have the length that is passed.
        check(unsafe { api()?.gs_partition_create(device, counts.as_ptr(), counts.len(), flags, outputs) })?;
        Ok(made.into_iter().map(|raw| Self { raw }).collect())
    }

    /// What the partition has. Does not block.
    pub fn info(&self) -> Result<PartitionInfo> {
        let raw = fill!(gs_partition_info(self.raw))?;
        Ok(PartitionInfo {
            device: Device::from_raw(raw.device),
            sm_count: raw.sm_count,
            requested_sm_count: raw.requested_sm_count,
            device_sm_count: raw.device_sm_count,
            unit_sm_count: raw.unit_sm_count,
            streams: raw.streams,
            native: raw.native,
        })
    }

    /// Creates a stream whose work runs on the partition's multiprocessors. In every other respect it is a stream of the
    /// device: a lower number is a higher priority, and numbers outside [`Device::priority_range`] are clamped. It has no
    /// order with the default stream, and may outlive the partition. [`DEDICATED`](StreamFlags::DEDICATED) is the only
    /// flag that it may have.
    ///
    /// Blocks while the driver makes a new one, which may wait for device work; not where the partition has kept one of a
    /// stream that has ended.
    pub fn stream(&self, priority: i32, flags: StreamFlags) -> Result<Stream> {
        read!(gs_stream_create_in(self.raw, priority, flags.bits())).map(Stream::owned)
    }
}

handle! { Partition, gs_partition_t, "gs_partition_destroy" }
shown_by_handle! { Partition }

impl Drop for Partition {
    fn drop(&mut self) {
        // SAFETY: takes a handle.
        give_back(self.raw, |api, raw| unsafe { api.gs_partition_destroy(raw) });
    }
}
