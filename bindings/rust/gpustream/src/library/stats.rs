// SPDX-License-Identifier: Apache-2.0
//! Counters of the library, and its pools.

use gpustream_sys::gs_stats_t;

use crate::call::{call, fill};
use crate::error::Result;

macro_rules! stats {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Counts since the start or [`reset_stats`], summed over all threads of the process.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Stats {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl From<gs_stats_t> for Stats {
            fn from(raw: gs_stats_t) -> Self {
                Self { $($name: raw.$name,)* }
            }
        }
    };
}

stats! {
    /// Driver calls; on the host backend, operations of its engine.
    driver_calls,
    /// Event records.
    records,
    /// Waits of a stream for a recorded event or a stream, elided ones included.
    waits,
    /// Queries of streams and events, elided ones included.
    queries,
    /// Synchronizations of streams, events and devices, elided ones included.
    synchronizes,
    /// Waits that needed no driver call.
    elided_waits,
    /// Queries that needed no driver call.
    elided_queries,
    /// Synchronizations that needed no driver call.
    elided_synchronizes,
    /// Events created.
    events_created,
    /// Driver events taken from the pool.
    event_pool_hits,
    /// Driver events created because the pool was empty.
    event_pool_misses,
    /// Streams created.
    streams_created,
    /// Driver streams taken from the pool.
    stream_pool_hits,
    /// Driver streams created because the pool was empty.
    stream_pool_misses,
    /// Functions accepted by [`StreamRef::notify`](crate::StreamRef::notify).
    notifications,
    /// Rounds that made destroyed objects reusable.
    reclaim_rounds,
}

/// The counters. Exact for calls that happened before this one. Does not block.
pub fn stats() -> Result<Stats> {
    fill!(gs_get_stats()).map(Stats::from)
}

/// Resets the counters to 0 for the whole process.
pub fn reset_stats() -> Result<()> {
    call!(gs_reset_stats())
}

/// Returns pooled streams and events to the driver. Objects in use, and objects whose work is pending, are kept. Starts
/// nothing. Does not block.
pub fn trim() -> Result<()> {
    call!(gs_trim())
}
