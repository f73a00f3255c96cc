// SPDX-License-Identifier: Apache-2.0
//! Capabilities of events.

use bitflags::bitflags;
use gpustream_sys as sys;

bitflags! {
    /// What an event can do.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct EventFlags: u32 {
        /// Records take a time stamp. On CUDA a timed record costs the driver several times an untimed one.
        const TIMING = sys::GS_EVENT_TIMING;
        /// [`Event::synchronize`](crate::Event::synchronize) sleeps instead of spinning.
        const BLOCKING = sys::GS_EVENT_BLOCKING;
        /// Can be exported to other processes. Excludes `TIMING`.
        const INTERPROCESS = sys::GS_EVENT_INTERPROCESS;
        /// In a stream capture, records and waits become nodes of the graph instead of edges inside it.
        const EXTERNAL = sys::GS_EVENT_EXTERNAL;
        /// Newer libraries may set other bits.
        const _ = !0;
    }
}
