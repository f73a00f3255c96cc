// SPDX-License-Identifier: Apache-2.0
//! Recording events, waiting for them, and the time between two.

use super::Event;
use crate::call::{call, read, truth};
use crate::error::Result;
use crate::stream::StreamRef;

impl Event {
    /// Records the event: from now on it covers all work submitted to the stream before the call. Does not block. Of
    /// several records at the same time one is the last.
    ///
    /// The first record binds the event to the stream's device. Waits already submitted keep to the previous record.
    #[inline]
    pub fn record(&self, stream: &StreamRef) -> Result<()> {
        call!(gs_event_record(self.as_handle(), stream.as_handle()))
    }

    /// Makes a stream wait for the work that the event covers now. The caller does not block. Later records leave the
    /// wait as it is. An event before its first record has no effect.
    #[inline]
    pub fn wait(&self, stream: &StreamRef) -> Result<()> {
        call!(gs_event_wait(self.as_handle(), stream.as_handle()))
    }

    /// Whether the work that the event covers is done; true if it was never recorded. Does not block.
    #[inline]
    pub fn query(&self) -> Result<bool> {
        read!(gs_event_query(self.as_handle())).map(truth)
    }

    /// Blocks until the work that the event covers is done. Spins unless the event has
    /// [`BLOCKING`](crate::EventFlags::BLOCKING). Returns at once if it was never recorded.
    pub fn synchronize(&self) -> Result<()> {
        call!(gs_event_synchronize(self.as_handle()))
    }

    /// Time from this event's record to `end`'s, in milliseconds; negative if `end` was recorded first. Does not block.
    #[inline]
    pub fn elapsed_ms(&self, end: &Self) -> Result<f64> {
        read!(gs_event_elapsed_ms(self.as_handle(), end.as_handle()))
    }
}
