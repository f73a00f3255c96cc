// SPDX-License-Identifier: Apache-2.0
//! Creating streams.

use super::{Stream, StreamFlags};
use crate::call::read;
use crate::device::Device;
use crate::error::Result;

/// A stream's priority without a device's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PriorityLevel {
    /// The highest priority that the device has.
    High,
    /// Priority 0, as streams have it that are made without one.
    Normal,
    /// The lowest priority that the device has.
    Low,
}

/// Options of a new stream; from [`Stream::builder`].
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct StreamBuilder {
    device: Device,
    priority: i32,
    flags: StreamFlags,
}

impl StreamBuilder {
    const fn new() -> Self {
        Self { device: Device::CURRENT, priority: 0, flags: StreamFlags::empty() }
    }

    /// The stream's device; the current device by default.
    pub const fn device(self, device: Device) -> Self {
        Self { device, ..self }
    }

    /// The stream's priority: a lower number is a higher priority, and numbers outside [`Device::priority_range`] are
    /// clamped. 0 by default.
    pub const fn priority(self, priority: i32) -> Self {
        Self { priority, ..self }
    }

    /// The stream's priority by level, whatever numbers the device has; [`StreamRef::priority`](crate::StreamRef::priority)
    /// returns the number.
    pub const fn priority_level(self, level: PriorityLevel) -> Self {
        let priority = match level {
            PriorityLevel::High => i32::MIN,
            PriorityLevel::Normal => 0,
            PriorityLevel::Low => i32::MAX,
        };
        self.priority(priority)
    }

    /// Takes part in the implicit order of the device's default stream.
    pub const fn blocking(self, on: bool) -> Self {
        self.with(StreamFlags::BLOCKING, on)
    }

    /// May use the same driver stream as others. Excludes dedicated.
    pub const fn shared(self, on: bool) -> Self {
        self.with(StreamFlags::SHARED, on)
    }

    /// Is not reused after its end. Excludes shared.
    pub const fn dedicated(self, on: bool) -> Self {
        self.with(StreamFlags::DEDICATED, on)
    }

    /// Replaces all flags.
    pub const fn flags(self, flags: StreamFlags) -> Self {
        Self { flags, ..self }
    }

    const fn with(self, flag: StreamFlags, on: bool) -> Self {
        let flags = if on { self.flags.union(flag) } else { self.flags.difference(flag) };
        Self { flags, ..self }
    }

    /// Creates the stream. Blocks while the driver makes a new one, which may wait for device work; not where the pool
    /// has one.
    #[inline]
    pub fn build(self) -> Result<Stream> {
        let (device, flags) = (self.device.as_raw(), self.flags.bits());
        read!(gs_stream_create(device, self.priority, flags)).map(Stream::owned)
    }
}

impl Stream {
    /// Creates a stream on the current device.
    #[inline]
    pub fn new() -> Result<Self> {
        Self::builder().build()
    }

    /// Options for a new stream: current device, priority 0, no flags.
    pub const fn builder() -> StreamBuilder {
        StreamBuilder::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_can_be_set_and_unset() {
        let builder =
            StreamBuilder::new().blocking(true).shared(true).shared(false).priority(-3).device(Device::new(1));
        assert_eq!((builder.flags, builder.priority), (StreamFlags::BLOCKING, -3));
        assert_eq!(builder.device, Device::new(1));
        assert_eq!(builder.flags(StreamFlags::DEDICATED).flags, StreamFlags::DEDICATED);
    }
}
