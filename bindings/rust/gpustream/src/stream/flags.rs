// SPDX-License-Identifier: Apache-2.0
//! Kinds of streams.

use bitflags::bitflags;
use gpustream_sys as sys;

bitflags! {
    /// What kind of stream it is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct StreamFlags: u32 {
        /// Takes part in the implicit order of the device's default stream.
        const BLOCKING = sys::GS_STREAM_BLOCKING;
        /// From a pool of 32 driver streams per device and priority, handed out in turn: others may use the same one.
        const SHARED = sys::GS_STREAM_SHARED;
        /// A driver stream of its own that is destroyed with the last reference instead of being kept for reuse.
        const DEDICATED = sys::GS_STREAM_DEDICATED;
        /// Newer libraries may set other bits.
        const _ = !0;
    }
}
