// SPDX-License-Identifier: Apache-2.0
//! Counters of the library, and its pools.

use gpustream_sys::gs_stats_t;

use crate::call::{api, check};
use crate::error::Result;

/// Counts since the start or [`reset_stats`], summed over all threads of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Driver calls; on the host backend, operations of its engine.
    pub driver_calls: u64,
    /// Event records.
    pub records: u64,
    /// Waits of a stream for a recorded event or a stream, elided ones included.
    pub waits: u64,
    /// Queries of streams and events, elided ones included.
    pub queries: u64,
    /// Synchronizations of streams, events and devices, elided ones included.
    pub synchronizes: u64,
    /// Waits that needed no driver call.
    pub elided_waits: u64,
    /// Queries that needed no driver call.
    pub elided_queries: u64,
    /// Synchronizations that needed no driver call.
    pub elided_synchronizes: u64,
    /// Events created.
    pub events_created: u64,
    /// Driver events taken from the pool.
    pub event_pool_hits: u64,
    /// Driver events created because the pool was empty.
    pub event_pool_misses: u64,
    /// Streams created.
    pub streams_created: u64,
    /// Driver streams taken from the pool.
    pub stream_pool_hits: u64,
    /// Driver streams created because the pool was empty.
    pub stream_pool_misses: u64,
    /// Functions accepted by [`StreamRef::notify`](crate::StreamRef::notify).
    pub notifications: u64,
    /// Rounds that made destroyed objects reusable.
    pub reclaim_rounds: u64,
}

/// The counters. Exact for calls that happened before this one. Does not block.
pub fn stats() -> Result<Stats> {
    let mut raw = gs_stats_t::default();
    // SAFETY: the struct is a local variable that states its size.
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

/// Resets the counters to 0 for the whole process.
pub fn reset_stats() -> Result<()> {
    // SAFETY: no arguments.
    check(unsafe { api()?.gs_reset_stats() })
}

/// Returns pooled streams and events to the driver. Objects in use, and objects whose work is pending, are kept. Starts
/// nothing. Does not block.
pub fn trim() -> Result<()> {
    // SAFETY: no arguments.
    check(unsafe { api()?.gs_trim() })
}
