// SPDX-License-Identifier: Apache-2.0
//! Counters of the library.

use gpustream_sys::gs_stats_t;

use crate::call::{api, check};
use crate::error::Result;

/// Counts since start or [`reset_stats`], summed over all threads of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Calls of the driver; on the host backend, operations of its engine.
    pub driver_calls: u64,
    /// Event records.
    pub records: u64,
    /// Waits of a stream for a recorded event or a stream, elided ones included.
    pub waits: u64,
    /// Queries of streams and events, elided ones included.
    pub queries: u64,
    /// Synchronizations of streams, events and devices, elided ones included.
    pub synchronizes: u64,
    /// Waits answered without the driver.
    pub elided_waits: u64,
    /// Queries answered without the driver.
    pub elided_queries: u64,
    /// Synchronizations answered without the driver.
    pub elided_synchronizes: u64,
    /// Events created.
    pub events_created: u64,
    /// Driver events taken from the pool.
    pub event_pool_hits: u64,
    /// Driver events that had to be made.
    pub event_pool_misses: u64,
    /// Streams created.
    pub streams_created: u64,
    /// Driver streams taken from the pool.
    pub stream_pool_hits: u64,
    /// Driver streams that had to be made.
    pub stream_pool_misses: u64,
    /// Functions accepted by [`StreamRef::notify`](crate::StreamRef::notify).
    pub notifications: u64,
    /// Rounds in which destroyed objects were made reusable.
    pub reclaim_rounds: u64,
}

/// The counters. Exact for calls that happened before this one.
pub fn stats() -> Result<Stats> {
    let mut raw = gs_stats_t::default();
    // SAFETY: the struct is a local variable that says its size.
    check(unsafe { api()?.gs_get_stats(&raw mut raw) })?;
    Ok(Stats {
        driver_calls: raw.driver_calls,
        records: raw.records,
        waits: raw.waits,
        queries: raw.queries,
        synchronizes: raw.synchronizes,
        elided_waits: raw.elided_waits,
        elided_queries: raw.elided_queries,
        elided_synchronizes: raw.elided_synchronizes,
        events_created: raw.events_created,
        event_pool_hits: raw.event_pool_hits,
        event_pool_misses: raw.event_pool_misses,
        streams_created: raw.streams_created,
        stream_pool_hits: raw.stream_pool_hits,
        stream_pool_misses: raw.stream_pool_misses,
        notifications: raw.notifications,
        reclaim_rounds: raw.reclaim_rounds,
    })
}

/// Makes the present counters the new zero point, for the whole process.
pub fn reset_stats() -> Result<()> {
    // SAFETY: no arguments.
    check(unsafe { api()?.gs_reset_stats() })
}

/// Gives pooled streams and events back to the driver. Objects in use are kept.
pub fn trim() -> Result<()> {
    // SAFETY: no arguments.
    check(unsafe { api()?.gs_trim() })
}
