// SPDX-License-Identifier: Apache-2.0
//! Creating events.

use super::{Event, EventFlags};
use crate::call::read;
use crate::error::Result;

/// Options of a new event; from [`Event::builder`].
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct EventBuilder {
    flags: EventFlags,
}

impl EventBuilder {
    /// Takes time stamps, for [`Event::elapsed_ms`].
    pub const fn timing(self, on: bool) -> Self {
        self.with(EventFlags::TIMING, on)
    }

    /// [`Event::synchronize`] sleeps instead of spinning.
    pub const fn blocking(self, on: bool) -> Self {
        self.with(EventFlags::BLOCKING, on)
    }

    /// Can be exported by [`Event::ipc_export`]. Excludes timing.
    pub const fn interprocess(self, on: bool) -> Self {
        self.with(EventFlags::INTERPROCESS, on)
    }

    /// In a stream capture, records and waits become nodes of the graph.
    pub const fn external(self, on: bool) -> Self {
        self.with(EventFlags::EXTERNAL, on)
    }

    /// Replaces all options.
    pub const fn flags(self, flags: EventFlags) -> Self {
        Self { flags }
    }

    const fn with(self, flag: EventFlags, on: bool) -> Self {
        let flags = if on { self.flags.union(flag) } else { self.flags.difference(flag) };
        Self { flags }
    }

    /// Creates the event. Starts and touches neither driver nor device. Does not block.
    pub fn build(self) -> Result<Event> {
        let flags = self.flags.bits();
        read!(gs_event_create(flags)).map(Event::owned)
    }
}

impl Event {
    /// Creates an event without timing.
    #[inline]
    pub fn new() -> Result<Self> {
        Self::builder().build()
    }

    /// Creates an event that takes time stamps.
    pub fn timed() -> Result<Self> {
        Self::builder().timing(true).build()
    }

    /// Options for a new event, none of them set.
    pub const fn builder() -> EventBuilder {
        EventBuilder { flags: EventFlags::empty() }
    }
}
