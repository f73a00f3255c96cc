// SPDX-License-Identifier: Apache-2.0
//! Options of a new stream.

use bitflags::bitflags;
use gpustream_sys as sys;

use super::Stream;
use crate::call::get;
use crate::device::Device;
use crate::error::Result;

bitflags! {
    /// What kind of stream it is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct StreamFlags: u32 {
        /// Joins the implicit order of the device's default stream.
        const BLOCKING = sys::GS_STREAM_BLOCKING;
        /// From a pool of 32 driver streams per device and priority, handed out in turn: others may use the same one.
        const SHARED = sys::GS_STREAM_SHARED;
        /// A driver stream of its own that is really destroyed in the end, instead of being kept for reuse.
        const DEDICATED = sys::GS_STREAM_DEDICATED;
        /// Later libraries may know more.
        const _ = !0;
    }
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
    pub(super) const fn new() -> Self {
        Self { device: Device::CURRENT, priority: 0, flags: StreamFlags::empty() }
    }

    /// Where; the current device if not said.
    pub const fn device(self, device: Device) -> Self {
        Self { device, ..self }
    }

    /// Lower is higher; out of [`Device::priority_range`] is clamped. 0 if not said.
    pub const fn priority(self, priority: i32) -> Self {
        Self { priority, ..self }
    }

    /// Joins the implicit order of the device's default stream.
    pub const fn blocking(self, on: bool) -> Self {
        self.with(StreamFlags::BLOCKING, on)
    }

    /// May use the same driver stream as others. Excludes dedicated.
    pub const fn shared(self, on: bool) -> Self {
        self.with(StreamFlags::SHARED, on)
    }

    /// Never reused after its end. Excludes shared.
    pub const fn dedicated(self, on: bool) -> Self {
        self.with(StreamFlags::DEDICATED, on)
    }

    /// All flags at once.
    pub const fn flags(self, flags: StreamFlags) -> Self {
        Self { flags, ..self }
    }

    const fn with(self, flag: StreamFlags, on: bool) -> Self {
        let flags = if on { self.flags.union(flag) } else { self.flags.difference(flag) };
        Self { flags, ..self }
    }

    /// Creates the stream.
    #[inline]
    pub fn build(self) -> Result<Stream> {
        let (device, flags) = (self.device.as_raw(), self.flags.bits());
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_stream_create(device, self.priority, flags, out) }).map(Stream::owned)
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
