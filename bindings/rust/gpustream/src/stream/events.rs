// SPDX-License-Identifier: Apache-2.0
//! Events as seen from a stream.

use super::StreamRef;
use crate::call::call;
use crate::error::Result;
use crate::event::Event;

impl StreamRef {
    /// Makes this stream wait for the work that the event covers now, as [`Event::wait`]. The caller does not block.
    #[inline]
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        call!(gs_stream_wait_event(self.as_handle(), event.as_handle()))
    }

    /// Records an event in this stream, as [`Event::record`]. Does not block. [`record_new_event`](Self::record_new_event)
    /// makes the event.
    #[inline]
    pub fn record_event(&self, event: &Event) -> Result<()> {
        call!(gs_stream_record_event(self.as_handle(), event.as_handle()))
    }

    /// Records a new event without timing in this stream. Does not block.
    ///
    /// ```
    /// let stream = gpustream::Stream::new()?;
    /// let event = stream.record_new_event()?;
    /// event.synchronize()?;
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    pub fn record_new_event(&self) -> Result<Event> {
        let event = Event::new()?;
        self.record_event(&event)?;
        Ok(event)
    }
}
